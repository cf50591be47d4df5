import type { Frame } from "./answer.ts";
import type { Fault } from "./script_schema.ts";

/** A body as the writes that carry it, and how it ends. */
export interface StreamPlan {
  writes: Uint8Array[];
  /** Before this write the server waits for `release`; absent without a hold. */
  hold_before?: number;
  /** `complete`: as HTTP ends a body. `reset`: the connection breaks inside the body. `stall`: nothing more comes. */
  end: "complete" | "reset" | "stall";
}

const LINE_ENDS = { lf: "\n", crlf: "\r\n", cr: "\r" };
const encoder = new TextEncoder();

/** Lays out the frames of an answer as bytes, with the faults of its turn. `error_frame` is the wire's error event. */
export function planStream(
  all: Frame[],
  error_frame: Frame,
  fault: Fault,
  hold_after_frames: number | undefined,
): StreamPlan {
  let frames = all;
  if (fault.no_closing_events) frames = frames.filter((frame) => !frame.closing);
  if (fault.error_after_frames !== undefined) {
    frames = [...frames.slice(0, fault.error_after_frames), error_frame];
  }

  const encoded = frames.map((frame, at) => encodeFrame(frame, fault, at === frames.length - 1));
  if (fault.bom) encoded.unshift(new Uint8Array([0xef, 0xbb, 0xbf]), encoded.shift() ?? new Uint8Array());
  const first_frame = fault.bom ? 1 : 0;
  const offsets = [0];
  for (const bytes of encoded) offsets.push((offsets.at(-1) ?? 0) + bytes.length);
  const offsetOfFrame = (frame: number) => offsets[Math.min(frame + first_frame, offsets.length - 1)] ?? 0;
  const body = joinBytes(encoded);

  const cut = fault.cut_after_bytes ??
    (fault.cut_after_frames === undefined ? undefined : offsetOfFrame(fault.cut_after_frames));
  const stall = fault.stall_after_bytes ??
    (fault.stall_after_frames === undefined ? undefined : offsetOfFrame(fault.stall_after_frames));
  const length = Math.min(body.length, cut ?? body.length, stall ?? body.length);
  const hold = hold_after_frames === undefined ? undefined : offsetOfFrame(hold_after_frames);

  const ends = new Set(offsets.slice(1));
  if (fault.chunk_bytes !== undefined) {
    ends.clear();
    for (let at = fault.chunk_bytes; at < length; at += fault.chunk_bytes) ends.add(at);
  }
  if (hold !== undefined) ends.add(hold);
  ends.add(length);
  const writes: Uint8Array[] = [];
  let hold_before: number | undefined;
  let from = 0;
  if (hold === 0) hold_before = 0;
  for (const end of [...ends].sort((a, b) => a - b)) {
    if (end <= from || end > length) continue;
    writes.push(body.subarray(from, end));
    from = end;
    if (end === hold) hold_before = writes.length;
  }
  const end = stall !== undefined && stall === length
    ? "stall"
    : cut !== undefined && cut === length && fault.cut !== "end"
    ? "reset"
    : "complete";
  return { writes, end, ...(hold_before === undefined ? {} : { hold_before }) };
}

/** What goes over a stalled stream so that it is not silent, and yet carries no data. */
export function keepAliveBytes(fault: Fault): Uint8Array | undefined {
  if (fault.keep_alive === undefined) return undefined;
  const eol = LINE_ENDS[fault.line_ending ?? "lf"];
  if (fault.keep_alive === "comment") return encoder.encode(`: keep-alive${eol}${eol}`);
  if (fault.keep_alive === "blank") return encoder.encode(eol);
  return encodeFrame({ event: "ping", data: '{"type": "ping"}' }, fault, false);
}

function encodeFrame(frame: Frame, fault: Fault, last: boolean): Uint8Array {
  const eol = LINE_ENDS[fault.line_ending ?? "lf"];
  const lines: string[] = [];
  if (frame.event !== undefined && !fault.no_event_names) lines.push(`event: ${frame.event}`);
  const data = fault.split_data && frame.data.startsWith("{")
    ? JSON.stringify(JSON.parse(frame.data), null, 1).split("\n")
    : [frame.data];
  for (const line of data) lines.push(`data:${fault.no_space ? "" : " "}${line}`);
  return encoder.encode(lines.join(eol) + eol + (last && fault.no_final_blank ? "" : eol));
}

function joinBytes(parts: Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}
