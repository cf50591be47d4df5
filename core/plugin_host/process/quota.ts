import { LuminaError } from "../../base/mod.ts";
import { DEFAULT_LIMITS } from "../../plugin_api/mod.ts";
import type { PackLimits } from "../../plugin_api/mod.ts";

/** What a pack can use too much of. `flood` is how fast it sends. */
export type QuotaName = keyof PackLimits | "flood";

/** A quota that has tripped. */
export interface QuotaTrip {
  pack: string;
  quota: QuotaName;
  limit: number;
  /** What was found: the limit was passed by then. */
  value: number;
  /** The oldest call that was running; undefined when there was none. */
  call_id?: string;
}

/** What each quota says of a pack that has passed it. */
const WORDS: Record<QuotaName, (value: number, limit: number) => string> = {
  calls_per_run: (_value, limit) => `its tools have been called ${limit} times in this run`,
  result_bytes: (value, limit) => `a result of ${value} bytes, at most ${limit} are taken`,
  frame_bytes: (value, limit) => `a message of ${value} bytes, at most ${limit} are taken`,
  rss_mib: (value, limit) => `it used ${Math.round(value)} MiB of memory, at most ${limit} are allowed`,
  cpu_seconds_per_call: (value, limit) =>
    `it used ${Math.round(value)} s of processor time in one call, at most ${limit} are allowed`,
  processes: (value, limit) => `it had ${value} processes, at most ${limit} are allowed`,
  service_requests_per_call: (value, limit) =>
    `${value} requests to services in one call, at most ${limit} are allowed`,
  flood: (_value, limit) => `more than ${limit} messages or bytes in a second`,
};

/** A tripped quota as an error, `plugin.quota`. */
export function quotaError({ pack, quota, limit, value }: QuotaTrip): LuminaError {
  return new LuminaError("plugin.quota", `Pack "${pack}": ${WORDS[quota](value, limit)}`, {
    details: { pack, quota, limit, value },
  });
}

/** The limits of a pack: what the host allows, or less where the pack itself wants less. */
export function packLimits(
  own: Partial<PackLimits> | undefined,
  host: PackLimits = DEFAULT_LIMITS,
): PackLimits {
  const limits = { ...host };
  for (const key of Object.keys(host) as (keyof PackLimits)[]) {
    limits[key] = Math.min(host[key], own?.[key] ?? Infinity);
  }
  return limits;
}

/** So much at once, and so much more each second. */
export class Bucket {
  readonly per_second: number;
  #left: number;
  #at = performance.now();

  constructor(per_second: number) {
    this.per_second = per_second;
    this.#left = 2 * per_second;
  }

  /** True when there was enough, which is then taken. */
  take(amount: number): boolean {
    const now = performance.now();
    this.#left = Math.min(2 * this.per_second, this.#left + (now - this.#at) / 1000 * this.per_second);
    this.#at = now;
    if (this.#left < amount) return false;
    this.#left -= amount;
    return true;
  }
}
