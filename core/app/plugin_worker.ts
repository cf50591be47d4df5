// Entry of the workers that run bundled plugins; started by core/plugin_host with narrowed permissions.
import { servePlugins } from "../plugin_api/mod.ts";
import type { WorkerScope } from "../plugin_api/mod.ts";

servePlugins(self as unknown as WorkerScope, {
  tools_fs: async () => (await import("../../plugins/tools_fs/mod.ts")).default,
  tools_search: async () => (await import("../../plugins/tools_search/mod.ts")).default,
  tools_shell: async () => (await import("../../plugins/tools_shell/mod.ts")).default,
});
