import { EXIT, LuminaError } from "../../base/mod.ts";
import type { OpenModel } from "../../model/mod.ts";
import { NO_USAGE } from "../../types/mod.ts";
import { Budget } from "./session_budget.ts";
import type { FeatureScope, SessionFeature } from "./session_feature.ts";

/**
 * Keeps what a session costs from its opening on, sub-agents, compaction and the like included, below `max_budget_usd`: no
 * request begins once it is used up (`agent.budget`).
 */
export function budgetFeature({ parts, shared }: FeatureScope): SessionFeature {
  const budget = shared.budget ??= new Budget(parts);
  const check = () => budget.check();
  return { participant: { name: "budget", at: { before_model: check, before_compaction: check } } };
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
