import { existsSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import type { GitTrigger } from "./git_specs.ts";

/** Files included by files included … more than this are not followed, and count as naming a command. */
const MAX_INCLUDES = 5;
/** What git-lfs installs: a filter of the user's own, known to leave the work tree alone. */
const GIT_LFS = /^git-lfs (clean -- %f|smudge -- %f|filter-process)$/;

/**
 * Why a reading git command started in `folder` could run another program: a setting in the repository's, the user's or
 * the system's configuration. Undefined when there is none. What cannot be read counts as such a setting. Keys as in
 * git-config(1). A pager is left out since git starts one only on a terminal, and hooks since reading commands run one
 * only when they rewrite the index, which `GIT_OPTIONAL_LOCKS=0` in the child's environment keeps them from.
 */
export function gitSettingsAgainst(
  folder: string,
  home: string,
  triggers: readonly GitTrigger[],
): string | undefined {
  if (triggers.length === 0) return undefined;
  const repository = findRepository(folder);
  if (repository === "bare") return `${folder} lies in a bare repository, whose settings nobody chose`;
  const files = ["/etc/gitconfig", join(home, ".config/git/config"), join(home, ".gitconfig")];
  if (repository !== undefined) {
    files.push(...repository.configs);
    for (const modules of repository.modules) {
      files.push(...moduleConfigs(modules, 0));
    }
  }
  for (const file of files) {
    const settings = readSettings(file, home, 0);
    if (typeof settings === "string") return settings;
    for (const { key, value } of settings) {
      if (runsCommand(key, value, triggers)) return `${key} in ${file} names a command that it would run`;
    }
  }
  return undefined;
}

interface Repository {
  configs: string[];
  modules: string[];
}

/** The repository that git finds from `folder` upwards; `bare` for a folder that is one itself without being `.git`. */
function findRepository(folder: string): Repository | "bare" | undefined {
  for (let at = folder;; at = dirname(at)) {
    const git = join(at, ".git");
    const kind = kindOf(git);
    if (kind === "folder") return repositoryAt(git);
    if (kind === "file") {
      const target = /^gitdir: (.+?)\s*$/.exec(textOf(git) ?? "")?.[1];
      if (target === undefined) return "bare";
      return repositoryAt(isAbsolute(target) ? target : join(at, target));
    }
    if (kindOf(join(at, "HEAD")) === "file" && kindOf(join(at, "objects")) === "folder") return "bare";
    if (dirname(at) === at) return undefined;
  }
}

function repositoryAt(git: string): Repository {
  const common = textOf(join(git, "commondir"))?.trim();
  const root = common === undefined ? git : isAbsolute(common) ? common : join(git, common);
  return {
    configs: [join(root, "config"), join(git, "config.worktree")],
    modules: [join(root, "modules")],
  };
}

/** Configurations of submodules: `status` and `diff` start git inside them. */
function moduleConfigs(folder: string, depth: number): string[] {
  if (depth > 4 || kindOf(folder) !== "folder") return [];
  const found: string[] = [];
  for (const entry of Deno.readDirSync(folder)) {
    const path = join(folder, entry.name);
    if (kindOf(join(path, "HEAD")) === "file") found.push(join(path, "config"));
    else if (entry.isDirectory) found.push(...moduleConfigs(path, depth + 1));
  }
  return found;
}

function kindOf(path: string): "file" | "folder" | undefined {
  try {
    // by far the cheapest way to see that nothing is there
    if (!existsSync(path)) return undefined;
    return Deno.statSync(path).isDirectory ? "folder" : "file";
  } catch {
    return undefined; // missing or closed: git does not see it either
  }
}

function textOf(path: string): string | undefined {
  try {
    return existsSync(path) ? Deno.readTextFileSync(path) : undefined;
  } catch {
    return undefined; // missing or closed: git does not see it either
  }
}

interface Setting {
  key: string;
  value: string;
}

/** All settings of a file and of the files it includes; a text when it cannot be understood. */
function readSettings(file: string, home: string, depth: number): Setting[] | string {
  if (kindOf(file) === undefined) return [];
  const text = textOf(file);
  if (text === undefined || depth > MAX_INCLUDES) return `${file} cannot be read`;
  const settings: Setting[] = [];
  for (const setting of parseSettings(text)) {
    settings.push(setting);
    if (!/^include(if\..*)?\.path$/i.test(setting.key)) continue;
    const path = setting.value.startsWith("~/") ? home + setting.value.slice(1) : setting.value;
    const inner = readSettings(isAbsolute(path) ? path : join(dirname(file), path), home, depth + 1);
    if (typeof inner === "string") return inner;
    settings.push(...inner);
  }
  return settings;
}

/** Reads git's configuration syntax; keys come out in lower case apart from the subsection. */
export function parseSettings(text: string): Setting[] {
  const settings: Setting[] = [];
  let section = "";
  for (let line of text.replace(/^\uFEFF/, "").replace(/\\\r?\n/g, "").split(/\r?\n/)) {
    const header = /^\s*\[\s*([A-Za-z0-9.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]/.exec(line);
    if (header !== null) {
      const sub = header[2]?.replace(/\\(.)/g, "$1");
      section = (header[1] ?? "").toLowerCase() + (sub === undefined ? "" : `.${sub}`);
      line = line.slice(header[0].length);
    }
    const pair = /^\s*([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*))?$/.exec(line);
    if (pair === null) continue;
    const value = (pair[2] ?? "true").replace(/"((?:[^"\\]|\\.)*)"/g, "$1").replace(/\\(["\\])/g, "$1")
      .trim();
    settings.push({ key: `${section}.${(pair[1] ?? "").toLowerCase()}`, value });
  }
  return settings;
}

const BOOLEAN = /^(true|false|yes|no|on|off|0|1|)$/i;

function runsCommand(key: string, value: string, triggers: readonly GitTrigger[]): boolean {
  // a partial clone fetches what is missing, whatever is read
  if (/^remote\..*\.promisor$|^extensions\.partialclone$/i.test(key)) {
    return !/^(false|no|off|0)$/i.test(value);
  }
  if (triggers.includes("worktree")) {
    if (key === "core.fsmonitor") return !BOOLEAN.test(value) || /^(true|yes|on|1)$/i.test(value);
    if (/^filter\..*\.(clean|smudge|process)$/i.test(key)) return !GIT_LFS.test(value);
  }
  if (triggers.includes("diff")) {
    if (key === "diff.external") return value !== "";
    if (/^diff\..*\.(command|textconv)$/i.test(key)) return true;
  }
  if (triggers.includes("signature")) {
    if (key === "log.showsignature") return !/^(false|no|off|0)$/i.test(value);
    if (key === "format.pretty" || key.startsWith("pretty.")) return /%G|signature/.test(value);
  }
  return false;
}
