import type { Json } from "./json.ts";

/** An event before the journal has it. `type` is `family.name`, e.g. `tool.started`. */
export interface NewEvent {
  type: string;
  version: number;
  payload: Json;
  run_id?: string;
  step_id?: string;
  causation_id?: string;
}

/** An event as the journal holds it. */
export interface StoredEvent extends NewEvent {
  /** Position in the whole journal, from 1, without gaps. */
  seq: number;
  stream_id: string;
  /** Position in its stream, from 1, without gaps. */
  stream_seq: number;
  /** Wall clock in milliseconds since 1970; for people, never for order. */
  ts: number;
}
