import { LuminaError } from "../base/mod.ts";
import { isJsonObject } from "../types/mod.ts";
import type { AssistantMessage, Message } from "../types/mod.ts";
import type { ModelEvent } from "./port.ts";

/** A request as it was sent: what a replay is held against. */
export interface RecordedRequest {
  system: string;
  messages: readonly Message[];
  /** Names, in the order in which the tools were offered. */
  tools: readonly string[];
}

/** One request and its answer. Without `request` any request is answered. */
export interface ReplayRecord {
  request?: RecordedRequest;
  /** What was streamed; ends with `done` unless the request failed. */
  events: ModelEvent[];
  /** The request was never answered: why, with the code that it had (`model.network`). */
  error?: { code: string; message: string; partial: AssistantMessage | null };
}

/** A session's requests with their answers, in order. */
export interface Recording {
  /** The session; absent in files that were written by hand. */
  session_id?: string;
  /** The model of the last run. */
  model?: string;
  /** What the person wrote, run by run. */
  prompts: string[];
  records: ReplayRecord[];
}

const VERSION = 1;

/**
 * A recording as JSON lines: first `{recording: 1, session_id, model, prompts}`, then one line for each request. A
 * request says only how it differs from the one before: `keep` messages of it stay, `messages` follow; `system` and
 * `tools` stand where they changed. A line without `request` answers any request.
 */
export function encodeRecording({ records, ...head }: Recording): string {
  const lines: unknown[] = [{ recording: VERSION, ...head }];
  let before: RecordedRequest = { system: "", messages: [], tools: [] };
  for (const { request, ...answer } of records) {
    if (request === undefined) {
      lines.push(answer);
      continue;
    }
    const keep = sharedLength(before.messages, request.messages);
    const changed = {
      ...(request.system === before.system ? {} : { system: request.system }),
      ...(JSON.stringify(request.tools) === JSON.stringify(before.tools) ? {} : { tools: request.tools }),
      keep,
      messages: request.messages.slice(keep),
    };
    lines.push({ request: changed, ...answer });
    before = request;
  }
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** How many messages two requests begin with in common; messages are never changed, so the same one is the same object. */
function sharedLength(a: readonly Message[], b: readonly Message[]): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length++;
  return length;
}

/** Reads what `encodeRecording` wrote, or lines of events alone. Throws `model.recording` with the line that is wrong. */
export function parseRecording(text: string): Recording {
  const recording: Recording = { prompts: [], records: [] };
  let before: RecordedRequest = { system: "", messages: [], tools: [] };
  text.split("\n").forEach((line, index) => {
    if (line.trim() === "") return;
    const value = parseLine(line, index + 1);
    if ("recording" in value) {
      Object.assign(recording, readHead(value, index + 1));
      return;
    }
    const record = readRecord(value, before, index + 1);
    before = record.request ?? before;
    recording.records.push(record);
  });
  return recording;
}

type Line = Record<string, unknown>;

function parseLine(line: string, number: number): Line {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw broken(number, "is not JSON");
  }
  if (!isJsonObject(value)) throw broken(number, "is no JSON object");
  return value;
}

function readHead(value: Line, number: number): Partial<Recording> {
  if (value["recording"] !== VERSION) throw broken(number, "is of a newer version; update Lumina");
  const { session_id, model, prompts } = value;
  return {
    ...(typeof session_id === "string" ? { session_id } : {}),
    ...(typeof model === "string" ? { model } : {}),
    prompts: Array.isArray(prompts) ? prompts.filter((prompt) => typeof prompt === "string") : [],
  };
}

function readRecord(value: Line, before: RecordedRequest, number: number): ReplayRecord {
  const { events, error, request } = value;
  if (!Array.isArray(events)) throw broken(number, "has no events");
  const record: ReplayRecord = { events: events as ModelEvent[] };
  if (isJsonObject(error)) {
    record.error = {
      code: String(error["code"]),
      message: String(error["message"]),
      partial: (error["partial"] ?? null) as AssistantMessage | null,
    };
  }
  if (request === undefined) return record;
  if (!isJsonObject(request) || !Array.isArray(request["messages"]) || !Number.isInteger(request["keep"])) {
    throw broken(number, "has no messages");
  }
  const { system, tools, keep, messages } = request;
  record.request = {
    system: typeof system === "string" ? system : before.system,
    tools: Array.isArray(tools) ? tools.map(String) : before.tools,
    messages: [...before.messages.slice(0, Number(keep)), ...messages as unknown as Message[]],
  };
  return record;
}

function broken(number: number, fault: string): LuminaError {
  return new LuminaError("model.recording", `line ${number} ${fault}`);
}
