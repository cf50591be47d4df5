import { errorMessage, EXIT, type ExitCode, LuminaError, type Retry } from "../base/mod.ts";
import type { JsonObject } from "../types/mod.ts";

/**
 * Everything that can go wrong in a journal:
 * `journal.conflict` stale version or reused key, `journal.busy` another process owns the file, `journal.missing` no
 * such journal, `journal.corrupt` damage, `journal.newer_schema` written by a newer Lumina, `journal.full` no space,
 * `journal.io` the disk failed, `journal.failed` a write failed before (open it again), `journal.invalid` a wrong
 * argument, `journal.readonly` opened for reading only, `journal.closed` used after close.
 */
export type JournalCode =
  | "conflict"
  | "busy"
  | "missing"
  | "corrupt"
  | "newer_schema"
  | "full"
  | "io"
  | "failed"
  | "invalid"
  | "readonly"
  | "closed";

const EXITS: Partial<Record<JournalCode, ExitCode>> = {
  conflict: EXIT.conflict,
  busy: EXIT.conflict,
  missing: EXIT.not_found,
};

const RETRIES: Partial<Record<JournalCode, Retry>> = {
  conflict: "after_reload",
  busy: "backoff",
  full: "after_reload",
  failed: "after_reload",
};

/** A `LuminaError` with code `journal.<code>` and the exit code and retry class that belong to it. */
export function journalError(
  code: JournalCode,
  message: string,
  options: { details?: JsonObject; cause?: unknown } = {},
): LuminaError {
  return new LuminaError(`journal.${code}`, message, {
    ...options,
    retry: RETRIES[code] ?? "never",
    exit: EXITS[code] ?? EXIT.failed,
  });
}

/** SQLite's primary result codes (https://sqlite.org/rescode.html) that mean something of their own here. */
const SQLITE = { busy: 5, locked: 6, readonly: 8, corrupt: 11, full: 13, notadb: 26 } as const;

/** SQLite's fixed texts for them; some calls of some Deno versions give only the text. */
const SQLITE_TEXTS: Readonly<Record<string, number>> = {
  "database is locked": SQLITE.busy,
  "attempt to write a readonly database": SQLITE.readonly,
  "database disk image is malformed": SQLITE.corrupt,
  "database or disk is full": SQLITE.full,
  "file is not a database": SQLITE.notadb,
};

function resultCode(error: unknown, reason: string): number | undefined {
  const extended = (error as { errcode?: unknown } | null)?.errcode;
  return typeof extended === "number" ? extended & 0xff : SQLITE_TEXTS[reason];
}

/** What SQLite or the file system threw, as the journal error it means. `action` reads like "Cannot append to". */
export function fromSqlite(error: unknown, action: string, path: string): LuminaError {
  if (error instanceof LuminaError) return error;
  const reason = errorMessage(error);
  switch (resultCode(error, reason)) {
    case SQLITE.busy:
    case SQLITE.locked:
      return journalError(
        "busy",
        `${action} the journal ${path}: another process has it open; use that one or end it`,
        { cause: error },
      );
    case SQLITE.full:
      return journalError(
        "full",
        `${action} the journal ${path}: no space left, nothing was stored; free some space and start again`,
        { cause: error },
      );
    case SQLITE.corrupt:
    case SQLITE.notadb:
      return corruptError(path, reason, error);
    case SQLITE.readonly:
      return journalError(
        "io",
        `${action} the journal ${path}: it may not be written; check its permissions`,
        {
          cause: error,
        },
      );
    default:
      return journalError("io", `${action} the journal ${path}: ${reason}; check the disk and start again`, {
        cause: error,
      });
  }
}

/** `journal.corrupt` with what a person can do about it. */
export function corruptError(path: string, what: string, cause?: unknown): LuminaError {
  return journalError(
    "corrupt",
    `The journal ${path} is damaged (${what}); copy it and its -wal file aside, then restore a backup or open it ` +
      `read-only to save what is left`,
    cause === undefined ? {} : { cause },
  );
}

/** A `LuminaError` as data, for the way out of a worker. */
export interface WireError {
  code: string;
  message: string;
  retry: Retry;
  exit: ExitCode;
  details: JsonObject;
}

/** An error as data. What is no `LuminaError` becomes `journal.io`. */
export function toWireError(error: unknown): WireError {
  const known = error instanceof LuminaError
    ? error
    : journalError("io", `The journal failed: ${errorMessage(error)}; start again`);
  const { code, message, retry, exit, details } = known;
  return { code, message, retry, exit, details };
}

/** The `LuminaError` that `toWireError` was given. */
export function fromWireError({ code, message, ...options }: WireError): LuminaError {
  return new LuminaError(code, message, options);
}
