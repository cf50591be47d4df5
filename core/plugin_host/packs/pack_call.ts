import type { CapabilityKind, Grant, ToolOutcome } from "../../plugin_api/mod.ts";
import type { PluginCall } from "../plugin_calls.ts";
import type { Pack } from "./pack.ts";

/** One call of a pack's tool or hook. */
export interface PackCall extends PluginCall {
  pack: Pack;
  /** What the hook uses of its pack's capabilities; a tool's own stand in the manifest. */
  capabilities?: readonly CapabilityKind[];
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
