import { closeSync, constants, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { LuminaError } from "../base/mod.ts";
import { IgnoreChain } from "../files/mod.ts";
import type { IgnoreLevel } from "../files/mod.ts";
import { rawNames } from "./raw_names.ts";
import type { SnapshotStore } from "./snapshot_store.ts";
import { fileStat, isUnchanged } from "./stat_cache.ts";
import type { CachedFolder, FileStat, StatCache } from "./stat_cache.ts";
import { encodeTree, RAW_NAMES } from "./tree.ts";
import type { OpaqueReason, TreeEntry } from "./tree.ts";

/** An ignored file above this size is output, not something a person keeps there. */
const MAX_IGNORED_FILE = 1024 * 1024;
/** SQLite holds nothing larger in one value. */
const MAX_STORABLE = 900_000_000;

/** Beginning of the names that a restore gives to files it has not finished. */
export const UNFINISHED = ".lumina-rewind-";

export interface CaptureOptions {
  /** Absolute, links resolved. */
  root: string;
  store: SnapshotStore;
  cache: StatCache;
  max_file_bytes: number;
  /** Absolute folders that are left out: Lumina's own. */
  exclude: readonly string[];
  /** True for a relative path that an earlier snapshot holds: it is captured although it is ignored or large now. */
  known?: (path: string) => boolean;
  /** Files and folders that their owner has closed are opened for the moment of reading. */
  open_closed?: boolean;
  /** Wall clock, milliseconds. */
  now: () => number;
}

/** Steps of a capture: between two of them others may run. */
export type CaptureSteps<T> = Generator<void, T, void>;

type Found = Pick<Deno.DirEntry, "name" | "isFile" | "isDirectory" | "isSymlink">;

/** Where an entry is: relative and absolute, with the ignore rules over it and what it was. */
interface Place {
  path: string;
  real: string;
  level: IgnoreLevel | undefined;
  old: TreeEntry | undefined;
}

/**
 * Looks at a workspace and puts what is new into the store. Left out are `.git` wherever it stands, ignored directories,
 * large files, and everything that is no file, link or directory; what is left out is named in `skipped`. Never follows a
 * link.
 */
export class TreeCapture {
  readonly skipped: string[] = [];
  /** What was captured, whether it is new or not. */
  files = 0;
  bytes = 0;
  /** Files of a restore that did not finish. */
  readonly unfinished: string[] = [];
  /** Folders that were visited. */
  readonly seen = new Set<string>();
  readonly #options: CaptureOptions;
  readonly #chain: IgnoreChain;

  constructor(options: CaptureOptions) {
    this.#options = options;
    this.#chain = new IgnoreChain([options.root]);
  }

  /** Captures everything; gives the snapshot. */
  *all(): CaptureSteps<string> {
    const { root, cache } = this.#options;
    const info = Deno.lstatSync(root);
    if (!info.isDirectory) throw new LuminaError("rewind.no_workspace", `${root} is not a folder`);
    const { hash } = yield* this.#folder("", this.#chain.above(root));
    cache.keep(this.seen);
    return this.#snapshot(info, hash);
  }

  /**
   * Looks again at these paths (relative) and takes the rest as it was captured last; undefined when it never was.
   */
  *paths(paths: Iterable<string>): CaptureSteps<string | undefined> {
    const { root, cache } = this.#options;
    if (cache.get("") === undefined) return undefined;
    const info = Deno.lstatSync(root);
    for (const path of paths) yield* this.#again("", path.split("/"), this.#chain.above(root));
    return this.#snapshot(info, cache.get("")!.hash);
  }

  /** Only counts what there is to capture, without reading any file. */
  *measure(path = "", over = this.#chain.above(this.#options.root)): CaptureSteps<void> {
    const { root, exclude } = this.#options;
    const real = path === "" ? root : join(root, path);
    let found: Deno.DirEntry[];
    try {
      found = [...Deno.readDirSync(real)];
    } catch {
      return; // gone or closed: the capture itself says so
    }
    const level = this.#level(over, real, found);
    for (const { name, isFile, isDirectory } of found) {
      const full = `${real}/${name}`;
      if (isFile) {
        const size = sizeOf(full);
        if (!this.#tooLarge(below(path, name), full, name, size, level)) this.#count(size);
      } else if (isDirectory && name !== ".git" && !exclude.includes(full)) {
        if (!IgnoreChain.ignores(level, full, name, true)) yield* this.measure(below(path, name), level);
      }
    }
    yield;
  }

  #count(bytes: number): void {
    this.files++;
    this.bytes += bytes;
  }

  #snapshot(info: Deno.FileInfo, hash: string): string {
    const entry = { type: "dir", mode: modeOf(info), hash } as const;
    return this.#options.store.put(encodeTree(new Map([[".", entry]])));
  }

  *#folder(path: string, over: IgnoreLevel | undefined): CaptureSteps<CachedFolder> {
    const { root, cache } = this.#options;
    const real = path === "" ? root : join(root, path);
    const found = [...Deno.readDirSync(real)];
    const level = this.#level(over, real, found);
    const before = cache.get(path);
    this.seen.add(path);
    const entries = new Map<string, TreeEntry>();
    const stats = new Map<string, FileStat>();
    const [start, real_start] = [path === "" ? "" : `${path}/`, `${real}/`];
    let same = true;
    let raw = false;
    for (const each of found) {
      const { name } = each;
      if (name === ".git") continue;
      if (name.startsWith(UNFINISHED)) {
        this.unfinished.push(start + name);
        continue;
      }
      const old = before?.entries.get(name);
      const stat = before?.stats.get(name);
      if (
        each.isFile && old?.type === "file" && stat !== undefined &&
        this.#isSame(real_start + name, old, stat)
      ) {
        entries.set(name, old);
        stats.set(name, stat);
        continue;
      }
      const at = { path: start + name, real: real_start + name, level, old };
      const entry = each.isDirectory ? yield* this.#directory(at, name) : this.#leaf(at, each, stats);
      if (entry === "raw") raw = true;
      else if (entry !== undefined) {
        entries.set(name, entry);
        same &&= entry === old;
      }
    }
    if (raw) {
      entries.set(RAW_NAMES, this.#raw(path, real));
      same = false;
    }
    yield;
    if (same && before !== undefined && before.entries.size === entries.size) {
      let settled = true; // a file that has settled since is worth writing down
      for (const [name, stat] of stats) settled &&= before.stats.get(name) === stat;
      if (!settled) cache.set(path, { ...before, stats });
      return before;
    }
    const folder = { hash: this.#options.store.put(encodeTree(entries)), entries, stats };
    cache.set(path, folder);
    return folder;
  }

  /**
   * The entry of a directory; the old one itself when nothing has changed. Undefined when it has gone meanwhile, `raw` when
   * its name is not UTF-8.
   */
  *#directory(at: Place, name: string): CaptureSteps<TreeEntry | "raw" | undefined> {
    const { path, real, level, old } = at;
    const { exclude, known } = this.#options;
    try {
      if (exclude.includes(real)) return opaque("own", old);
      if (IgnoreChain.ignores(level, real, name, true) && known?.(path) !== true) {
        return opaque("ignored", old);
      }
      const info = Deno.lstatSync(real);
      if (!info.isDirectory) return undefined; // replaced while we looked: it is changing, the next capture sees it
      const mode = modeOf(info);
      const closed = this.#open(real, mode, 0o500);
      let hash: string;
      try {
        ({ hash } = yield* this.#folder(path, level));
      } finally {
        if (closed) Deno.chmodSync(real, mode);
      }
      return old?.type === "dir" && old.hash === hash && old.mode === mode
        ? old
        : { type: "dir", mode, hash };
    } catch (error) {
      return this.#unreachable(at, error);
    }
  }

  /** The same for anything else. */
  #leaf(
    at: Place,
    { name, isFile, isSymlink }: Found,
    stats: Map<string, FileStat>,
  ): TreeEntry | "raw" | undefined {
    const { path, real, level, old } = at;
    try {
      if (isSymlink) {
        const target = Deno.readLinkSync(real);
        return old?.type === "link" && old.target === target ? old : { type: "link", target };
      }
      if (!isFile) return this.#skip(path, "special", old);
      const info = Deno.lstatSync(real);
      const mode = modeOf(info);
      if (this.#tooLarge(path, real, name, info.size, level)) return this.#skip(path, "large", old);
      this.#count(info.size);
      const closed = this.#open(real, mode, 0o400);
      try {
        return this.#file(real, name, info.size, mode, old, stats);
      } finally {
        if (closed) Deno.chmodSync(real, mode);
      }
    } catch (error) {
      if (error instanceof Deno.errors.InvalidData) return "raw"; // a link to a name that is not UTF-8
      return this.#unreachable(at, error);
    }
  }

  /** True when the file is surely as it was captured. What cannot be looked at is told by the closer look. */
  #isSame(real: string, old: TreeEntry & { type: "file" }, stat: FileStat): boolean {
    try {
      const info = Deno.lstatSync(real);
      if (old.mode !== modeOf(info) || !isUnchanged(stat, info)) return false;
    } catch {
      return false;
    }
    this.#count(stat.size);
    return true;
  }

  #unreachable({ path, old }: Place, error: unknown): TreeEntry | "raw" | undefined {
    // the runtime gives a name that is not UTF-8 with this sign in it, and then does not find it
    if (error instanceof Deno.errors.NotFound) return /\ufffd[^/]*$/.test(path) ? "raw" : undefined;
    if (isDenied(error)) return this.#skip(path, "unreadable", old);
    throw error;
  }

  /** Opens what its owner has closed, where that is asked for; true when it must be closed again. */
  #open(real: string, mode: number, needed: number): boolean {
    if (this.#options.open_closed !== true || (mode & needed) === needed) return false;
    Deno.chmodSync(real, mode | needed);
    return true;
  }

  #tooLarge(path: string, real: string, name: string, size: number, level: IgnoreLevel | undefined): boolean {
    const { max_file_bytes, known } = this.#options;
    const limit = size > MAX_IGNORED_FILE && IgnoreChain.ignores(level, real, name, false)
      ? Math.min(MAX_IGNORED_FILE, max_file_bytes)
      : max_file_bytes;
    return size > limit && (size > MAX_STORABLE || known?.(path) !== true);
  }

  /** Reads a file that has changed, or may have. */
  #file(
    real: string,
    name: string,
    size: number,
    mode: number,
    old: TreeEntry | undefined,
    stats: Map<string, FileStat>,
  ): TreeEntry {
    const now = this.#options.now();
    // no link is followed and no pipe waited for, whatever takes the file's place right now
    const fd = openSync(
      real,
      constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
    );
    let content: Uint8Array<ArrayBuffer>;
    let info: Deno.FileInfo;
    try {
      content = readAll(fd, size);
      info = Deno.lstatSync(real);
      if (!info.isFile) throw new Deno.errors.NotFound(`${real} was replaced`);
    } finally {
      closeSync(fd);
    }
    const hash = this.#options.store.put(content);
    const stat = fileStat(info, now);
    // what was written while it was read shows in a time after `now`, and so it has not settled
    stats.set(name, info.size === content.length ? stat : { ...stat, settled: false });
    return old?.type === "file" && old.hash === hash && old.mode === mode
      ? old
      : { type: "file", mode, hash };
  }

  #raw(path: string, real: string): TreeEntry {
    try {
      const names = rawNames.list(real);
      return { type: "raw", hash: this.#options.store.put(rawNames.pack(real, names)) };
    } catch (error) {
      if (!(error instanceof LuminaError) || error.code !== "rewind.raw_names") throw error;
      return this.#skip(below(path, "(names that are not UTF-8)"), "special", undefined);
    }
  }

  #skip(path: string, why: OpaqueReason, old: TreeEntry | undefined): TreeEntry {
    this.skipped.push(path);
    return opaque(why, old);
  }

  #level(
    over: IgnoreLevel | undefined,
    real: string,
    found: readonly Deno.DirEntry[],
  ): IgnoreLevel | undefined {
    let git = false;
    let own = false;
    for (const { name, isSymlink, isFile } of found) {
      if (name === ".git") git = !isSymlink;
      else if (name === ".gitignore") own = isFile;
    }
    return git || own ? this.#chain.enter(over, real, real, git, own) : over;
  }

  /** Looks again at one path below a captured folder, and renews the folders on the way. */
  *#again(path: string, parts: readonly string[], over: IgnoreLevel | undefined): CaptureSteps<void> {
    const { root, cache } = this.#options;
    const [name, ...rest] = parts;
    const before = cache.get(path);
    if (name === undefined || name === ".git" || before === undefined) return;
    const real = join(root, path);
    const level = this.#level(over, real, rulesOf(real));
    const full = below(path, name);
    const found = nameAt(join(root, full), name);
    const entries = new Map(before.entries);
    const stats = new Map(before.stats);
    stats.delete(name);
    const old = before.entries.get(name);
    let entry: TreeEntry | "raw" | undefined;
    if (found?.isDirectory && rest.length > 0 && old?.type === "dir" && cache.get(full) !== undefined) {
      yield* this.#again(full, rest, level);
      entry = { ...old, hash: cache.get(full)!.hash };
    } else if (found !== undefined) {
      const at = { path: full, real: join(real, name), level, old };
      entry = found.isDirectory ? yield* this.#directory(at, name) : this.#leaf(at, found, stats);
    }
    if (entry === undefined || entry === "raw") entries.delete(name);
    else entries.set(name, entry);
    cache.set(path, { hash: this.#options.store.put(encodeTree(entries)), entries, stats });
    yield;
  }
}

/** A path below a folder, both relative to the root. */
export function below(path: string, name: string): string {
  return path === "" ? name : `${path}/${name}`;
}

function opaque(why: OpaqueReason, old: TreeEntry | undefined): TreeEntry {
  return old?.type === "opaque" && old.why === why ? old : { type: "opaque", why };
}

/** Permission bits with setuid, setgid and sticky; Windows has none. */
export function modeOf(info: Deno.FileInfo): number {
  return info.mode === null ? (info.isDirectory ? 0o755 : 0o644) : info.mode & 0o7777;
}

function sizeOf(path: string): number {
  try {
    return Deno.lstatSync(path).size;
  } catch {
    return 0; // gone or closed
  }
}

function isDenied(error: unknown): boolean {
  if (error instanceof Deno.errors.PermissionDenied || error instanceof Deno.errors.FilesystemLoop) {
    return true;
  }
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "EACCES" || code === "EPERM" || code === "EIO" || code === "ENXIO" ||
    code === "ENAMETOOLONG";
}

function readAll(fd: number, size: number): Uint8Array<ArrayBuffer> {
  const content = new Uint8Array(size);
  let length = 0;
  while (length < size) {
    const read = readSync(fd, content, length, size - length, length);
    if (read === 0) break;
    length += read;
  }
  return length === size ? content : content.slice(0, length);
}

function nameAt(real: string, name: string): Deno.DirEntry | undefined {
  try {
    const { isFile, isDirectory, isSymlink } = Deno.lstatSync(real);
    return { name, isFile, isDirectory, isSymlink };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return undefined;
    throw error;
  }
}

/** The ignore files that may stand in a folder. */
function rulesOf(real: string): Deno.DirEntry[] {
  return [".git", ".gitignore"].flatMap((name) => nameAt(join(real, name), name) ?? []);
}
