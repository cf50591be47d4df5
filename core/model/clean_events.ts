import { isJsonObject, type JsonObject } from "../types/mod.ts";
import type { Wire } from "./endpoint.ts";
import { ModelError } from "./model_error.ts";
import { FrameAssembler, LineSplitter, SSE_CAP, type SseFrame } from "./sse_parser.ts";

/** What the caller wants to know while a body is read. */
export interface BodyWatch {
  /** A read begins: silence counts from here. */
  waiting(): void;
  /** Data arrived (never a comment or a ping). */
  data(): void;
  /** The error that an error object in the stream stands for; undefined when it is none. */
  failure(event: string | null, value: JsonObject): ModelError | undefined;
  /** Ends the reading at once, as if the body had ended. */
  signal?: AbortSignal;
}

/**
 * Turns the body of a streamed answer, however it is framed or labelled, into the JSON text of its events in order:
 * server-sent events, one JSON object a line, or one JSON error. The Content-Type is not looked at, since gateways
 * strip and change it. Ends at `[DONE]` (OpenAI) or the end of the body. A last event that was cut off is dropped: its
 * stream has no proper end either. Throws `protocol` ModelErrors for what is no event stream, and what `failure` says.
 */
export async function* cleanEvents(
  body: ReadableStream<Uint8Array>,
  wire: Wire,
  watch: BodyWatch,
  cap: number = SSE_CAP,
): AsyncGenerator<{ type: string; json: string }> {
  const lines = new LineSplitter(cap);
  let shape: "unknown" | "sse" | "json" = "unknown";
  const frames = new FrameAssembler(cap);
  let document = ""; // JSON that spans several lines
  const reader = body.getReader();
  const giveUp = () => {
    reader.cancel().catch(() => {/* it had already failed, and that error is on its way */});
  };
  // fetch has the signal too, but Deno (2.8, 2.9) forgets it when the Response is collected before its body has ended
  watch.signal?.addEventListener("abort", giveUp, { once: true });
  if (watch.signal?.aborted) giveUp();
  let finished = false;
  try {
    watch.waiting();
    while (!finished) {
      const { value: chunk, done } = await reader.read();
      if (watch.signal?.aborted) return;
      const batch = chunk === undefined ? [] : lines.push(chunk);
      if (done) {
        const last = lines.end();
        if (last !== undefined) batch.push(last);
      }
      let seen = false;
      for (const line of batch) {
        if (shape === "unknown") shape = shapeOf(line);
        let frame: SseFrame | undefined;
        if (shape === "sse") frame = frames.push(line);
        else if (shape === "json") {
          // one object a line, or one document over several: only a closing bracket at the margin can end that
          const whole = document === "" || /^[}\]]/.test(line);
          document += document === "" ? line : `\n${line}`;
          if (document.length > cap) {
            throw new ModelError(`The provider sent a document of more than ${cap} bytes`, {
              category: "protocol",
            });
          }
          if (whole && parse(document) !== undefined) {
            frame = { event: null, data: document };
            document = "";
          }
        }
        if (frame === undefined) continue;
        const clean = readFrame(frame, wire, watch, false);
        if (clean === "done") {
          finished = true;
          break;
        }
        if (clean === undefined) continue;
        seen = true;
        watch.data();
        yield clean;
      }
      if (done) {
        const frame = shape === "sse" ? frames.end() : { event: null, data: document };
        const clean = frame === undefined ? undefined : readFrame(frame, wire, watch, true);
        if (clean !== undefined && clean !== "done") yield clean;
        return;
      }
      if (seen) watch.waiting();
    }
  } finally {
    // the answer is complete, or the caller gave up: either way the rest of the body is of no use
    watch.signal?.removeEventListener("abort", giveUp);
    giveUp();
  }
}

/** Decides by the first line with content; a page is refused at once. */
function shapeOf(line: string): "unknown" | "sse" | "json" {
  const start = line.trimStart();
  if (start === "") return "unknown";
  if (start.startsWith("<")) {
    throw new ModelError("The provider sent a page instead of an event stream; check base_url", {
      category: "protocol",
    });
  }
  return start.startsWith("{") || start.startsWith("[") ? "json" : "sse";
}

function readFrame(
  frame: SseFrame,
  wire: Wire,
  watch: BodyWatch,
  last: boolean,
): { type: string; json: string } | "done" | undefined {
  const data = frame.data.trim();
  if (data === "") return undefined;
  if (data === "[DONE]") return wire === "openai_compatible" ? "done" : undefined;
  if (frame.event === "ping") return undefined;
  const value = parse(data);
  if (value === undefined) {
    if (last) return undefined; // cut off in the middle
    if (frame.event === "error") throw watch.failure("error", { error: data }) ?? broken();
    throw broken();
  }
  if (!isJsonObject(value)) throw broken();
  const type = typeof value["type"] === "string" ? value["type"] : frame.event ?? "";
  if (type === "ping") return undefined;
  const failure = watch.failure(frame.event, value);
  if (failure !== undefined) throw failure;
  return { type, json: /[\r\n]/.test(data) ? JSON.stringify(value) : data };
}

function broken(): ModelError {
  return new ModelError("The provider sent an event that is not a JSON object", { category: "protocol" });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // the caller decides what that means
  }
}
