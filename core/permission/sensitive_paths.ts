import { isInside } from "../files/mod.ts";
import type { Policy } from "./policy.ts";

/**
 * Names inside the workspace that run code or grant rights when they change, so that writing them asks in every mode but
 * `yolo`, and no general allow rule covers them: git's own folder and settings, Lumina's and other agents' folders, keys,
 * start-up files of shells, settings of editors and hooks that run what they hold.
 */
const SENSITIVE: ReadonlySet<string> = new Set(
  (".git .gitconfig .gitmodules .gitattributes .lumina .claude .codex .mcp.json .ssh .gnupg .vscode .idea .husky " +
    ".githooks .envrc .bashrc .bash_profile .bash_login .bash_logout .profile .zshrc .zprofile .zshenv .zlogin " +
    ".zlogout .cshrc .tcshrc .login .kshrc .ripgreprc .npmrc .yarnrc .yarnrc.yml .pypirc .netrc").split(" "),
);

/** True for a name whose change asks, at any depth of the workspace. */
export function isSensitiveName(name: string): boolean {
  return SENSITIVE.has(name.toLowerCase());
}

/** The first name of a path below the workspace whose change asks; compared without regard to case. */
export function sensitiveName(path: string, policy: Policy): string | undefined {
  // every such name begins with a dot, and most paths hold none
  if (!path.includes("/.") && !path.startsWith(".")) return undefined;
  const root = Math.max(deepest([policy.workspace], path), deepest(policy.added_dirs, path), 0);
  return path.slice(root).split("/").find(isSensitiveName);
}

/**
 * Where a path lies for the mode table. What is Lumina's own stays so also when the workspace lies in it or is it; only
 * the folders that it opens for reading lie deeper.
 */
export function placeOf(
  path: string,
  access: "read" | "write",
  policy: Policy,
): "inside" | "outside" | "protected" {
  const opened = access === "read" ? policy.read_dirs : [];
  if (deepest(policy.protected_paths, path) > deepest(opened, path)) return "protected";
  const inside = isInside(policy.workspace, path) || deepest(policy.added_dirs, path) >= 0 ||
    deepest(opened, path) >= 0;
  return inside ? "inside" : "outside";
}

/** Facts of the machine that hold no secret; they count as inside for reading. */
const PUBLIC = new Set(
  ("/etc/os-release /usr/lib/os-release /etc/lsb-release /etc/debian_version /etc/redhat-release /etc/alpine-release " +
    "/proc/cpuinfo /proc/meminfo /proc/version /proc/loadavg /proc/uptime").split(" "),
);

/** True for a file of the system that every program may read. */
export function isPublicFile(path: string): boolean {
  return PUBLIC.has(path);
}

function deepest(folders: readonly string[], path: string): number {
  return folders.reduce((best, folder) => isInside(folder, path) ? Math.max(best, folder.length) : best, -1);
}
