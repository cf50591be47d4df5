import { dirname } from "node:path";
import { isInside } from "../files/mod.ts";
import type { PathFact } from "./facts.ts";
import type { Policy } from "./policy.ts";
import { secretPlaces } from "./secret_places.ts";
import { placeOf, sensitiveName } from "./sensitive_paths.ts";

/** What must be known of the machine to say which folders no answer may open. */
export type FolderScope = Pick<Policy, "home" | "protected_paths" | "workspace" | "added_dirs">;

/** Folders of the system, of which no part is opened as a whole for writing. */
const SYSTEM =
  "/bin /boot /dev /etc /lib /lib32 /lib64 /libx32 /proc /run /sbin /sys /usr /var/lib /var/run /System /Library /Applications"
    .split(" ");

/** Folders of the system that are no files on a disk: what lies there is this machine's state, environments included. */
const LIVE = ["/proc", "/sys", "/dev", "/run", "/var/run"];

/**
 * Why a whole folder cannot be opened by an answer, in words for people; undefined where it may be. It must lie below another
 * folder than the root, hold neither the home folder nor Lumina's own, and neither be nor hold a place of secrets.
 */
export function folderRefusal(
  folder: string,
  access: "read" | "write",
  { home, protected_paths }: FolderScope,
): string | undefined {
  if (folder.split("/").filter((name) => name !== "").length < 2) return `${folder} is too much at once`;
  if (isInside(folder, home)) return `${folder} holds the home folder`;
  if (protected_paths.some((path) => isInside(path, folder) || isInside(folder, path))) {
    return `${folder} holds what belongs to Lumina itself`;
  }
  const system = access === "read" ? LIVE : SYSTEM;
  if (system.some((place) => isInside(place, folder))) return `${folder} belongs to the system`;
  const secrets = secretPlaces({ home, os: Deno.build.os === "darwin" ? "darwin" : "linux" });
  const secret = secrets.find((place) => isInside(place, folder) || isInside(folder, place));
  return secret === undefined ? undefined : `${folder} holds secrets (${secret})`;
}

/**
 * The rule "this folder from now on" for a file outside the workspace: `Read(//folder/**)` or `Edit(//folder/**)`. Undefined
 * where the path is no such file, where a rule would not hold for it, and for folders that no answer may open.
 */
export function folderRule(path: PathFact, policy: Policy): string | undefined {
  if (path.is_dir || path.link !== path.resolved) return undefined;
  if (placeOf(path.resolved, path.access, policy) !== "outside") return undefined;
  if (path.access === "write" && sensitiveName(path.resolved, policy) !== undefined) return undefined;
  const folder = dirname(path.resolved);
  if (/[\\*?[\]!#()]/.test(folder) || folderRefusal(folder, path.access, policy) !== undefined) {
    return undefined;
  }
  return `${path.access === "read" ? "Read" : "Edit"}(/${folder}/**)`;
}
