import { dirname } from "node:path";

/**
 * Does one thing after the other with a file, in this process and among all: who reads, changes and writes it must not take
 * away what another one has written meanwhile. The lock is on the folder, leaves nothing there, and goes with its process.
 */
export async function withFolderLock<T>(file: string, act: () => Promise<T>): Promise<T> {
  const folder = await lockable(file);
  if (folder === undefined) return await act();
  try {
    await folder.lock(true);
    return await act();
  } finally {
    folder.close();
  }
}

/** Undefined where the folder can neither be made nor opened: writing there tells why. */
async function lockable(file: string): Promise<Deno.FsFile | undefined> {
  try {
    const target = await Deno.realPath(file).catch(() => file); // absent: it is made where it is named
    await Deno.mkdir(dirname(target), { recursive: true, mode: 0o700 });
    return await Deno.open(dirname(target));
  } catch {
    return undefined; // closed to us, or a system that opens no folders
  }
}
