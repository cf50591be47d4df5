import { fillVariables } from "./fill_variables.ts";
import type { ProviderScript, Turn } from "./script_schema.ts";

/** Gives each request its turn: the first unused one whose `match` fits, with its variables filled in. */
export class TurnQueue {
  readonly #turns: readonly Turn[];
  readonly #used: boolean[];
  readonly #vars: Map<string, string>;

  constructor(script: ProviderScript) {
    this.#turns = script.turns;
    this.#used = script.turns.map(() => false);
    this.#vars = new Map(Object.entries(script.vars));
  }

  /** The turn for a request that says `last_text`, or why there is none. */
  next(last_text: string): Turn | { exhausted: string } {
    for (const [at, turn] of this.#turns.entries()) {
      if (this.#used[at]) continue;
      if (turn.match !== undefined && !last_text.includes(fillVariables(turn.match, this.#vars))) continue;
      if (!turn.repeat) this.#used[at] = true;
      for (const [name, pattern] of Object.entries(turn.capture)) {
        const found = new RegExp(pattern).exec(last_text);
        if (found !== null) this.#vars.set(name, found[1] ?? found[0]);
      }
      return fillVariables(turn, this.#vars);
    }
    const used = this.#used.filter((flag) => flag).length;
    const last = last_text.length > 120 ? `${last_text.slice(0, 120)}…` : last_text;
    return {
      exhausted: used === this.#turns.length
        ? `script exhausted: all ${used} turns are used`
        : `script exhausted: ${used} of ${this.#turns.length} turns are used and none of the others matches ` +
          JSON.stringify(last),
    };
  }
}
