import { existsSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { gitlinks } from "./git_index.ts";

/** What a git command looks at that is started in a folder. */
export interface GitPlaces {
  /** Configurations of all repositories that it may take for its own, and of their submodules. */
  configs: string[];
  /** Hook folders of these repositories. */
  hooks: string[];
  /** The folder that holds `.git`; undefined outside of a repository. */
  top?: string;
}

/** Submodules inside submodules … deeper than this are not followed. */
const MAX_DEPTH = 4;

/**
 * The repository that git finds from `folder` upwards, links followed as git does by its working folder. A text says why
 * it is not certain. A `.git` that git may pass over counts, and so does what lies above it.
 */
export function findRepository(folder: string, submodules: boolean): GitPlaces | string {
  const places: GitPlaces = { configs: [], hooks: [] };
  for (let at = realPath(folder);; at = dirname(at)) {
    const git = gitFolderOf(at);
    if (git !== undefined) {
      places.top ??= at;
      const against = addRepository(git, at, submodules ? 0 : MAX_DEPTH, places);
      if (against !== undefined) return against;
      if (isRepository(git)) return places;
    }
    if (kindOf(join(at, "HEAD")) === "file" && kindOf(join(at, "objects")) === "folder") {
      return `${at} is a bare repository, whose settings nobody chose`;
    }
    if (dirname(at) === at) return places;
  }
}

/** What `.git` in a folder is or leads to. */
function gitFolderOf(folder: string): string | undefined {
  const git = join(folder, ".git");
  const kind = kindOf(git);
  if (kind !== "file") return kind === undefined ? undefined : git;
  // blanks belong to the name: git takes off line ends alone
  const target = /^gitdir: ([\s\S]+?)[\r\n]*$/.exec(textOf(git) ?? "")?.[1];
  return target === undefined ? git : isAbsolute(target) ? target : `${folder}/${target}`;
}

function addRepository(git: string, top: string, depth: number, places: GitPlaces): string | undefined {
  const root = commonFolder(git);
  places.configs.push(join(root, "config"), join(git, "config.worktree"));
  places.hooks.push(join(root, "hooks"));
  if (depth >= MAX_DEPTH) return undefined;
  for (const path of moduleFolders(join(root, "modules"), 0)) places.configs.push(join(path, "config"));
  // `status` and `diff` start git inside a submodule, wherever its `.git` leads to
  const links = gitlinks(git);
  if (links === undefined) return `the index in ${git} cannot be read`;
  for (const link of links) {
    const folder = join(top, link);
    const inner = gitFolderOf(folder);
    if (inner === undefined) continue;
    if (depth + 1 >= MAX_DEPTH) return `${folder} is a submodule too deep to follow`;
    const against = addRepository(inner, folder, depth + 1, places);
    if (against !== undefined) return against;
  }
  return undefined;
}

function commonFolder(git: string): string {
  const common = textOf(join(git, "commondir"))?.replace(/[\r\n]+$/, "");
  return common === undefined ? git : isAbsolute(common) ? common : join(git, common);
}

/** Strictly what git takes for a repository (gitrepository-layout(5)); anything less it may pass over. */
function isRepository(git: string): boolean {
  const root = commonFolder(git);
  return /^(ref: refs\/|[0-9a-f]{40})/.test(textOf(join(git, "HEAD")) ?? "") &&
    kindOf(join(root, "objects")) === "folder" && kindOf(join(root, "refs")) === "folder";
}

/** Submodules as `git submodule` keeps them. */
function moduleFolders(folder: string, depth: number): string[] {
  if (depth > MAX_DEPTH || kindOf(folder) !== "folder") return [];
  const found: string[] = [];
  for (const entry of Deno.readDirSync(folder)) {
    const path = join(folder, entry.name);
    if (kindOf(join(path, "HEAD")) === "file") found.push(path);
    else if (entry.isDirectory) found.push(...moduleFolders(path, depth + 1));
  }
  return found;
}

function realPath(path: string): string {
  try {
    return Deno.realPathSync(path);
  } catch {
    return path; // missing or closed: git does not start there
  }
}

export function kindOf(path: string): "file" | "folder" | undefined {
  try {
    // by far the cheapest way to see that nothing is there
    if (!existsSync(path)) return undefined;
    return Deno.statSync(path).isDirectory ? "folder" : "file";
  } catch {
    return undefined; // missing or closed: git does not see it either
  }
}

export function textOf(path: string): string | undefined {
  try {
    return existsSync(path) ? Deno.readTextFileSync(path) : undefined;
  } catch {
    return undefined; // missing or closed: git does not see it either
  }
}
