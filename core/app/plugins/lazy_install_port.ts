import type { PluginInstallPort } from "../../cli/mod.ts";

/** A port that is loaded at its first use. */
export function lazyInstallPort(load: () => Promise<PluginInstallPort>): PluginInstallPort {
  return {
    install: async (source, options, consent) => await (await load()).install(source, options, consent),
    update: async (id, options, consent) => await (await load()).update(id, options, consent),
    installed: async (options) => await (await load()).installed(options),
    planRemoval: async (id, options) => await (await load()).planRemoval(id, options),
    remove: async (id, options) => await (await load()).remove(id, options),
  };
}
