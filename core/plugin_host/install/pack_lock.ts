import { join } from "node:path";

/**
 * Runs `run` while no other process changes packs of this AppRoot. The lock goes with its process, whatever way that ends,
 * and its file with the lock: nothing stays behind. Throws what the file system throws, and what `run` throws.
 */
export function withPackLock<T>(state_dir: string, run: () => T): T {
  const path = join(state_dir, "plugin_change.lock");
  for (;;) {
    using file = Deno.openSync(path, { write: true, create: true, mode: 0o600 });
    file.lockSync(true);
    if (!isStill(file, path)) continue; // whoever held it has removed the file we waited for
    try {
      return run();
    } finally {
      Deno.removeSync(path);
    }
  }
}

function isStill(file: Deno.FsFile, path: string): boolean {
  try {
    const [own, there] = [file.statSync(), Deno.lstatSync(path)];
    return own.ino === there.ino && own.dev === there.dev;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
