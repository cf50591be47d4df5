import type { AssistantMessage } from "../../types/mod.ts";
import type { ModelOptions } from "../endpoint.ts";
import type { ModelErrorCategory } from "../model_error.ts";
import type { ModelEvent, ModelRequest } from "../port.ts";

/** `ModelOptions` as they travel: what lives in a thread stays there, keys come along. */
export type WireOptions = Omit<ModelOptions, "world" | "models_file"> & { models_file: string };

/** To the model's worker. `model` is the client's number of an open model, `id` that of one request. */
export type ToModelWorker =
  | { type: "open"; model: number; options: WireOptions }
  | { type: "stream"; id: number; model: number; request: ModelRequest }
  | { type: "abort"; id: number }
  | { type: "close"; model: number };

/** From the model's worker: the answer to each `open`, and the events of each request up to `end` or `failed`. */
export type FromModelWorker =
  | { type: "opened"; model: number; window: number; max_output: number }
  | { type: "refused"; model: number; error: WireModelError }
  | { type: "event"; id: number; event: ModelEvent }
  | { type: "end"; id: number }
  | { type: "failed"; id: number; error: WireModelError };

/** An error without its class. */
export interface WireModelError {
  code: string;
  message: string;
  exit: number;
  /** Set for a `ModelError`. */
  category?: ModelErrorCategory;
  status?: number;
  request_id?: string;
  retry_after_ms?: number;
  partial?: AssistantMessage | null;
}
