import { EXIT, LuminaError } from "../../base/mod.ts";
import type { OpenModel } from "../../model/mod.ts";
import { NO_USAGE } from "../../types/mod.ts";
import type { SessionParts } from "../session_parts.ts";
import type { FeatureScope, SessionFeature } from "./session_feature.ts";

/** What a session has cost since it was opened, against `max_budget_usd`. Sub-agents have that of their session. */
export class Budget {
  readonly #parts: Pick<SessionParts, "session" | "watch">;
  readonly #before: { usd: number; unpriced: number };

  constructor(parts: Pick<SessionParts, "session" | "watch">) {
    this.#parts = parts;
    this.#before = { ...parts.session.state.spent };
  }

  /** Throws `agent.budget` when no further request may begin. */
  check(): void {
    const { session, watch } = this.#parts;
    const limit = watch.current.settings.max_budget_usd;
    if (limit === undefined) return;
    const { usd, unpriced } = session.state.spent;
    if (unpriced > this.#before.unpriced) {
      throw new LuminaError(
        "agent.budget",
        `The budget of $${limit} cannot be kept: a model without a known price has answered (the setting prices says what it costs)`,
      );
    }
    const spent = usd - this.#before.usd;
    if (spent < limit) return;
    throw new LuminaError(
      "agent.budget",
      `The budget of $${limit} is used up: $${
        spent.toFixed(4)
      } were spent; go on with a higher --max-budget-usd`,
    );
  }
}

/**
 * Keeps what a session costs from its opening on, sub-agents, compaction and the like included, below `max_budget_usd`: no
 * request begins once it is used up (`agent.budget`).
 */
export function budgetFeature({ parts, shared }: FeatureScope): SessionFeature {
  const budget = shared.budget ??= new Budget(parts);
  return { participant: { name: "budget", at: { before_model: () => budget.check() } } };
}

/** Throws `config.budget` (exit 2) where there is a budget and nobody knows what the model costs. */
export function assertPriced(limit: number | undefined, model: OpenModel): void {
  if (limit === undefined || model.costOf(model.name, { ...NO_USAGE, input: 1 }) !== null) return;
  throw new LuminaError(
    "config.budget",
    `The budget of $${limit} cannot be kept: the price of ${model.name} is not known; give it in the setting prices, ` +
      `e.g. {"${model.name}": [1, 4]} for dollars a million tokens in and out, or go on without max_budget_usd`,
    { exit: EXIT.usage },
  );
}
