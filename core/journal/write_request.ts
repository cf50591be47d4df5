import { canonicalJson, errorMessage } from "../base/mod.ts";
import type { NewEvent } from "../types/mod.ts";
import type { AppendOptions, AppendResult, Checkpoint, Redaction, StoredProjection } from "./journal.ts";
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
  /** May use the space that is kept free for the end of what runs. */
  closing?: true | undefined;
}

export interface RedactRequest {
  kind: "redact";
  seqs: number[];
  reason: string;
  by: string;
  ts: number;
}

export interface ProjectionRequest {
  kind: "projection";
  name: string;
  version: number;
  seq: number;
  /** Canonical JSON. */
  state: string;
}

export interface OffsetRequest {
  kind: "offset";
  consumer: string;
  seq: number;
  reset: boolean;
}

/** One write as it waits for its transaction; plain data, so that it can go to a worker. */
export type WriteRequest =
  | AppendRequest
  | { kind: "blob"; bytes: Uint8Array }
  | { kind: "checkpoint"; name: string; stream_id: string; seq: number; state: string }
  | ProjectionRequest
  | OffsetRequest
  | RedactRequest;

/** `AppendResult` with its result as JSON text. */
export type AppendReply = Omit<AppendResult, "result"> & { result?: string };

/** What a redaction did; without `seq` there was nothing left to redact. */
export interface RedactReply {
  redacted: number[];
  seq?: number;
}

/** What became of one write: the reply of an append or a redaction, the hash of a blob, null for the rest. */
export type WriteOutcome =
  | { ok: true; value: AppendReply | RedactReply | string | null }
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
    closing: options.reserve === "use" ? true : undefined,
  };
}

/** Checks a redaction. Throws `journal.invalid`. */
export function encodeRedaction({ seqs, reason, by }: Redaction, ts: number): RedactRequest {
  if (seqs.length === 0 || !seqs.every((seq) => Number.isSafeInteger(seq) && seq >= 1)) {
    throw journalError("invalid", "Cannot redact: name the events by their numbers, from 1");
  }
  for (const [what, text] of [["reason", reason], ["by", by]] as const) {
    if (text.trim() === "") throw journalError("invalid", `Cannot redact: "${what}" is empty`);
  }
  return { kind: "redact", seqs: [...new Set(seqs)].sort((a, b) => a - b), reason, by, ts: Math.trunc(ts) };
}

/** Checks a projection and freezes its state. Throws `journal.invalid`. */
export function encodeProjection({ name, version, seq, state }: StoredProjection): ProjectionRequest {
  checkName("projection name", name);
  if (!Number.isSafeInteger(version) || version < 1) {
    throw journalError("invalid", `Cannot store the projection "${name}": ${version} is no version`);
  }
  return { kind: "projection", name, version, seq, state: toJson(`projection "${name}"`, state) };
}

/** Checks a consumer's offset. Throws `journal.invalid`. */
export function encodeOffset(consumer: string, seq: number, reset: boolean): OffsetRequest {
  checkName("consumer name", consumer);
  if (!Number.isSafeInteger(seq) || seq < 0) {
    throw journalError("invalid", `Cannot set the offset of "${consumer}": ${seq} is no position`);
  }
  return { kind: "offset", consumer, seq, reset };
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

/** About how much a write stores, in UTF-16 units or bytes. */
export function requestSize(request: WriteRequest): number {
  switch (request.kind) {
    case "append":
      return request.events.reduce((sum, event) => sum + event.payload.length, request.result?.length ?? 0);
    case "blob":
      return request.bytes.length;
    case "checkpoint":
    case "projection":
      return request.state.length;
    default:
      return 0;
  }
}
