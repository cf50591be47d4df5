import { constants, lstatSync, realpathSync, renameSync } from "node:fs";
import { type FileHandle, open, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { LuminaError } from "../base/mod.ts";
import { fileError, systemCode } from "./file_error.ts";
import { type CheckedFile, identityOf, moved, openChecked, sameIdentity } from "./open_checked.ts";

/** What a replacement needs to know about the file that is there. */
export type ReplacedFile = Omit<CheckedFile, "handle">;

/** How the bytes got into place. */
export interface Replacement {
  /** `atomic`: a crash leaves the old or the new file. `in_place`: a crash may leave a mixture. */
  method: "atomic" | "in_place";
  /** True when the file had further hard links: those names keep the old bytes. */
  own_copy: boolean;
}

/** The directory refuses a new file or the rename, while the file itself may be writable. */
const NO_NEIGHBOUR = new Set(["EACCES", "EPERM", "EROFS", "EBUSY", "EXDEV", "ETXTBSY"]);

/**
 * Puts `bytes` at `path` (resolved and judged by the caller). `old` is the file as it was read, or null when there
 * must be none: whatever else is there now gives `files.changed` or `files.exists` and stays as it is.
 *
 * The way is a temporary file in the same directory, fsync, rename, fsync of the directory. Mode bits and owner are
 * kept. A file with further hard links gets a copy of its own, so that writing a name inside the workspace never
 * changes a name outside. Where no neighbour may be made (`beside` false, or the directory refuses) or the owner
 * could not be kept, the file is written in place and fsynced; a file with
 * further hard links is refused then (`files.linked`).
 */
export async function replaceFile(
  path: string,
  bytes: Uint8Array,
  old: ReplacedFile | null,
  beside: boolean,
): Promise<Replacement> {
  try {
    if (beside && await replaceByRename(path, bytes, old)) {
      return { method: "atomic", own_copy: old !== null && old.links > 1 };
    }
    if (old === null) await createInPlace(path, bytes);
    else await writeInPlace(path, bytes, old);
    return { method: "in_place", own_copy: false };
  } catch (error) {
    throw fileError("write", path, error);
  }
}

/** False when this way is closed and nothing has changed. */
async function replaceByRename(path: string, bytes: Uint8Array, old: ReplacedFile | null): Promise<boolean> {
  const directory = dirname(path);
  const temporary = join(directory, `.lumina-${crypto.randomUUID()}.tmp`);
  let handle: FileHandle | undefined;
  try {
    // An existing file's text must not be readable by others for a moment; a new one gets what the umask leaves.
    handle = await open(temporary, "wx", old === null ? 0o666 : 0o600);
    // A directory swapped for a link would have led even the empty file elsewhere: nothing is written into it.
    requireSameDirectory(directory, path);
    if (old !== null && !(await keepOwner(handle, old))) {
      await handle.close();
      handle = undefined;
      await unlink(temporary);
      return false;
    }
    await writeAll(handle, bytes, 0);
    if (old !== null && Deno.build.os !== "windows") await handle.chmod(old.mode); // after chown, which clears setuid
    await handle.sync();
    await handle.close();
    handle = undefined;
    renameChecked(temporary, path, old);
  } catch (error) {
    await handle?.close();
    await unlink(temporary).catch(() => {}); // it may never have been made; the first error is the one to tell
    if (old !== null && NO_NEIGHBOUR.has(systemCode(error))) return false;
    throw error;
  }
  await syncDirectory(directory);
  return true;
}

/** Checks and renames without a pause between, so that no other call of this process comes in between. */
function renameChecked(temporary: string, path: string, old: ReplacedFile | null): void {
  requireSameDirectory(dirname(path), path);
  const there = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (old === null && there !== undefined) {
    throw new LuminaError(
      "files.exists",
      `Cannot create "${path}": something appeared there meanwhile; read it first`,
    );
  }
  if (old !== null && (there === undefined || !sameIdentity(identityOf(there), old.identity))) {
    throw changed(path);
  }
  renameSync(temporary, path);
}

function requireSameDirectory(directory: string, path: string): void {
  if (realpathSync(directory) !== directory) throw moved("write", path);
}

async function keepOwner(handle: FileHandle, old: ReplacedFile): Promise<boolean> {
  if (Deno.build.os === "windows") return true;
  const mine = await handle.stat();
  if (mine.uid === old.uid && mine.gid === old.gid) return true;
  try {
    await handle.chown(old.uid, old.gid);
    return true;
  } catch (error) {
    if (NO_NEIGHBOUR.has(systemCode(error))) return false;
    throw error;
  }
}

async function createInPlace(path: string, bytes: Uint8Array): Promise<void> {
  const handle = await open(path, "wx", 0o666);
  try {
    if (realpathSync(path) !== path) throw moved("create", path);
    await writeAll(handle, bytes, 0);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function writeInPlace(path: string, bytes: Uint8Array, old: ReplacedFile): Promise<void> {
  if (old.links > 1) {
    const others = `it has ${old.links} hard links, and its folder allows no copy of its own`;
    throw new LuminaError("files.linked", `Cannot write "${path}": ${others}`);
  }
  const file = await openChecked(path, "write");
  try {
    if (!sameIdentity(file.identity, old.identity)) throw changed(path);
    await writeAll(file.handle, bytes, 0);
    await file.handle.truncate(bytes.length);
    await file.handle.sync();
  } finally {
    await file.handle.close();
  }
}

async function writeAll(handle: FileHandle, bytes: Uint8Array, start: number): Promise<void> {
  for (let done = start; done < bytes.length;) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, done);
    done += bytesWritten;
  }
}

function changed(path: string): LuminaError {
  const message = `Cannot write "${path}": it changed on disk meanwhile; read it again`;
  return new LuminaError("files.changed", message, { retry: "after_reload" });
}

async function syncDirectory(directory: string): Promise<void> {
  if (Deno.build.os === "windows") return;
  let handle: FileHandle | undefined;
  try {
    handle = await open(directory, constants.O_RDONLY);
    await handle.sync();
  } catch {
    // a directory without read permission, or a file system that cannot sync one: the rename itself has happened
  } finally {
    await handle?.close();
  }
}
