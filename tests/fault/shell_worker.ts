import { servePlugins, type WorkerScope } from "../../core/plugin_api/mod.ts";

// The wall clock of this worker jumps an hour forth and back at every look: no time limit may depend on it.
let looks = 0;
const HOUR_MS = 3_600_000;
Date.now = () => (looks++ % 2) * HOUR_MS;

servePlugins(self as unknown as WorkerScope, {
  tools_shell: async () => (await import("../../plugins/tools_shell/mod.ts")).default,
});
