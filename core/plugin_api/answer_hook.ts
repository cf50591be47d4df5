import type { HookInput, JsonObject } from "../types/mod.ts";
import type { HookHandler } from "./hook.ts";
import type { ToolContext, ToolOutcome } from "./tool.ts";

/**
 * Calls a hook and gives what it answers as the `data` of an outcome: none where it has nothing to say. Throws what the hook
 * throws, and an error that says what came where that was no answer.
 */
export async function answerHook(
  handler: HookHandler | undefined,
  name: string,
  input: JsonObject,
  { call_id, cwd, read_roots, write_roots, config, signal, services }: ToolContext,
): Promise<ToolOutcome> {
  if (handler === undefined) throw new Error(`it has no hook "${name}"`);
  const context = { call_id, cwd, read_roots, write_roots, config, signal, services };
  const output: unknown = await handler(input as HookInput, context);
  if (output === undefined || output === null) return { content: "" };
  if (typeof output !== "object" || Array.isArray(output)) {
    const what = Array.isArray(output) ? "an array" : `a ${typeof output}`;
    throw new Error(`its hook ${name} answered with ${what}, and must answer with an object or nothing`);
  }
  return { content: "", data: output as JsonObject };
}
