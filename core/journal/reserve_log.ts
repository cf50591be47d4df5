/** Bytes of write-ahead log that a journal has before it needs them: some 60 commits. */
const RESERVE = 1024 * 1024;

/**
 * Extends the write-ahead log of an open journal with zeros, which SQLite reads as the end of the log. A commit into
 * space that the file already has is a third cheaper than one that makes the file grow, and most journals are short.
 * Resolves when the space is on disk; nothing has to wait for that.
 *
 * To be called in the thread of the store: the zeros are written before any commit can come between.
 */
export async function reserveLog(path: string): Promise<void> {
  try {
    // SQLite takes no locks on this file, so opening and closing it is harmless; see `openDatabase` for the other one.
    const file = openReserved(`${path}-wal`);
    try {
      await file.sync();
    } finally {
      file.close();
    }
  } catch {
    // no space or no log yet: commits are as they would have been without it, and tell of real trouble themselves
  }
}

function openReserved(path: string): Deno.FsFile {
  const file = Deno.openSync(path, { write: true });
  try {
    const { size } = file.statSync();
    file.seekSync(size, Deno.SeekMode.Start);
    for (let left = RESERVE - size; left > 0;) left -= file.writeSync(new Uint8Array(left));
    return file;
  } catch (error) {
    file.close();
    throw error;
  }
}
