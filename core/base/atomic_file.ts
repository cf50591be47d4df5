import { dirname, join } from "node:path";

/**
 * Writes a whole file so that a crash leaves either the old bytes or the new ones: temporary file beside it, fsync,
 * rename, fsync of the directory. The file gets `mode` (default 0600). With `durable` false nothing is synced: for what
 * can be made again. Throws what the file system throws; the temporary file is removed then.
 */
export function writeFileAtomic(
  path: string,
  data: Uint8Array | string,
  { mode = 0o600, durable = true }: { mode?: number; durable?: boolean } = {},
): void {
  const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
  const temporary = join(dirname(path), `.lumina-${crypto.randomUUID()}.tmp`);
  try {
    const file = Deno.openSync(temporary, { write: true, createNew: true, mode });
    try {
      let written = 0;
      while (written < bytes.length) written += file.writeSync(bytes.subarray(written));
      if (durable) file.syncSync();
    } finally {
      file.close();
    }
    if (Deno.build.os !== "windows") Deno.chmodSync(temporary, mode); // the umask may have narrowed it
    Deno.renameSync(temporary, path);
  } catch (error) {
    try {
      Deno.removeSync(temporary);
    } catch {
      // never created, or already renamed: the first error is the one to tell
    }
    throw error;
  }
  if (durable) syncDirectory(dirname(path));
}

/** Makes a rename in `directory` durable. File systems that cannot sync a directory are left as they are. */
export function syncDirectory(directory: string): void {
  if (Deno.build.os === "windows") return;
  const handle = Deno.openSync(directory, { read: true });
  try {
    handle.syncSync();
  } catch {
    // EINVAL on some network and FUSE file systems: the rename itself has happened
  } finally {
    handle.close();
  }
}
