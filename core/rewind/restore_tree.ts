import { dirname, join } from "node:path";
import { errorMessage, LuminaError } from "../base/mod.ts";
import { modeOf, UNFINISHED } from "./capture_tree.ts";
import type { PathChange } from "./diff_trees.ts";
import { rawNames } from "./raw_names.ts";
import type { SnapshotStore } from "./snapshot_store.ts";
import { RAW_NAMES } from "./tree.ts";
import type { TreeEntry } from "./tree.ts";

/** How a restore went. */
export interface Restored {
  /** Paths that are now as they were. */
  changed: string[];
  /** Folders that could not go because something stands in them that is not captured or is kept. */
  left: string[];
  failed: { path: string; message: string }[];
}

/** Rights that the owner needs to change what a folder holds. */
const OPEN = 0o700;

/**
 * Carries out changes in the workspace at `root` (absolute, links resolved): what `to` says is written, what it does not
 * have is removed. Each file comes whole or not at all (temporary file, fsync, rename), so that a second run finishes what
 * an interruption left. No link is followed: a folder that has become one stays as it is, with everything behind it.
 */
export class TreeRestore {
  readonly #root: string;
  readonly #store: SnapshotStore;
  readonly #uuid: () => string;
  readonly #result: Restored = { changed: [], left: [], failed: [] };
  /** Modes that folders get at the end, by relative path. */
  readonly #modes = new Map<string, number>();

  constructor(root: string, store: SnapshotStore, uuid: () => string) {
    this.#root = root;
    this.#store = store;
    this.#uuid = uuid;
  }

  /** Steps of a restore: between two of them others may run. */
  *run(changes: readonly PathChange[], unfinished: readonly string[]): Generator<void, Restored, void> {
    const open = changes.filter(({ to }) => to?.type !== "opaque");
    for (const path of unfinished) this.#attempt(path, () => this.#remove(path), false);
    for (const change of open.toReversed()) {
      if (this.#mustGo(change)) {
        this.#attempt(change.path, () => this.#take(change), change.to === undefined);
        yield;
      }
    }
    for (const change of open) {
      if (change.to === undefined) continue;
      this.#attempt(change.path, () => this.#put(change.path, change.from, change.to!), true);
      yield;
    }
    for (const [path, mode] of [...this.#modes].sort(([a], [b]) => a < b ? 1 : -1)) {
      this.#attempt(path, () => {
        if (Deno.lstatSync(this.#real(path)).isDirectory) Deno.chmodSync(this.#checked(path), mode);
        return true;
      }, false);
    }
    return this.#result;
  }

  /** One change, for which `body` says whether it was made; its failure does not keep the others from being made. */
  #attempt(path: string, body: () => boolean, count: boolean): void {
    const shown = path.replace(RAW_NAMES, "(names that are not UTF-8)");
    try {
      if (!body()) this.#result.left.push(shown);
      else if (count) this.#result.changed.push(shown);
    } catch (error) {
      this.#result.failed.push({ path: shown, message: errorMessage(error) });
    }
  }

  /** What is there must be taken away before the new state can come. */
  #mustGo({ from, to }: PathChange): boolean {
    if (from === undefined || from.type === "opaque") return false;
    if (to === undefined || from.type === "raw") return true;
    return (from.type === "dir") !== (to.type === "dir");
  }

  #take({ path, from }: PathChange): boolean {
    if (from?.type !== "raw") return this.#remove(path);
    this.#openFolder(dirname(path));
    const folder = dirname(this.#checked(path));
    rawNames.remove(folder, rawNames.list(folder));
    return true;
  }

  /** False when a folder is not empty. */
  #remove(path: string): boolean {
    this.#openFolder(dirname(path));
    const real = this.#checked(path);
    const info = lstat(real);
    if (info === undefined) return true;
    if (!info.isDirectory) Deno.removeSync(real);
    else {
      this.#openFolder(path);
      if (!Deno.readDirSync(real)[Symbol.iterator]().next().done) return false;
      Deno.removeSync(real);
      this.#modes.delete(path);
    }
    return true;
  }

  #put(path: string, from: TreeEntry | undefined, to: TreeEntry): boolean {
    if (path !== ".") this.#openFolder(dirname(path));
    const real = this.#checked(path);
    if (to.type === "raw") {
      rawNames.unpack(dirname(real), this.#store.read(to.hash));
      return true;
    }
    const there = lstat(real);
    if (to.type === "dir") {
      if (there === undefined) Deno.mkdirSync(real, { mode: OPEN });
      else if (!there.isDirectory) return false;
      this.#modes.set(path, to.mode);
      return true;
    }
    if (there?.isDirectory) return false;
    if (to.type === "link") {
      const temporary = this.#temporary(real);
      Deno.symlinkSync(to.target, temporary);
      rename(temporary, real);
    } else if (to.type === "file") {
      if (from?.type === "file" && from.hash === to.hash && there?.isFile) Deno.chmodSync(real, to.mode);
      else this.#write(real, this.#store.read(to.hash), to.mode);
    }
    return true;
  }

  #write(real: string, content: Uint8Array, mode: number): void {
    const temporary = this.#temporary(real);
    const file = Deno.openSync(temporary, { write: true, createNew: true, mode: 0o600 });
    try {
      for (let written = 0; written < content.length;) written += file.writeSync(content.subarray(written));
      file.syncSync();
    } finally {
      file.close();
    }
    if (Deno.build.os !== "windows") Deno.chmodSync(temporary, mode);
    rename(temporary, real);
  }

  /** Makes a folder one that its owner can change; it gets its mode back at the end. */
  #openFolder(path: string): void {
    const real = this.#checked(path);
    const info = lstat(real);
    if (info?.isDirectory !== true || (modeOf(info) & OPEN) === OPEN) return;
    if (!this.#modes.has(path)) this.#modes.set(path, modeOf(info));
    Deno.chmodSync(real, modeOf(info) | OPEN);
  }

  #temporary(real: string): string {
    return join(dirname(real), `${UNFINISHED}${this.#uuid()}.tmp`);
  }

  #real(path: string): string {
    return path === "." ? this.#root : join(this.#root, path);
  }

  /** The absolute path, after a look at whether the folder that holds it is still reached without a link. */
  #checked(path: string): string {
    const real = this.#real(path);
    const folder = path === "." ? real : dirname(real);
    if (lstat(folder)?.isDirectory !== true || Deno.realPathSync(folder) !== folder) {
      throw new LuminaError("rewind.moved", `${folder} is no longer a folder of the workspace`);
    }
    return real;
  }
}

function lstat(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.lstatSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return undefined;
    throw error;
  }
}

/** Removes the temporary file when its place cannot be taken. */
function rename(temporary: string, path: string): void {
  try {
    Deno.renameSync(temporary, path);
  } catch (error) {
    Deno.removeSync(temporary);
    throw error;
  }
}
