import { dirname, isAbsolute, join } from "node:path";
import { isInside } from "../../files/mod.ts";
import { parseGitConfig } from "./git_config_file.ts";
import type { GitSetting } from "./git_config_file.ts";
import { findRepository, kindOf, textOf } from "./git_repository.ts";
import type { GitPlaces } from "./git_repository.ts";
import type { GitTrigger } from "./git_specs.ts";

/** Files included by files included … more than this are not followed, and count as naming a command. */
const MAX_INCLUDES = 5;
/** What git-lfs installs: a filter of the user's own, known to leave the work tree alone. */
const GIT_LFS = /^git-lfs (clean -- %f|smudge -- %f|filter-process)$/;

/**
 * Why a reading git command started in `folder` could run another program or read elsewhere: a setting in the
 * repository's, the user's or the system's configuration, or a hook. Undefined when there is none. What cannot be read
 * counts as such a setting. Keys as in git-config(1). A pager is left out since git starts one only on a terminal, and
 * hooks since reading commands run one only when they rewrite the index, which `GIT_OPTIONAL_LOCKS=0` in the child's
 * environment keeps all but those with the trigger `index` from.
 */
export function gitSettingsAgainst(
  folder: string,
  home: string,
  triggers: readonly GitTrigger[],
): string | undefined {
  if (triggers.length === 0) return undefined;
  const submodules = triggers.includes("worktree") || triggers.includes("diff");
  const places = findRepository(folder, submodules);
  if (typeof places === "string") return places;
  const hooks = [...places.hooks];
  for (
    const file of [
      "/etc/gitconfig",
      join(home, ".config/git/config"),
      join(home, ".gitconfig"),
      ...places.configs,
    ]
  ) {
    const settings = readSettings(file, home, 0);
    if (typeof settings === "string") return settings;
    for (const { key, value } of settings) {
      if (runsCommand(key, value, triggers)) return `${key} in ${file} names a command that it would run`;
      if (leadsElsewhere(key, value, file, places)) return `${key} in ${file} leads to ${value}`;
      if (key === "core.hookspath") hooks.push(join(places.top ?? folder, value), value.replace(/^~/, home));
    }
  }
  if (!triggers.includes("index")) return undefined;
  const hook = hooks.map((hooks) => join(hooks, "post-index-change")).find((path) => kindOf(path) === "file");
  return hook === undefined ? undefined : `${hook} would run`;
}

/** All settings of a file and of the files it includes; a text when it cannot be understood. */
function readSettings(file: string, home: string, depth: number): GitSetting[] | string {
  if (kindOf(file) === undefined) return [];
  const text = textOf(file);
  const parsed = text === undefined || depth > MAX_INCLUDES ? undefined : parseGitConfig(text);
  if (parsed === undefined) return `${file} cannot be read`;
  const settings: GitSetting[] = [];
  for (const setting of parsed) {
    settings.push(setting);
    if (!/^include(if\.[\s\S]*)?\.path$/.test(setting.key)) continue;
    // `~user/`, `%(prefix)/`, `:(optional)`, and signs of which it is not certain how git reads them
    if (/^(~[^/]|%\(|:\()|[\t\uFFFD]/.test(setting.value)) return `${file} includes ${setting.value}`;
    const path = setting.value.startsWith("~/") ? home + setting.value.slice(1) : setting.value;
    const inner = readSettings(isAbsolute(path) ? path : `${dirname(file)}/${path}`, home, depth + 1);
    if (typeof inner === "string") return inner;
    settings.push(...inner);
  }
  return settings;
}

/** Settings that make git read or name files of another place than the repository's own folder. */
function leadsElsewhere(key: string, value: string, file: string, { top, configs }: GitPlaces): boolean {
  if (top === undefined) return false;
  if (key === "blame.ignorerevsfile") {
    return value !== "" && !value.startsWith("~") && !isInside(top, realPath(resolved(top, value)));
  }
  // only the repository's own: a submodule's leads to its folder, which is not gone into
  if (key !== "core.worktree" || file !== configs[0]) return false;
  return realPath(resolved(dirname(file), value)) !== top;
}

function resolved(folder: string, path: string): string {
  return isAbsolute(path) ? path : join(folder, path);
}

function realPath(path: string): string {
  try {
    return Deno.realPathSync(path);
  } catch {
    return path; // not there: git finds nothing either
  }
}

const BOOLEAN = /^(true|false|yes|no|on|off|0|1|)$/i;

function runsCommand(key: string, value: string, triggers: readonly GitTrigger[]): boolean {
  // a partial clone fetches what is missing, whatever is read
  if (/^remote\.[\s\S]*\.promisor$|^extensions\.partialclone$/i.test(key)) {
    return !/^(false|no|off|0)$/i.test(value);
  }
  if (triggers.includes("worktree")) {
    if (key === "core.fsmonitor") return !BOOLEAN.test(value) || /^(true|yes|on|1)$/i.test(value);
    if (/^filter\.[\s\S]*\.(clean|smudge|process)$/i.test(key)) return !GIT_LFS.test(value);
  }
  if (triggers.includes("diff")) {
    if (key === "diff.external") return value !== "";
    if (/^diff\.[\s\S]*\.(command|textconv)$/i.test(key)) return true;
    // shows a submodule by a git of its own
    if (key === "diff.submodule") return value === "diff";
  }
  if (triggers.includes("signature")) {
    if (key === "log.showsignature") return !/^(false|no|off|0)$/i.test(value);
    if (key === "format.pretty" || key.startsWith("pretty.")) return /%G|signature/.test(value);
    if (key === "branch.sort" || key === "tag.sort") return /signature/.test(value);
  }
  if (triggers.includes("index")) return /^hook\.[\s\S]*\.command$/.test(key);
  return false;
}
