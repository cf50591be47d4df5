import { covers, overlaps } from "./pattern_sets.ts";

/** One rule of a list in which the last that matches wins. */
export interface OrderedRule {
  pattern: string;
  action: "allow" | "ask" | "deny";
}

/** What becomes of such a rule where deny goes before ask and ask before allow. */
export type Fate =
  /** It never holds: the rule at `by`, further down, matches all that it matches. */
  | { kind: "dead"; by: number }
  /** It asks for everything that no later rule allows: the mode does that by itself. */
  | { kind: "mode" }
  /** It would allow what the stricter rule at `by`, further up, refuses or asks for: that one wins here. */
  | { kind: "lost"; by: number }
  /** It is taken; where a looser rule of `over`, further down, matches too, it wins here. */
  | { kind: "kept"; over: number[] };

const STRICTNESS = { allow: 0, ask: 1, deny: 2 } as const;

/**
 * Translates the precedence of a list in which the last match wins: for any text, `deny → ask → allow` over the kept rules
 * is never looser than the list was.
 *
 * @param mode_asks the mode asks by itself for what no rule names, so that a first "ask for everything" needs no rule
 */
export function ruleFates(rules: readonly OrderedRule[], mode_asks: boolean): Fate[] {
  const fates: (Fate | undefined)[] = rules.map((rule, index) => {
    const by = rules.findIndex((later, at) => at > index && covers(later.pattern, rule.pattern));
    return by === -1 ? undefined : { kind: "dead", by };
  });
  const live = (at: number) => fates[at]?.kind !== "dead";
  const kept = new Set<number>();
  for (const [index, rule] of rules.entries()) {
    if (!live(index)) continue;
    const allowed_later = rules.some((later, at) => at > index && later.action === "allow" && live(at));
    if (rule.action === "ask" && mode_asks && allowed_later && covers(rule.pattern, "*")) {
      fates[index] = { kind: "mode" };
      continue;
    }
    const by = [...kept].find((at) => covers(rules[at]?.pattern ?? "", rule.pattern));
    if (rule.action === "allow" && by !== undefined) fates[index] = { kind: "lost", by };
    else if (rule.action !== "allow") kept.add(index);
  }
  return rules.map((rule, index) => {
    const known = fates[index];
    if (known !== undefined) return known;
    const over = rules.flatMap((later, at) =>
      at > index && fates[at]?.kind !== "dead" && STRICTNESS[later.action] < STRICTNESS[rule.action] &&
        overlaps(later.pattern, rule.pattern)
        ? [at]
        : []
    );
    return { kind: "kept", over };
  });
}
