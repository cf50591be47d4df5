import { dirname } from "node:path";
import type { LuminaError } from "../base/mod.ts";
import { type FileSystem, fileSystem } from "./file_system.ts";
import type { JournalWarning } from "./journal.ts";
import { journalError } from "./journal_error.ts";
import type { WriteRequest } from "./write_request.ts";

/** Space that stays free for the end of what runs, bytes; on a small disk this share of it. */
export const DEFAULT_RESERVE = 200_000_000;
const RESERVE_SHARE = 0.05;
/** Commits and bytes between two looks at the disk. */
const LOOK_COMMITS = 64;
const LOOK_BYTES = 8 * 1024 * 1024;
/** A log of this size means that checkpoints do not get through. */
const LARGE_LOG = 256 * 1024 * 1024;

export interface DiskWatchOptions {
  path: string;
  reserve_bytes: number | undefined;
  warn: (warning: JournalWarning) => void;
  /** Size of the write-ahead log. */
  logSize: () => number;
  /** Only for tests. */
  look?: (path: string) => FileSystem | undefined;
}

/**
 * Keeps an eye on the disk of a journal: says when it lies on a network, when its log grows without bound, and which
 * writes have to wait for space. Looks now and then: a commit pays nothing for it.
 */
export class DiskWatch {
  readonly #options: DiskWatchOptions;
  #reserve: number;
  readonly #said = new Set<JournalWarning["code"]>();
  #commits = 0;
  #bytes = 0;
  /** Free bytes while there are too few of them. */
  #low: number | undefined;

  constructor(options: DiskWatchOptions) {
    this.#options = options;
    this.#reserve = options.reserve_bytes ?? DEFAULT_RESERVE;
    const { remote } = this.look() ?? {};
    if (remote !== undefined) this.#say("network_file_system", networkWarning(options.path, remote));
  }

  /** Counts a commit of about `bytes`. */
  committed(bytes: number): void {
    this.#bytes += bytes;
    if (++this.#commits >= LOOK_COMMITS || this.#bytes >= LOOK_BYTES) this.look();
  }

  /** Looks at the disk and the log. */
  look(): FileSystem | undefined {
    this.#commits = 0;
    this.#bytes = 0;
    const { path, look = fileSystem, logSize } = this.#options;
    const found = look(dirname(path));
    if (found !== undefined && this.#options.reserve_bytes === undefined) {
      this.#reserve = Math.min(DEFAULT_RESERVE, found.size * RESERVE_SHARE);
    }
    this.#low = found !== undefined && found.free < this.#reserve ? found.free : undefined;
    if (this.#low === undefined) this.#said.delete("low_space");
    else this.#say("low_space", this.#full(this.#low).message);
    const log = logSize();
    if (log > LARGE_LOG) {
      this.#say(
        "large_log",
        `The write-ahead log of the journal ${path} has ${
          megabytes(log)
        } MB: it cannot be moved into the file; end ` +
          `other programs that read it, and close the session once`,
      );
    }
    return found;
  }

  /** Why a write has to wait for space; undefined when it may be made. */
  refusal(request: WriteRequest): LuminaError | undefined {
    if (this.#low === undefined || mayUseReserve(request)) return undefined;
    this.look(); // space may have been made meanwhile
    return this.#low === undefined ? undefined : this.#full(this.#low);
  }

  get low(): boolean {
    return this.#low !== undefined;
  }

  #full(free: number): LuminaError {
    return journalError(
      "full",
      `Cannot write to the journal ${this.#options.path}: its disk has ${
        megabytes(free)
      } MB left, and the last ` +
        `${
          megabytes(this.#reserve)
        } MB are kept so that what runs can be ended; free some space and try again`,
      { details: { free, reserve: this.#reserve } },
    );
  }

  #say(code: JournalWarning["code"], message: string): void {
    if (this.#said.has(code)) return;
    this.#said.add(code);
    this.#options.warn({ code, message });
  }
}

/** What ends work, and what is small and not started by it. */
function mayUseReserve(request: WriteRequest): boolean {
  return request.kind === "offset" || (request.kind === "append" && request.closing === true);
}

function networkWarning(path: string, kind: string): string {
  return `The journal ${path} lies on a ${kind} file system, where locks and fsync may not hold: work can be lost or ` +
    `mixed with another machine's; move LUMINA_APP_ROOT to a disk of this machine`;
}

function megabytes(bytes: number): number {
  return bytes < 10_000_000 ? Math.floor(bytes / 100_000) / 10 : Math.floor(bytes / 1_000_000);
}
