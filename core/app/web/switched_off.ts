import type { Settings } from "../../config/mod.ts";
import type { ToolManifest } from "../../plugin_api/mod.ts";

/** True for a tool of the web that `web_fetch_enabled` or `web_search_enabled` switches off. */
export function webSwitchedOff(
  { name }: Pick<ToolManifest, "name">,
  settings: Pick<Settings, "web_fetch_enabled" | "web_search_enabled">,
): boolean {
  return (name === "WebFetch" && !settings.web_fetch_enabled) ||
    (name === "WebSearch" && !settings.web_search_enabled);
}
