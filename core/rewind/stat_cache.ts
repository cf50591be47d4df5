import type { SnapshotStore } from "./snapshot_store.ts";
import { readEntry, writeEntry } from "./tree.ts";
import type { EntryRow, Tree, TreeEntry } from "./tree.ts";

/** A file as the disk showed it when its content was read. Times in milliseconds since 1970. */
export interface FileStat {
  readonly size: number;
  readonly mtime: number;
  readonly ctime: number;
  readonly ino: number;
  /** False while the file was so young that a further change might not show in its times. */
  readonly settled: boolean;
}

/** One folder as it was captured last. */
export interface CachedFolder {
  readonly hash: string;
  readonly entries: Tree;
  readonly stats: ReadonlyMap<string, FileStat>;
}

/**
 * Times of a file that changed less than this before it was read do not tell a later change from this one: some file
 * systems count in steps of two seconds, and the runtime gives the change time in whole seconds.
 */
const SETTLING_MS = 3_000;

/** What is known of a file by its stat. `now`: when its reading began. */
export function fileStat(info: Deno.FileInfo, now: number): FileStat {
  const mtime = info.mtime?.getTime() ?? now;
  const ctime = info.ctime?.getTime() ?? mtime;
  return {
    size: info.size,
    mtime,
    ctime,
    ino: info.ino ?? 0,
    settled: Math.max(mtime, ctime + 999) + SETTLING_MS < now,
  };
}

/** True when the file is surely the one that was read. */
export function isUnchanged(known: FileStat, info: Deno.FileInfo): boolean {
  return known.settled && info.isFile && known.size === info.size && known.ino === (info.ino ?? 0) &&
    known.mtime === info.mtime?.getTime() && known.ctime === (info.ctime?.getTime() ?? known.mtime);
}

type Row = [...EntryRow, ...(StatRow | [])];
type StatRow = [size: number, mtime: number, ctime: number, ino: number, settled: 0 | 1];

/**
 * What is known of the tree without reading it, by folder (relative, `/` between names, empty for the root). Kept in the
 * store, so that the first capture of a process need not read every file. It is only believed where the disk agrees.
 */
export class StatCache {
  readonly #rows: Map<string, string>;
  readonly #folders = new Map<string, CachedFolder>();
  #changed = new Map<string, string | null>();
  readonly generation: number;

  constructor(store: SnapshotStore) {
    this.generation = store.generation;
    this.#rows = store.folders();
  }

  get(path: string): CachedFolder | undefined {
    const known = this.#folders.get(path);
    if (known !== undefined) return known;
    const row = this.#rows.get(path);
    if (row === undefined) return undefined;
    this.#rows.delete(path);
    try {
      const [hash, rows]: [string, Row[]] = JSON.parse(row);
      const entries = new Map<string, TreeEntry>();
      const stats = new Map<string, FileStat>();
      for (const [name, letter, mode, value, size, mtime, ctime, ino, settled] of rows) {
        entries.set(name, readEntry(letter, mode, value));
        if (size === undefined) continue;
        stats.set(name, { size, mtime: mtime!, ctime: ctime!, ino: ino!, settled: settled === 1 });
      }
      const folder = { hash, entries, stats };
      this.#folders.set(path, folder);
      return folder;
    } catch {
      return undefined; // a row that cannot be used costs reading the folder's files again
    }
  }

  set(path: string, folder: CachedFolder): void {
    this.#folders.set(path, folder);
    const rows = [...folder.entries].map(([name, entry]): Row => {
      const stat = folder.stats.get(name);
      const row = writeEntry(name, entry);
      if (stat === undefined) return row;
      return [...row, stat.size, stat.mtime, stat.ctime, stat.ino, stat.settled ? 1 : 0];
    });
    this.#changed.set(path, JSON.stringify([folder.hash, rows]));
  }

  /** Forgets the folders that are not among `seen`. */
  keep(seen: ReadonlySet<string>): void {
    for (const paths of [this.#folders.keys(), this.#rows.keys()]) {
      for (const path of [...paths]) {
        if (seen.has(path)) continue;
        this.#folders.delete(path);
        this.#rows.delete(path);
        this.#changed.set(path, null);
      }
    }
  }

  /** What `write` of the store must still be told. */
  get changed(): ReadonlyMap<string, string | null> {
    return this.#changed;
  }

  /** `changed` has been written. */
  written(): void {
    this.#changed = new Map();
  }
}
