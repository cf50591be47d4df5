// Entry of the worker in which worker_tier_escape_test.ts makes its attempts: what a bundled plugin could do.
import { servePlugins } from "../../../core/plugin_api/mod.ts";
import type { PluginModule, WorkerScope } from "../../../core/plugin_api/mod.ts";
import type { EscapeInput } from "./attempt.ts";
import { ENDINGS } from "./ending_attempts.ts";
import { QUIET } from "./quiet_attempts.ts";
import { runAttempts } from "./run_attempts.ts";

const plugin: PluginModule = {
  tools: {
    async escape(input) {
      return { content: JSON.stringify(await runAttempts(QUIET, input as unknown as EscapeInput)) };
    },
    async end(input, context) {
      const ending = ENDINGS.find(({ what }) => what === input["what"]);
      const nothing = () => {};
      const value = await ending?.run(input as unknown as EscapeInput, context, nothing, nothing);
      return { content: String(value) };
    },
  },
};

servePlugins(self as unknown as WorkerScope, { p: () => Promise.resolve(plugin) });
