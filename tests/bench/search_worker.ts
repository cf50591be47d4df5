// A worker with the permissions of the reading tools, for the search benchmark.
import type { CallContext, JsonObject } from "../../core/plugin_api/mod.ts";
import { withoutHost } from "../../core/plugin_api/mod.ts";
import plugin from "../../plugins/tools_search/mod.ts";

/** One timed call. */
export interface SearchCall {
  tool: "Glob" | "Grep";
  input: JsonObject;
  context: CallContext;
}

declare const self: {
  onmessage: (event: MessageEvent<SearchCall>) => void;
  postMessage(answer: { ms: number; content: string } | { error: string }): void;
};

self.onmessage = async ({ data: { tool, input, context } }) => {
  try {
    const started = performance.now();
    const signal = new AbortController().signal;
    const { content } = await plugin.tools[tool]!(input, { ...context, ...withoutHost(signal) });
    self.postMessage({ ms: performance.now() - started, content });
  } catch (error) {
    self.postMessage({ error: String(error) });
  }
};
