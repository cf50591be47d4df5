import type { ServicesPort } from "../../cli/mod.ts";

/** The port of services, made at its first use. */
export function lazyServicesPort(make: () => Promise<ServicesPort>): ServicesPort {
  return {
    startSearxng: async (options) => await (await make()).startSearxng(options),
    stopSearxng: async () => await (await make()).stopSearxng(),
    searxngStatus: async () => await (await make()).searxngStatus(),
  };
}
