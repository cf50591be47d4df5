import type { RulePlace, RunFlags } from "../../cli/mod.ts";

/** The flags of a run that would start in this place and says nothing more. */
export function placeFlags(place: RulePlace): RunFlags {
  return { ...place, fail_on_denial: false, bare: false, trust_project: false, session: { kind: "new" } };
}
