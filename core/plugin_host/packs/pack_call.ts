import type { Grant, ToolOutcome } from "../../plugin_api/mod.ts";
import type { PluginCall } from "../plugin_calls.ts";
import type { Pack } from "./pack.ts";

/** One call of a pack's tool. */
export interface PackCall extends PluginCall {
  pack: Pack;
  grant: Grant;
  /** The module's bytes, read once and equal to what was approved; see `packEntry`. */
  entry(): Promise<Uint8Array>;
}

/** Where packs run. */
export interface PackTier {
  /** Throws `plugin.…` when the pack could not answer, or the signal's reason when the call was aborted. */
  call(call: PackCall): Promise<ToolOutcome>;
  /** Ends every process and what it holds. */
  close(): Promise<void>;
}
