import type { Json, JsonObject } from "../types/mod.ts";
import type { ServiceName } from "./services.ts";
import type { ToolContext, ToolOutcome } from "./tool.ts";

/** Version of the messages below; host and plugin must agree. */
export const RPC_VERSION = 2;

/** Version of what an author's code sees; `api` of a manifest. */
export const API_VERSION = 1;

/** Bytes of streamed result that a plugin may send before the host has taken them. */
export const CREDIT_BYTES = 1024 * 1024;

/** The part of a tool context that travels as data. */
export type CallContext = Omit<ToolContext, "signal" | "progress" | "write" | "services">;

/** Host to plugin; the same in both tiers. */
export type HostMessage =
  | {
    type: "call";
    id: number;
    plugin: string;
    /** Empty where a hook is called. */
    tool: string;
    /** The export that answers an event; the outcome's `data` is what it answers. */
    hook?: string;
    input: JsonObject;
    context: CallContext;
  }
  | { type: "cancel"; id: number; reason: string }
  /** So many bytes of the call's chunks have been taken. */
  | { type: "credit"; id: number; bytes: number }
  /** The answer to `request`. */
  | { type: "answer"; request: number; ok: true; value: Json }
  | { type: "answer"; request: number; ok: false; code: string; message: string }
  | { type: "close" };

/** Plugin to host. */
export type WorkerMessage =
  /** The first message: what the plugin speaks. */
  | { type: "hello"; version: number; api: number }
  | { type: "progress"; id: number; text: string }
  /** A piece of the result; sent only while there is credit. */
  | { type: "chunk"; id: number; text: string }
  | { type: "outcome"; id: number; outcome: ToolOutcome; busy: boolean }
  /** Asks a service of the host, on behalf of the call `id`. */
  | { type: "request"; request: number; id: number; service: ServiceName; method: string; params: JsonObject }
  /** What a bundled plugin tells its session without being asked. */
  | { type: "notice"; plugin: string; data: JsonObject }
  | { type: "closed" }
  /** It could not be loaded (before `hello`) or has broken (after it): nothing more will come. */
  | { type: "failed"; message: string };
