import type { EncodedEvent, WriteOutcome, WriteRequest } from "./write_request.ts";

/**
 * A batch of writes as two strings: copying a string between threads costs a third of copying the objects it stands
 * for, and a commit waits for every microsecond. `head` is a JSON array of `PackedWrite`; `body` is all payloads, one
 * after the other, because JSON inside JSON would be escaped and parsed twice.
 */
export interface PackedBatch {
  head: string;
  body: string;
  blobs: Uint8Array[];
  /** Kinds that are too rare to be packed. */
  rest: WriteRequest[];
}

/** Texts are packed as their lengths in `body`; a missing result as -1; blobs and the rest follow the order of their arrays. */
type PackedWrite =
  | ["a", string, number | "any", number, string | null, string | null, number, 0 | 1, ...PackedEvent[]]
  | ["b"]
  | ["r"]
  | ["c", string, string, number, number];

type PackedEvent = [string, number, number, ...(string | null | undefined)[]];

/** Packs a batch; blobs are not copied. */
export function packBatch(requests: readonly WriteRequest[]): PackedBatch {
  const blobs: Uint8Array[] = [];
  const rest: WriteRequest[] = [];
  const body: string[] = [];
  const text = (value: string): number => {
    body.push(value);
    return value.length;
  };
  const head = requests.map((request): PackedWrite => {
    switch (request.kind) {
      case "append": {
        const { stream_id, expected, ts, key = null, request_hash = null, result } = request;
        const size = result === undefined ? -1 : text(result);
        const packed: PackedWrite = [
          "a",
          stream_id,
          expected,
          ts,
          key,
          request_hash,
          size,
          request.closing ? 1 : 0,
        ];
        for (const { type, version, payload, run_id, step_id, causation_id } of request.events) {
          packed.push(
            causation_id === undefined && step_id === undefined && run_id === undefined
              ? [type, version, text(payload)]
              : [type, version, text(payload), run_id, step_id, causation_id],
          );
        }
        return packed;
      }
      case "blob":
        blobs.push(request.bytes);
        return ["b"];
      case "checkpoint":
        return ["c", request.name, request.stream_id, request.seq, text(request.state)];
      default:
        rest.push(request);
        return ["r"];
    }
  });
  return { head: JSON.stringify(head), body: body.join(""), blobs, rest };
}

/** The batch that `packBatch` was given. */
export function unpackBatch({ head, body, blobs, rest }: PackedBatch): WriteRequest[] {
  let place = 0;
  let blob = 0;
  let other = 0;
  const text = (length: number): string => body.slice(place, place += length);
  return (JSON.parse(head) as PackedWrite[]).map((packed): WriteRequest => {
    switch (packed[0]) {
      case "a": {
        const [, stream_id, expected, ts, key, request_hash, size, closing, ...events] = packed;
        return {
          kind: "append",
          stream_id,
          expected,
          ts,
          key: key ?? undefined,
          request_hash: request_hash ?? undefined,
          result: size < 0 ? undefined : text(size),
          closing: closing === 1 ? true : undefined,
          events: events.map(([type, version, length, run_id, step_id, causation_id]): EncodedEvent => ({
            type,
            version,
            payload: text(length),
            run_id: run_id ?? undefined,
            step_id: step_id ?? undefined,
            causation_id: causation_id ?? undefined,
          })),
        };
      }
      case "b":
        return { kind: "blob", bytes: blobs[blob++]! };
      case "r":
        return rest[other++]!;
      case "c": {
        const [, name, stream_id, seq, size] = packed;
        return { kind: "checkpoint", name, stream_id, seq, state: text(size) };
      }
    }
  });
}

/** The way back: outcomes as one JSON text. */
export function packOutcomes(outcomes: readonly WriteOutcome[]): string {
  return JSON.stringify(outcomes);
}

export function unpackOutcomes(text: string): WriteOutcome[] {
  return JSON.parse(text);
}
