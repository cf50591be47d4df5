import type { JsonObject, RepeatClass, ToolEffect, ToolSubject } from "../types/mod.ts";
import type { CapabilityKind } from "./capability.ts";

/** One tool of a plugin, as `manifest.json` describes it. */
export interface ToolManifest {
  name: string;
  /** Other names the model, rules and old files may use. */
  aliases: string[];
  /** What the model reads. */
  description: string;
  /** JSON Schema 2020-12 of the input, root type object. */
  input_schema: JsonObject;
  effect: ToolEffect;
  subject: ToolSubject;
  /** Capabilities of the worker that runs it. */
  capabilities: CapabilityKind[];
  /**
   * Names of programs that the tool itself may start, found by the host on the PATH outside the workspace. Its worker may
   * run those that were found, and is told where each is: `config.<name>_path`.
   */
  programs: string[];
  /** True when calls of one turn may run side by side. */
  parallel: boolean;
  /** It may take away or overwrite what cannot be made again. A word for clients: nothing is judged by it. */
  destructive?: boolean;
  /** Calling it again with the same input changes nothing more. A word for clients. */
  idempotent?: boolean;
  /** What a crash between intent and outcome means. */
  repeat: RepeatClass;
  /** Hard limit of one call, milliseconds; a tool with a shorter limit of its own keeps it. */
  timeout_ms: number;
}
