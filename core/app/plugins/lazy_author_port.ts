import type { PluginAuthorPort } from "../../cli/mod.ts";

/** The port of `lumina plugin new|build|check|dev`, loaded when one of its commands runs. */
export function lazyAuthorPort(load: () => Promise<PluginAuthorPort>): PluginAuthorPort {
  return {
    create: async (request) => await (await load()).create(request),
    build: async (request) => await (await load()).build(request),
    check: async (request) => await (await load()).check(request),
    dev: async (request) => await (await load()).dev(request),
    guide: async (topic) => await (await load()).guide(topic),
  };
}
