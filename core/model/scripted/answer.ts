import type { Usage } from "../../types/mod.ts";
import type { Fault, Turn } from "./script_schema.ts";

/** A turn with everything decided that both wires need. */
export interface Answer {
  /** Number of the request that it answers, from 1. */
  n: number;
  /** The model that the request named. */
  model: string;
  /** Seconds since 1970. */
  created: number;
  thinking: string[];
  signature: string;
  redacted_thinking: string | undefined;
  text: string[];
  calls: { id: string; name: string; arguments: string[] }[];
  stop: NonNullable<Turn["stop"]>;
  usage: Usage;
  fault: Fault;
}

/** One frame of an event stream. */
export interface Frame {
  event?: string;
  data: string;
  /** True for the frames that tell the client the answer is complete. */
  closing?: boolean;
}

/** Characters of a delta, where the script does not say. */
const PIECE = 24;

/** Decides ids, deltas, stop reason and usage of a turn. `request_bytes` is the length of the request's body. */
export function makeAnswer(
  turn: Turn,
  request: { n: number; model: string; created: number; id_prefix: string; request_bytes: number },
): Answer {
  const calls = turn.tool_calls.map((call, index) => ({
    id: call.id ?? `${request.id_prefix}scripted_${request.n}_${index}`,
    name: call.name,
    arguments: cutText(call.raw_arguments ?? JSON.stringify(call.input ?? {})),
  }));
  const thinking = toPieces(turn.thinking);
  const text = toPieces(turn.text);
  if (turn.fault.huge_line_bytes !== undefined) text.push("x".repeat(turn.fault.huge_line_bytes));
  const written = [...thinking, ...text, ...calls.flatMap((call) => call.arguments)].join("").length;
  return {
    n: request.n,
    model: request.model,
    created: request.created,
    thinking,
    signature: turn.signature ?? "c2NyaXB0ZWQgc2lnbmF0dXJl",
    redacted_thinking: turn.redacted_thinking,
    text,
    calls,
    stop: turn.stop ?? (calls.length > 0 ? "tool_use" : "end_turn"),
    usage: {
      input: turn.usage.input ?? Math.ceil(request.request_bytes / 4),
      output: turn.usage.output ?? Math.ceil(written / 4),
      cache_read: turn.usage.cache_read ?? 0,
      cache_write: turn.usage.cache_write ?? 0,
    },
    fault: turn.fault,
  };
}

function toPieces(value: string | string[] | undefined): string[] {
  if (value === undefined || value === "") return [];
  return Array.isArray(value) ? [...value] : cutText(value);
}

function cutText(text: string): string[] {
  const characters = [...text];
  const parts: string[] = [];
  for (let at = 0; at < characters.length; at += PIECE) parts.push(characters.slice(at, at + PIECE).join(""));
  return parts;
}

/** The fragments of several lists in the order in which they are sent: one list after the other, or in turn. */
export function ordered<T>(lists: T[][], interleave: boolean): T[] {
  if (!interleave) return lists.flat();
  const result: T[] = [];
  for (let at = 0; lists.some((list) => at < list.length); at++) {
    for (const list of lists) {
      const item = list[at];
      if (item !== undefined) result.push(item);
    }
  }
  return result;
}
