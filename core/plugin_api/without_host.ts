import { serviceClient, ServiceError } from "./service_client.ts";
import type { ToolContext } from "./tool.ts";

/** The live part of a tool's context where no host listens: for tests and benchmarks of a handler alone. */
export function withoutHost(
  signal: AbortSignal = new AbortController().signal,
): Pick<ToolContext, "signal" | "progress" | "write" | "services"> {
  return {
    signal,
    progress() {},
    write: () => Promise.resolve(),
    services: serviceClient((service) =>
      Promise.reject(new ServiceError("unavailable", `There is no host to ask for ${service}`))
    ),
  };
}
