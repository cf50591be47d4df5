import type { BigIntStats } from "node:fs";
import { constants } from "node:fs";
import { type FileHandle, lstat, open, realpath } from "node:fs/promises";
import { LuminaError } from "../base/mod.ts";
import { fileError } from "./file_error.ts";

/** Which file it is and which state of it: any write, replacement or swap changes one of these. */
export interface FileIdentity {
  dev: bigint;
  ino: bigint;
  size: bigint;
  mtime_ns: bigint;
}

/** A regular file that is open, together with what is known about it. */
export interface CheckedFile {
  handle: FileHandle;
  identity: FileIdentity;
  /** Permission bits with setuid, setgid and sticky. */
  mode: number;
  uid: number;
  gid: number;
  links: number;
}

/**
 * Opens the regular file at `path`, which the caller has resolved through all links and judged. Never blocks on a
 * pipe or device. The opened file must be the one that the path names, and the path must still lead through no link:
 * a link that was swapped in after the judgement gives `files.moved`. The caller closes `handle`.
 */
export async function openChecked(path: string, access: "read" | "write"): Promise<CheckedFile> {
  const action = access === "read" ? "read" : "write to";
  let handle: FileHandle | undefined;
  try {
    refuseUnlessRegular(await lstat(path, { bigint: true }), action, path);
    // Without O_NONBLOCK a pipe that takes the file's place right now would hold this call for ever.
    const flags = (access === "read" ? constants.O_RDONLY : constants.O_WRONLY) |
      (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);
    handle = await open(path, flags);
    const stats = await handle.stat({ bigint: true });
    refuseUnlessRegular(stats, action, path);
    const real = await realpath(path);
    const named = await lstat(path, { bigint: true });
    if (real !== path || named.ino !== stats.ino || named.dev !== stats.dev) throw moved(action, path);
    return {
      handle,
      identity: identityOf(stats),
      mode: Number(stats.mode) & 0o7777,
      uid: Number(stats.uid),
      gid: Number(stats.gid),
      links: Number(stats.nlink),
    };
  } catch (error) {
    await handle?.close();
    throw fileError(action, path, error);
  }
}

/** The identity of the open file as it is now. */
export async function currentIdentity(handle: FileHandle): Promise<FileIdentity> {
  return identityOf(await handle.stat({ bigint: true }));
}

/** True when both are the same file in the same state. */
export function sameIdentity(one: FileIdentity, other: FileIdentity): boolean {
  return one.dev === other.dev && one.ino === other.ino && one.size === other.size &&
    one.mtime_ns === other.mtime_ns;
}

/** The identity in a stat result. */
export function identityOf(stats: BigIntStats): FileIdentity {
  return { dev: stats.dev, ino: stats.ino, size: stats.size, mtime_ns: stats.mtimeNs };
}

/** The error for a path that leads elsewhere than when it was judged. */
export function moved(action: string, path: string): LuminaError {
  const message = `Cannot ${action} "${path}": the path changed while it was being opened; try again`;
  return new LuminaError("files.moved", message);
}

function refuseUnlessRegular(stats: BigIntStats, action: string, path: string): void {
  if (stats.isSymbolicLink()) throw moved(action, path);
  if (stats.isDirectory()) {
    throw new LuminaError("files.is_directory", `Cannot ${action} "${path}": it is a directory`);
  }
  const special = stats.isFIFO()
    ? "a named pipe"
    : stats.isSocket()
    ? "a socket"
    : stats.isCharacterDevice() || stats.isBlockDevice()
    ? "a device"
    : /^\/(proc|sys)\//.test(path)
    ? "a file of the kernel, not of a disk"
    : null;
  if (special === null) return;
  throw new LuminaError("files.special", `Cannot ${action} "${path}": it is ${special}`);
}
