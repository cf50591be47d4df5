import { basename, sep } from "node:path";
import { systemWorld } from "../base/mod.ts";
import { IgnoreChain } from "./gitignore_chain.ts";
import type { IgnoreLevel } from "./gitignore_chain.ts";
import { isWithinRoots } from "./walk_roots.ts";

/** A file or directory that the walk found. */
export interface WalkEntry {
  /** Absolute, as reached: through the link's own name where one was followed. */
  path: string;
  /** Absolute with every link resolved: what to open. */
  real: string;
  name: string;
  directory: boolean;
}

/** What the walk met; grows while it runs. */
export interface WalkCounts {
  files: number;
  directories: number;
  /** Entries that ignore rules left out; an ignored directory counts once. */
  ignored: number;
  /** Links that were not followed because `follow` is off. */
  links: number;
  /** Followed links whose target is outside the read roots or denied. */
  links_outside: number;
  /** Followed links that lead nowhere or in a circle. */
  links_broken: number;
  /** Followed links to a place that the walk has already visited. */
  links_repeated: number;
  /** Entries that a deny rule closes. */
  denied: number;
  /** Directories and ignore files that could not be read. */
  unreadable: number;
  /** Sockets, pipes and devices. */
  special: number;
}

export interface WalkOptions {
  /** Where to start: a directory, absolute, links resolved, inside the read roots. */
  root: string;
  /** Nothing outside these is read; absolute, links resolved. */
  read_roots: readonly string[];
  /** Leave out what `.gitignore` files and `info/exclude` exclude. */
  honour_ignores: boolean;
  /** Follow links: each real directory once, in a second pass, so that real names come first. */
  follow?: boolean;
  /** Deny rules; a denied directory is not entered. */
  denied?: (real: string, directory: boolean) => boolean;
  /** False keeps the walk out of a directory; `depth` is 0 for entries of the root. */
  descend?: (entry: WalkEntry, depth: number) => boolean;
  signal?: AbortSignal;
  /** Monotonic milliseconds. */
  mono?: () => number;
}

interface Frame {
  path: string;
  real: string;
  entries: Deno.DirEntry[];
  next: number;
  level: IgnoreLevel | undefined;
}

interface PendingLink {
  entry: WalkEntry;
  level: IgnoreLevel | undefined;
  depth: number;
}

const BATCH_ENTRIES = 1024;
/** Longest stretch without looking at the abort signal and the other calls of the worker, milliseconds. */
const SLICE_MS = 10;

/**
 * A walk over a directory tree in a fixed order: depth first, the names of a directory by UTF-16 code units. `.git`
 * is never entered, links are not followed unless asked, and nothing outside the read roots is opened. Unreadable
 * places are counted, not thrown. Memory holds the directories on the way to the current one, no more.
 */
export class TreeWalk {
  readonly counts: WalkCounts = {
    files: 0,
    directories: 0,
    ignored: 0,
    links: 0,
    links_outside: 0,
    links_broken: 0,
    links_repeated: 0,
    denied: 0,
    unreadable: 0,
    special: 0,
  };
  readonly #options: WalkOptions;
  readonly #mono: () => number;
  #chain: IgnoreChain | undefined;
  readonly #links: PendingLink[] = [];
  /** `device:inode` of every directory and followed file; kept only when links are followed. */
  readonly #visited = new Set<string>();

  constructor(options: WalkOptions) {
    this.#options = options;
    this.#mono = options.mono ?? systemWorld.mono;
  }

  /**
   * Batches of entries in order. Throws the signal's reason when it aborts, and the file system's error when the
   * root itself cannot be read.
   */
  async *batches(): AsyncGenerator<WalkEntry[]> {
    const { root, honour_ignores, read_roots, follow } = this.#options;
    if (honour_ignores) this.#chain = new IgnoreChain(read_roots);
    const frame = this.#open(root, root, this.#chain?.above(root), true);
    if (frame !== undefined) yield* this.#descend(frame, 0);
    // Links come after the real tree; following one may queue more.
    for (let next = 0; follow && next < this.#links.length; next++) {
      const { entry, level, depth } = this.#links[next]!;
      this.#links[next] = undefined as never; // lets go of what is done
      if (!this.#arrive(entry)) continue;
      yield [entry];
      if (!entry.directory || this.#options.descend?.(entry, depth) === false) continue;
      const inside = this.#open(entry.path, entry.real, level, false);
      if (inside !== undefined) yield* this.#descend(inside, depth + 1);
    }
    this.counts.unreadable += this.#chain?.unreadable ?? 0;
  }

  async *#descend(first: Frame, firstDepth: number): AsyncGenerator<WalkEntry[]> {
    const { signal, descend } = this.#options;
    const frames = [first];
    let batch: WalkEntry[] = [];
    let pause = this.#mono() + SLICE_MS;
    while (frames.length > 0) {
      const frame = frames.at(-1)!;
      const raw = frame.entries[frame.next++];
      if (raw === undefined) {
        frames.pop();
        continue;
      }
      const depth = firstDepth + frames.length - 1;
      const entry = this.#take(frame, raw, depth);
      if (entry === undefined) continue;
      batch.push(entry);
      if (entry.directory && descend?.(entry, depth) !== false) {
        const inside = this.#open(entry.path, entry.real, frame.level, false);
        if (inside !== undefined) frames.push(inside);
        if (this.#mono() > pause) {
          if (batch.length > 0) yield batch;
          batch = [];
          await new Promise<void>((resolve) => setImmediate(resolve)); // lets an abort message in
          signal?.throwIfAborted();
          pause = this.#mono() + SLICE_MS;
        }
      }
      if (batch.length >= BATCH_ENTRIES) {
        yield batch;
        batch = [];
        signal?.throwIfAborted();
      }
    }
    if (batch.length > 0) yield batch;
  }

  /** Judges one name of a directory; undefined when it is left out or waits as a link. */
  #take(frame: Frame, raw: Deno.DirEntry, depth: number): WalkEntry | undefined {
    const { name } = raw;
    const path = frame.path.endsWith(sep) ? frame.path + name : frame.path + sep + name;
    if (name === ".git") return undefined;
    if (IgnoreChain.ignores(frame.level, path, name, raw.isDirectory)) {
      this.counts.ignored++;
      return undefined;
    }
    const real = frame.path === frame.real ? path : frame.real + sep + name;
    const entry = { path, real, name, directory: raw.isDirectory };
    if (raw.isSymlink) {
      if (this.#options.follow) this.#links.push({ entry, level: frame.level, depth });
      else this.counts.links++;
      return undefined;
    }
    if (!raw.isFile && !raw.isDirectory) {
      this.counts.special++;
      return undefined;
    }
    if (this.#options.denied?.(real, raw.isDirectory)) {
      this.counts.denied++;
      return undefined;
    }
    if (raw.isDirectory) this.counts.directories++;
    else this.counts.files++;
    return entry;
  }

  /** Resolves a link in place; false when it leads nowhere, outside, or where the walk has been. */
  #arrive(entry: WalkEntry): boolean {
    this.#options.signal?.throwIfAborted();
    let info: Deno.FileInfo;
    try {
      entry.real = Deno.realPathSync(entry.real);
      if (!isWithinRoots(entry.real, this.#options.read_roots)) {
        this.counts.links_outside++;
        return false;
      }
      info = Deno.lstatSync(entry.real);
    } catch (error) {
      // Deno refuses to look outside its grant before we can: that link leads outside, the others lead nowhere
      if (error instanceof Deno.errors.NotCapable) this.counts.links_outside++;
      else this.counts.links_broken++;
      return false;
    }
    entry.directory = info.isDirectory;
    if (this.#options.denied?.(entry.real, info.isDirectory)) {
      this.counts.links_outside++;
      return false;
    }
    if (basename(entry.real) === ".git" || entry.real.includes(`${sep}.git${sep}`)) {
      this.counts.links_outside++;
      return false;
    }
    if (!info.isFile && !info.isDirectory) {
      this.counts.special++;
      return false;
    }
    if (info.isDirectory) {
      if (this.#visited.has(identity(info))) {
        this.counts.links_repeated++;
        return false;
      }
      this.counts.directories++; // #open marks it as visited
      return true;
    }
    if (this.#visited.has(identity(info))) {
      this.counts.links_repeated++;
      return false;
    }
    this.#visited.add(identity(info));
    this.counts.files++;
    return true;
  }

  /** Reads a directory; undefined when that is impossible (counted) or it was visited before. */
  #open(path: string, real: string, over: IgnoreLevel | undefined, isRoot: boolean): Frame | undefined {
    let entries: Deno.DirEntry[];
    try {
      if (this.#options.follow) {
        const id = identity(Deno.lstatSync(real));
        if (this.#visited.has(id)) return undefined;
        this.#visited.add(id);
      }
      entries = [...Deno.readDirSync(real)];
      // Someone may have put a link in the directory's place since its parent was read.
      if (Deno.realPathSync(real) !== real) throw new Deno.errors.FilesystemLoop(`${real} became a link`);
    } catch (error) {
      if (isRoot) throw error;
      this.counts.unreadable++;
      return undefined;
    }
    entries.sort((a, b) => a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
    let level = over;
    if (this.#chain !== undefined) {
      let git = false;
      let own = false;
      for (const entry of entries) {
        if (entry.name === ".git") git = !entry.isSymlink;
        else if (entry.name === ".gitignore") own = entry.isFile;
      }
      if (git || own) level = this.#chain.enter(level, path, real, git, own);
    }
    return { path, real, entries, next: 0, level };
  }
}

/** Device and inode; where the system has no inodes, nothing is ever the same. */
function identity(info: Deno.FileInfo): string {
  return info.ino === null || info.ino === 0 ? crypto.randomUUID() : `${info.dev}:${info.ino}`;
}
