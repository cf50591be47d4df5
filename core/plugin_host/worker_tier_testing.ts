// Entry of the workers in worker_tier_test.ts: a plugin whose tools behave and misbehave in known ways.
import { servePlugins } from "../plugin_api/mod.ts";
import type { PluginModule, WorkerScope } from "../plugin_api/mod.ts";

const plugin: PluginModule = {
  tools: {
    echo: (input) => Promise.resolve({ content: JSON.stringify(input) }),
    async read(input) {
      return { content: await Deno.readTextFile(String(input["path"])) };
    },
    wait(_input, { progress, signal }) {
      return new Promise((resolve) => {
        signal.addEventListener("abort", () => {
          resolve({ content: `stopped: ${signal.reason.message}`, is_error: true });
        });
        progress("waiting");
      });
    },
    spin(_input, { progress }) {
      progress("spinning");
      while (true);
    },
    async stream(_input, { write }) {
      for (let part = 0; part < 30; part++) await write(`${part} `.padEnd(100_000, "."));
      return { content: "end" };
    },
    async ask(_input, { services }) {
      try {
        return { content: (await services.model.complete({ prompt: "?" })).text };
      } catch (error) {
        return { content: String((error as { code?: string }).code), is_error: true };
      }
    },
    boom: () => Promise.reject(new Error("it broke")),
    crash() {
      setTimeout(() => {
        throw new Error("worker gone");
      });
      return new Promise(() => {});
    },
  },
};

servePlugins(self as unknown as WorkerScope, { p: () => Promise.resolve(plugin) });
