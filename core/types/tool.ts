import type { JsonObject } from "./json.ts";

/**
 * What a call does to the world, judged by the permission kernel:
 * `read` looks at files, `write` changes files in place, `run` starts a program, `net` reaches a host,
 * `none` touches nothing outside Lumina.
 */
export type ToolEffect = "none" | "read" | "write" | "run" | "net";

/** Which input the permission rules look at. `param` names the input key; `fallback` stands when it is absent. */
export type ToolSubject =
  | { kind: "path"; param: string; fallback?: string }
  | { kind: "command"; param: string }
  | { kind: "url"; param: string }
  /** A patch: every file that it names is written. */
  | { kind: "patch"; param: string }
  | { kind: "none" };

/**
 * What a crash between intent and outcome means for a call: `retry` may run again unseen, `ask` needs a person,
 * `mark` is only marked as having an unknown outcome.
 */
export type RepeatClass = "retry" | "ask" | "mark";

/** A tool as the model sees it on the wire. */
export interface ToolSchema {
  name: string;
  description: string;
  input_schema: JsonObject;
}
