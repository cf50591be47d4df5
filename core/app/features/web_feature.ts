import type { HostTool } from "../../agent/mod.ts";
import type { WebTools } from "../web/web_tools.ts";
import type { FeatureScope, SessionFeature } from "./session_feature.ts";

/**
 * The tools of each open session by what its agents share: a sub-agent may open what its session has found, and an address
 * that a model wrote into a sub-agent's prompt is not one that a person typed.
 */
const OF_SESSION = new WeakMap<object, () => Promise<WebTools>>();

/** WebSearch and WebFetch. What they need is loaded at their first call. */
export function webFeature({ parts, depth }: FeatureScope): SessionFeature | undefined {
  // a locked run has no network here
  if (parts.lockdown !== undefined) return undefined;
  let made: Promise<WebTools> | undefined;
  const own = () =>
    made ??= (async () => {
      const { WebTools } = await import("../web/web_tools.ts");
      return new WebTools(parts);
    })();
  if (depth === 0) OF_SESSION.set(parts.watch, own);
  const tool = (name: "WebFetch" | "WebSearch"): HostTool => ({
    name,
    call: async (input, run) => {
      const tools = OF_SESSION.get(parts.watch);
      if (tools === undefined) throw new Error("the session is closed");
      return await (await tools()).call(name, input, run);
    },
  });
  return {
    tools: [tool("WebFetch"), tool("WebSearch")],
    async close() {
      if (depth === 0) OF_SESSION.delete(parts.watch);
      (await made)?.close();
    },
  };
}
