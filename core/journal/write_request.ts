import { canonicalJson, errorMessage } from "../base/mod.ts";
import type { NewEvent } from "../types/mod.ts";
import type { AppendOptions, AppendResult, Checkpoint } from "./journal.ts";
import { journalError, type WireError } from "./journal_error.ts";

/** An event whose payload is already canonical JSON. */
export interface EncodedEvent {
  type: string;
  version: number;
  payload: string;
  run_id?: string | undefined;
  step_id?: string | undefined;
  causation_id?: string | undefined;
}

export interface AppendRequest {
  kind: "append";
  stream_id: string;
  expected: number | "any";
  events: EncodedEvent[];
  ts: number;
  key?: string | undefined;
  request_hash?: string | undefined;
  /** Canonical JSON. */
  result?: string | undefined;
}

/** One write as it waits for its transaction; plain data, so that it can go to a worker. */
export type WriteRequest =
  | AppendRequest
  | { kind: "blob"; bytes: Uint8Array }
  | { kind: "checkpoint"; name: string; stream_id: string; seq: number; state: string };

/** `AppendResult` with its result as JSON text. */
export type AppendReply = Omit<AppendResult, "result"> & { result?: string };

/** What became of one write: the reply of an append, the hash of a blob, null for a checkpoint. */
export type WriteOutcome =
  | { ok: true; value: AppendReply | string | null }
  | { ok: false; error: WireError };

/** Nothing longer is taken as one payload or blob, bytes; SQLite stops at 1 GB. */
export const MAX_BYTES = 256 * 1024 * 1024;

// deno-lint-ignore no-control-regex -- control characters are what it looks for
const CONTROL = /[\u0000-\u001f\u007f]/;

/** Checks an append and freezes its payloads as canonical JSON. Throws `journal.invalid`. */
export function encodeAppend(
  stream_id: string,
  expected: number | "any",
  events: readonly NewEvent[],
  options: AppendOptions,
  ts: number,
): AppendRequest {
  checkName("stream id", stream_id);
  if (expected !== "any" && !(Number.isSafeInteger(expected) && expected >= 0)) {
    throw journalError("invalid", `Cannot append to "${stream_id}": ${expected} is no stream version`);
  }
  if (options.key !== undefined) checkName("key", options.key);
  if (events.length === 0 && options.key === undefined) {
    throw journalError("invalid", `Cannot append to "${stream_id}": there are no events and no key`);
  }
  return {
    kind: "append",
    stream_id,
    expected,
    events: events.map(encodeEvent),
    ts: Math.trunc(ts),
    key: options.key,
    request_hash: options.request_hash,
    result: options.result === undefined ? undefined : toJson("result", options.result),
  };
}

/** Checks a checkpoint and freezes its state. Throws `journal.invalid`. */
export function encodeCheckpoint({ name, stream_id, seq, state }: Checkpoint): WriteRequest {
  checkName("checkpoint name", name);
  checkName("stream id", stream_id);
  return { kind: "checkpoint", name, stream_id, seq, state: toJson(`checkpoint "${name}"`, state) };
}

function encodeEvent({ type, version, payload, run_id, step_id, causation_id }: NewEvent): EncodedEvent {
  checkName("event type", type);
  if (!Number.isSafeInteger(version) || version < 1) {
    throw journalError("invalid", `Cannot append "${type}": ${version} is no event version`);
  }
  return { type, version, payload: toJson(`payload of "${type}"`, payload), run_id, step_id, causation_id };
}

function checkName(what: string, value: unknown): asserts value is string {
  if (typeof value !== "string" || value === "" || value.length > 1024 || CONTROL.test(value)) {
    throw journalError(
      "invalid",
      `Cannot use ${
        JSON.stringify(value)
      } as ${what}: it must be 1 to 1024 characters without control characters`,
    );
  }
}

function toJson(what: string, value: unknown): string {
  let text: string;
  try {
    text = canonicalJson(value);
  } catch (error) {
    throw journalError("invalid", `Cannot store the ${what}: ${errorMessage(error)}`, { cause: error });
  }
  // A UTF-16 unit is at most three bytes of UTF-8.
  if (text.length * 3 > MAX_BYTES) throw tooLarge(what);
  return text;
}

/** `journal.invalid` for something over `MAX_BYTES`. */
export function tooLarge(what: string): Error {
  return journalError("invalid", `Cannot store the ${what}: it is larger than ${MAX_BYTES} bytes`);
}
