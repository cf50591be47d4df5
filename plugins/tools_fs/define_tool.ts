import type { ToolContext, ToolHandler, ToolOutcome } from "../../core/plugin_api/mod.ts";
import { ToolInput } from "./tool_input.ts";

/**
 * A handler with typed input whose failures are results the model can read. Only an interrupted call still throws,
 * with the reason of its signal.
 */
export function defineTool(
  run: (input: ToolInput, context: ToolContext) => Promise<ToolOutcome>,
): ToolHandler {
  return async (input, context) => {
    try {
      context.signal.throwIfAborted();
      return await run(new ToolInput(input), context);
    } catch (error) {
      if (context.signal.aborted || !(error instanceof Error)) throw error;
      return { content: error.message, is_error: true };
    }
  };
}
