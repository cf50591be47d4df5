import type { JsonObject, PluginModule, ToolContext, ToolOutcome } from "../../core/plugin_api/mod.ts";
import { DEFAULT_LIMITS } from "./budget.ts";
import type { SearchLimits } from "./budget.ts";
import { glob } from "./glob.ts";
import { grep } from "./grep.ts";
import { SearchError } from "./search_error.ts";

type Search = (input: JsonObject, context: ToolContext, limits: SearchLimits) => Promise<ToolOutcome>;

/** Turns a request that cannot be searched into an error result. */
function tool(search: Search): (input: JsonObject, context: ToolContext) => Promise<ToolOutcome> {
  return async (input, context) => {
    try {
      return await search(input, context, DEFAULT_LIMITS);
    } catch (error) {
      if (error instanceof SearchError) return { content: error.message, is_error: true };
      throw error;
    }
  };
}

/** Glob and Grep. */
const plugin: PluginModule = { tools: { Glob: tool(glob), Grep: tool(grep) } };
export default plugin;
