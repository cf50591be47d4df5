import { canonicalJson } from "../base/mod.ts";
import type { ExecutedCall } from "./execute_tool.ts";

const SAME_CALL_NOTE = 3;
const SAME_CALL_STOP = 6;
const FAILURES_NOTE = 4;
const FAILURES_STOP = 12;

const ALLOW_MORE = "--allowed-tools and --permission-mode allow more";

/** What the rules say after a round: a note for the model, or the reason to stop the run. */
export interface RuleVerdict {
  note?: string;
  stop?: { code: "agent.no_progress" | "agent.denied"; message: string };
}

/**
 * Watches a run for lack of progress: the same call with the same result again and again, nothing but failures, or
 * nothing but refusals. Counts begin anew with each run.
 */
export class StopRules {
  #maxDenials: number;
  #failOnDenial: boolean;
  #lastCall = "";
  #sameCalls = 0;
  #failures = 0;
  #denials = 0;

  constructor(options: { max_denials: number; fail_on_denial: boolean }) {
    this.#maxDenials = options.max_denials;
    this.#failOnDenial = options.fail_on_denial;
  }

  /** Takes the calls of one round in their order. */
  observe(calls: readonly ExecutedCall[]): RuleVerdict {
    const notes: string[] = [];
    for (const call of calls) {
      const verdict = this.#one(call);
      if (verdict.stop !== undefined) return verdict;
      if (verdict.note !== undefined && !notes.includes(verdict.note)) notes.push(verdict.note);
    }
    return notes.length === 0 ? {} : { note: notes.join("\n") };
  }

  #one({ block, outcome, denial, refusal = "", stop }: ExecutedCall): RuleVerdict {
    if (stop) return blocked(`The user refused ${block.name} and stopped the run`);
    if (denial !== undefined) {
      this.#denials++;
      if (this.#failOnDenial) return blocked(`${block.name} was refused: ${refusal}; ${ALLOW_MORE}`);
      if (this.#denials >= this.#maxDenials) {
        return blocked(
          `${this.#denials} calls in a row were refused, the last one, ${block.name}: ${refusal}; ${ALLOW_MORE}`,
        );
      }
      return {};
    }
    this.#denials = 0;
    const key = canonicalJson([block.name, block.input, outcome.content]);
    this.#sameCalls = key === this.#lastCall ? this.#sameCalls + 1 : 1;
    this.#lastCall = key;
    this.#failures = outcome.is_error ? this.#failures + 1 : 0;
    if (this.#sameCalls >= SAME_CALL_STOP) {
      return noProgress(
        `The model made the same ${block.name} call ${this.#sameCalls} times with the same result`,
      );
    }
    if (this.#failures >= FAILURES_STOP) {
      return noProgress(`${this.#failures} tool calls in a row failed, the last one: ${outcome.content}`);
    }
    if (this.#sameCalls >= SAME_CALL_NOTE) {
      return {
        note:
          `You have made the same ${block.name} call ${this.#sameCalls} times with the same result. Do something else.`,
      };
    }
    if (this.#failures >= FAILURES_NOTE) {
      return {
        note:
          `${this.#failures} tool calls in a row have failed. Change the approach, or say what is missing.`,
      };
    }
    return {};
  }
}

const blocked = (message: string): RuleVerdict => ({
  stop: { code: "agent.denied", message: oneLine(message) },
});
const noProgress = (message: string): RuleVerdict => ({
  stop: { code: "agent.no_progress", message: oneLine(message) },
});
const oneLine = (text: string): string => text.replace(/\s+/g, " ").slice(0, 500);
