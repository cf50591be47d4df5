import { LuminaError } from "../../base/mod.ts";
import type { SettingsWatch } from "../../config/mod.ts";
import type { Session } from "../../session/mod.ts";

/** The session whose own agent it is, and its settings. */
export interface BudgetParts {
  session: Session;
  watch: SettingsWatch;
}

/** What a session has cost since it was opened, against `max_budget_usd`. Sub-agents have that of their session. */
export class Budget {
  readonly #parts: BudgetParts;
  readonly #before: { usd: number; unpriced: number };

  constructor(parts: BudgetParts) {
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
