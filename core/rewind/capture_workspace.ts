import { errorMessage, LuminaError } from "../base/mod.ts";
import type { World } from "../base/mod.ts";
import { TreeCapture } from "./capture_tree.ts";
import type { CaptureSteps } from "./capture_tree.ts";
import { entryAt } from "./diff_trees.ts";
import type { SnapshotStore } from "./snapshot_store.ts";
import { StatCache } from "./stat_cache.ts";

/** Names of skipped paths that are kept. */
const MAX_SKIPPED = 100;
/** Longest stretch without letting others run, milliseconds. */
const SLICE_MS = 10;
/** Content in memory before it is written. */
const MAX_PENDING = 16 * 1024 * 1024;
/** A folder with more files than this is a disk, not a project. */
const MAX_FILES = 300_000;
/** How long another process may be writing to the store, milliseconds. */
const PATIENCE_MS = 10_000;
/** A cleanup took away what a capture builds on, while it was going on. */
const COLLECTED: ReadonlySet<string> = new Set(["rewind.collected", "rewind.missing"]);

export interface WorkspaceOptions {
  /** The workspace, absolute with all links resolved. */
  root: string;
  session_id: string;
  /** Absolute folders inside it that are Lumina's own. */
  exclude: readonly string[];
  limits: CaptureLimits;
  world: World;
}

export interface CaptureLimits {
  /** Larger files are skipped and named. */
  max_file_bytes: number;
  /** A workspace that has more than this is not captured; infinite: it is, whatever it has. */
  max_store_bytes: number;
}

export interface CaptureRequest {
  /** Only these (relative) are looked at, and the rest is taken from the last capture. */
  paths?: Iterable<string>;
  /** Snapshots; what one of them holds is captured although it is ignored or large now. */
  known?: readonly string[];
  /** Files and folders that their owner has closed are opened for the moment of reading. */
  open_closed?: boolean;
  signal?: AbortSignal;
}

/** The workspace as it was at one moment. */
export interface Captured {
  snapshot: string;
  /** Paths that were left out, but not the ignored folders; at most 100. */
  skipped: string[];
}

/** Captures one workspace into its store, again and again: each time only what has changed is read. */
export class Workspace {
  readonly store: SnapshotStore;
  readonly #options: WorkspaceOptions;
  limits: CaptureLimits;
  #cache: StatCache | undefined;
  /** Files of a restore that did not finish, as the last whole capture met them. */
  unfinished: readonly string[] = [];

  constructor(store: SnapshotStore, options: WorkspaceOptions) {
    this.store = store;
    this.#options = options;
    this.limits = options.limits;
  }

  /**
   * The workspace as it is now. A capture that fails or is aborted leaves no snapshot. Throws the signal's reason,
   * `rewind.too_large`, `rewind.unreadable`, `rewind.busy` or `rewind.store`.
   */
  async capture(options: CaptureRequest): Promise<Captured> {
    for (let attempt = 0;; attempt++) {
      try {
        return await this.#once(options);
      } catch (error) {
        this.store.drop();
        this.#cache = undefined;
        const collected = error instanceof LuminaError && COLLECTED.has(error.code);
        if (collected && attempt < 3) continue;
        options.signal?.throwIfAborted();
        throw error instanceof LuminaError ? error : new LuminaError(
          "rewind.unreadable",
          `Cannot capture ${this.#options.root}: ${errorMessage(error)}`,
          { cause: error },
        );
      }
    }
  }

  async #once({ paths, known = [], open_closed = false, signal }: CaptureRequest): Promise<Captured> {
    const { root, session_id, exclude, world } = this.#options;
    const { store } = this;
    if (this.#cache?.generation !== store.generation) this.#cache = new StatCache(store);
    const cache = this.#cache;
    const kept = known.filter((snapshot) => store.has(snapshot)); // a cleanup may have taken it
    const whole = () =>
      new TreeCapture({
        root,
        store,
        cache,
        max_file_bytes: this.limits.max_file_bytes,
        exclude,
        open_closed,
        known: (path) => kept.some((snapshot) => isCaptured(store, snapshot, path)),
        now: world.now,
      });
    let tree = whole();
    let snapshot = paths === undefined ? undefined : await this.#run(tree, tree.paths(paths), cache, signal);
    if (snapshot === undefined) {
      // the first time every file is read: not before it is known that they may be kept
      if (cache.get("") === undefined) {
        const first = whole();
        await this.#run(first, first.measure(), cache, signal);
      }
      tree = whole();
      snapshot = await this.#run(tree, tree.all(), cache, signal);
      this.unfinished = tree.unfinished;
    }
    if (store.pending_bytes > 0 || cache.changed.size > 0 || !store.knows(session_id, snapshot)) {
      await this.#write(cache, signal, { session_id, hash: snapshot, ts: world.now() });
    }
    return { snapshot, skipped: tree.skipped.slice(0, MAX_SKIPPED) };
  }

  /** Runs a capture in slices, and writes what it has read before it grows too much. */
  async #run<T>(
    tree: TreeCapture,
    steps: CaptureSteps<T>,
    cache: StatCache,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    const { world, root } = this.#options;
    const { max_store_bytes } = this.limits;
    try {
      return await runSteps(steps, world, signal, async () => {
        const crowded = tree.files > MAX_FILES && max_store_bytes < Infinity;
        if (tree.bytes > max_store_bytes || crowded) {
          const what = crowded
            ? `${MAX_FILES} files that a workspace may have`
            : `${max_store_bytes} bytes that may be kept of it (rewind_max_store_bytes)`;
          throw new LuminaError("rewind.too_large", `${root} has more than the ${what}`);
        }
        if (this.store.pending_bytes > MAX_PENDING) await this.#write(cache, signal);
      });
    } finally {
      steps.return(undefined as never); // closes again what it has opened
    }
  }

  async #write(
    cache: StatCache,
    signal: AbortSignal | undefined,
    snapshot?: { session_id: string; hash: string; ts: number },
  ): Promise<void> {
    const { world } = this.#options;
    await untilWritten(world, signal, () =>
      this.store.write({
        // the cache names trees, which must not be missing: it goes with the last of them
        folders: snapshot === undefined ? new Map() : cache.changed,
        ...(snapshot === undefined ? {} : { snapshot }),
      }, cache.generation));
    if (snapshot !== undefined) cache.written();
  }
}

/** Runs steps in slices that let others run; `between` is called after each slice. Throws the signal's reason. */
export async function runSteps<T>(
  steps: CaptureSteps<T>,
  world: World,
  signal: AbortSignal | undefined,
  between?: () => Promise<void>,
): Promise<T> {
  signal?.throwIfAborted();
  let pause = world.mono() + SLICE_MS;
  for (;;) {
    const step = steps.next();
    if (!step.done && world.mono() < pause) continue;
    await between?.();
    if (step.done) return step.value;
    await new Promise<void>((resolve) => setImmediate(resolve));
    signal?.throwIfAborted();
    pause = world.mono() + SLICE_MS;
  }
}

/** Tries until the store lets us write. Throws `rewind.busy` when another process writes for too long. */
export async function untilWritten(
  world: World,
  signal: AbortSignal | undefined,
  write: () => boolean,
): Promise<void> {
  const deadline = world.mono() + PATIENCE_MS;
  while (!write()) {
    if (world.mono() > deadline) {
      throw new LuminaError(
        "rewind.busy",
        "Another Lumina is writing to this project's snapshots: try again",
        {
          retry: "backoff",
          exit: 5,
        },
      );
    }
    await world.sleep(10 + world.random() * 40, signal);
  }
}

function isCaptured(store: SnapshotStore, snapshot: string, path: string): boolean {
  const type = entryAt(store, snapshot, path)?.type;
  return type !== undefined && type !== "opaque";
}
