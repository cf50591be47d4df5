import type { World } from "../base/mod.ts";

/** Longest wait that a provider may ask for; a longer one is cut to this. */
export const RETRY_AFTER_CAP_MS = 120_000;

/**
 * How long a response asks to wait, milliseconds: `retry-after-ms`, or `Retry-After` in seconds or as an HTTP date
 * (RFC 9110 §10.2.3), cut to `RETRY_AFTER_CAP_MS`. Undefined when it asks for nothing that can be read.
 */
export function retryAfter(headers: Headers, world: Pick<World, "now">): number | undefined {
  const precise = headers.get("retry-after-ms");
  let wait = precise === null || precise.trim() === "" ? NaN : Number(precise);
  const general = headers.get("retry-after");
  if (!Number.isFinite(wait) && general !== null && general.trim() !== "") {
    const seconds = Number(general);
    wait = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(general) - world.now();
  }
  return Number.isFinite(wait) ? Math.min(Math.max(wait, 0), RETRY_AFTER_CAP_MS) : undefined;
}
