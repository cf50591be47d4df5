import type { JsonObject } from "../types/mod.ts";
import type { ToolContext, ToolOutcome } from "./tool.ts";

/** Version of the messages below; host and worker must agree. */
export const RPC_VERSION = 1;

/** The part of a tool context that travels as data. */
export type CallContext = Omit<ToolContext, "signal" | "progress">;

/** Host to worker. */
export type HostMessage =
  | { type: "call"; id: number; plugin: string; tool: string; input: JsonObject; context: CallContext }
  | { type: "cancel"; id: number; reason: string }
  | { type: "close" };

/** Worker to host. */
export type WorkerMessage =
  | { type: "hello"; version: number }
  | { type: "progress"; id: number; text: string }
  | { type: "outcome"; id: number; outcome: ToolOutcome; busy: boolean }
  | { type: "closed" };
