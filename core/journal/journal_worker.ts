import { dirname } from "node:path";
import { errorMessage, type World } from "../base/mod.ts";
import type { Journal, JournalWarning, OpenOptions } from "./journal.ts";
import { fromWireError, journalError } from "./journal_error.ts";
import { type OwnerPlace, ownNote, withOwner } from "./owner_note.ts";
import { packBatch, unpackOutcomes } from "./packed_batch.ts";
import { StoreJournal } from "./store_journal.ts";
import type { StorePort } from "./store_port.ts";
import type { FromWorker, ToWorker } from "./worker_message.ts";

export interface JournalWorkerOptions {
  world: World;
  /** Where `core/journal/worker.ts` (or its built `.js`) is. */
  worker_url: URL;
  /** The directory that the worker may read and write. */
  data_dir: string;
  /** Further ones: those of `owner` and `backup_dir` of the journals that it opens. */
  other_dirs?: readonly string[];
  /** Told what a person should know of a journal. */
  warn?: (warning: JournalWarning) => void;
}

/** A file that is open or being opened. */
interface OpenFile {
  path: string;
  owner: OwnerPlace | undefined;
}

interface Pending {
  file: number;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

type WithoutId<T> = T extends { id: number } ? Omit<T, "id"> : never;

/**
 * The journals of one process, in a worker whose Deno permissions are reading and writing the data directory, and asking
 * how full its disk is.
 * Starting and opening go on beside whatever the caller does next: the first calls wait for them.
 */
export class JournalWorker {
  readonly #world: World;
  readonly #worker: Worker;
  readonly #pending = new Map<number, Pending>();
  readonly #open = new Set<Journal>();
  readonly #files = new Map<number, OpenFile>();
  readonly #warn: (warning: JournalWarning) => void;
  #last_id = 0;
  #last_file = 0;
  /** Set when the worker is gone; every call gets it. */
  #gone: Error | undefined;

  constructor({ world, worker_url, data_dir, other_dirs = [], warn = () => {} }: JournalWorkerOptions) {
    this.#world = world;
    this.#warn = warn;
    const directories = [data_dir, ...other_dirs];
    this.#worker = new Worker(worker_url, {
      type: "module",
      name: "journal",
      // All eight keys, always: what an omitted key means has changed between Deno versions.
      deno: {
        permissions: {
          read: directories,
          write: directories,
          net: [],
          env: [],
          run: [],
          sys: ["statfs"],
          ffi: [],
          import: [],
        },
      },
    });
    this.#worker.onmessage = ({ data }: MessageEvent<FromWorker>) => this.#answer(data);
    this.#worker.onmessageerror = () => this.#end("an answer could not be read");
    this.#worker.onerror = (event) => {
      event.preventDefault();
      this.#end(errorMessage(event.message));
    };
  }

  /**
   * Opens a journal in the data directory. What opening throws (see `openJournal`) is the answer of every call on the
   * journal, the first one included.
   */
  open(path: string, options: OpenOptions = {}): Journal {
    const file = ++this.#last_file;
    this.#files.set(file, { path, owner: options.owner });
    const owned = options.owner !== undefined && !options.readonly;
    const told = owned ? { ...options, note: ownNote(this.#world) } : options;
    const opening = this.#send({ file, op: "open", path, options: told });
    let opened = true;
    opening.catch(() => opened = false); // told by every call, which all wait behind the opening
    const store: StorePort = {
      call: (method, ...args) => this.#send({ file, op: "call", method, args }) as Promise<never>,
      write: async (batch) =>
        unpackOutcomes(await this.#send({ file, op: "write", batch: packBatch(batch) }) as string),
      close: async () => {
        this.#open.delete(journal);
        await opening.catch(() => {}); // what was never opened has nothing to close
        if (opened && this.#gone === undefined) await this.#send({ file, op: "close" });
        this.#files.delete(file);
      },
    };
    const journal: Journal = new StoreJournal(store, this.#world);
    this.#open.add(journal);
    return journal;
  }

  /** Closes every journal and ends the worker. Rejects with the first error of closing, after ending. */
  async close(): Promise<void> {
    const results = await Promise.allSettled([...this.#open].map((journal) => journal.close()));
    this.#end("it is closed");
    for (const result of results) if (result.status === "rejected") throw result.reason;
  }

  #send(message: WithoutId<ToWorker>): Promise<unknown> {
    if (this.#gone !== undefined) return Promise.reject(this.#gone);
    const id = ++this.#last_id;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { file: message.file, resolve, reject });
      this.#worker.postMessage({ ...message, id });
    });
  }

  #answer(answer: FromWorker): void {
    if ("warning" in answer) return this.#warn(answer.warning);
    const pending = this.#pending.get(answer.id);
    this.#pending.delete(answer.id);
    if (pending === undefined) return;
    if (answer.ok) return pending.resolve(answer.value);
    const file = this.#files.get(pending.file);
    const error = fromWireError(answer.error);
    pending.reject(file === undefined ? error : withOwner(error, file.path, file.owner));
  }

  /** Ends the worker and rejects whatever still waits: it may or may not be stored. */
  #end(reason: string): void {
    if (this.#gone !== undefined) return;
    this.#gone = journalError("failed", `The journal worker has ended: ${reason}; start again`);
    this.#worker.terminate();
    for (const { reject } of this.#pending.values()) reject(this.#gone);
    this.#pending.clear();
  }
}

/**
 * Opens one journal in a worker of its own and returns at once; closing the journal ends the worker. `data_dir` is
 * the folder of the file unless given.
 */
export function openJournalWorker(
  path: string,
  options: OpenOptions & Omit<JournalWorkerOptions, "data_dir" | "other_dirs"> & { data_dir?: string },
): Journal {
  const { world, worker_url, data_dir = dirname(path), warn, ...rest } = options;
  const other_dirs = [rest.owner?.dir, rest.backup_dir].filter((dir) => dir !== undefined);
  const worker = new JournalWorker({
    world,
    worker_url,
    data_dir,
    other_dirs,
    ...(warn === undefined ? {} : { warn }),
  });
  const journal = worker.open(path, rest);
  const close = journal.close.bind(journal);
  journal.close = () => close().finally(() => worker.close());
  return journal;
}
