import type { ToolOutcome } from "../plugin_api/mod.ts";
import type { JsonObject } from "../types/mod.ts";
import type { ToolRun } from "./ports.ts";

/**
 * Carries out a tool of a bundled plugin without `entry` in Lumina's own process: it starts no program, opens no file by
 * itself and reaches no host. What the tool is stands in the plugin's manifest; gate, hooks, record and limits are those of
 * every tool. A tool that nobody carries out in a session is not offered there.
 */
export interface HostTool {
  /** The tool's own name in the manifest. */
  readonly name: string;
  /** A failure that the model should see is `is_error: true`; an exception becomes one. */
  call(input: JsonObject, run: ToolRun): Promise<ToolOutcome>;
}
