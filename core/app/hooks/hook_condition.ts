import { buildPolicy, judge } from "../../permission/mod.ts";
import type { Policy, ToolFacts } from "../../permission/mod.ts";
import type { JsonObject } from "../../types/mod.ts";

/**
 * Whether a call fits the rule of a hook's `if`. It is judged as a refusal would be: every part of a command line counts,
 * and one that cannot be read fits, so that a hook which guards is never passed by.
 */
export class HookConditions {
  readonly #place: { workspace: string; home: string };
  readonly #policies = new Map<string, Policy>();

  constructor(place: { workspace: string; home: string }) {
    this.#place = place;
  }

  async fits(condition: string, tool: ToolFacts, input: JsonObject): Promise<boolean> {
    const verdict = await judge({ tool, input }, this.#policy(condition));
    return verdict.behavior === "deny" || verdict.source === "parse";
  }

  #policy(condition: string): Policy {
    const known = this.#policies.get(condition);
    if (known !== undefined) return known;
    const { policy } = buildPolicy({
      mode: "ask",
      layers: [{ source: { origin: "user", base_dir: this.#place.workspace }, deny: [condition] }],
      ...this.#place,
    });
    this.#policies.set(condition, policy);
    return policy;
  }
}
