import type { JsonObject } from "../types/mod.ts";
import type { SessionRow } from "./session_list_port.ts";

/** A tool call of an answer. `unknown`: it had started when the run was interrupted, and may have acted. */
export interface ShownCall {
  call_id: string;
  name: string;
  input: JsonObject;
  status: "ok" | "error" | "not_run" | "unknown";
}

/** A message of the conversation as it now is. */
export interface ShownMessage {
  /** Its number: what `--at` and `--to` take. */
  number: number;
  role: "user" | "assistant";
  /** Milliseconds since 1970. */
  ts: number;
  /** What a person reads: no thinking, no hidden context, no tool results. */
  text: string;
  calls: ShownCall[];
}

export interface ShownSession {
  session: SessionRow & {
    mode: string;
    usage: { input: number; output: number; cache_read: number; cache_write: number };
  };
  messages: ShownMessage[];
  /** Why events were left out, one line each. */
  skipped: string[];
  /** One line, when the session is damaged and only its intact part is here. */
  damage?: string;
}

/** Reading one saved session. */
export interface SessionShowPort {
  show(id: string): Promise<ShownSession>;
  /** The whole output of a call that a locked run has kept in the journal. Throws `session.no_output` (exit 4). */
  output(id: string, call_id: string): Promise<string>;
}
