import { addUsage, NO_USAGE } from "../types/mod.ts";
import type { ModelUse, RunResult, Usage } from "../types/mod.ts";

/** A request that was no turn of the run; `cost_usd` is null when the price is unknown. */
export interface BesideUse {
  model: string;
  usage: Usage;
  cost_usd: number | null;
}

/** Adds up what a run's model requests used. */
export class RunTotals {
  #models: Record<string, ModelUse> = {};
  #turns = 0;
  #api_ms = 0;
  #ttft: number | undefined;

  /** @param cost_usd null when the price is unknown */
  add(model: string, usage: Usage, cost_usd: number | null, duration_ms: number): void {
    this.#turns++;
    this.#api_ms += duration_ms;
    this.addBeside({ model, usage, cost_usd });
  }

  /** What was used for the run beside its own turns, such as by plugins. */
  addBeside({ model, usage, cost_usd }: BesideUse): void {
    const before = this.#models[model] ?? { usage: NO_USAGE, cost_usd: 0, requests: 0 };
    this.#models[model] = {
      usage: addUsage(before.usage, usage),
      cost_usd: before.cost_usd === null || cost_usd === null ? null : before.cost_usd + cost_usd,
      requests: before.requests + 1,
    };
  }

  /** Milliseconds from the run's first request to its first visible delta; later ones are ignored. */
  firstToken(ms: number): void {
    this.#ttft ??= Math.round(ms);
  }

  summary(): Pick<RunResult, "turns" | "usage" | "models" | "cost_usd" | "duration_api_ms" | "ttft_ms"> {
    const uses = Object.values(this.#models);
    return {
      turns: this.#turns,
      usage: uses.reduce((sum, use) => addUsage(sum, use.usage), NO_USAGE),
      models: this.#models,
      cost_usd: uses.reduce<number | null>(
        (sum, use) => (sum === null || use.cost_usd === null ? null : sum + use.cost_usd),
        0,
      ),
      duration_api_ms: Math.round(this.#api_ms),
      ...(this.#ttft === undefined ? {} : { ttft_ms: this.#ttft }),
    };
  }
}
