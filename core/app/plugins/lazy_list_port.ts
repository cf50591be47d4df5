import type { PluginListPort } from "../../cli/mod.ts";

/** A port that is loaded at its first use. */
export function lazyListPort(load: () => Promise<PluginListPort>): PluginListPort {
  return {
    list: async (cwd) => await (await load()).list(cwd),
    show: async (id, options) => await (await load()).show(id, options),
    enable: async (id, on, options) => await (await load()).enable(id, on, options),
    trust: async (id, options, consent) => await (await load()).trust(id, options, consent),
  };
}
