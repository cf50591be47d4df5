import type { Verdict } from "../../../types/mod.ts";
import type { FeatureScope, SessionFeature } from "../session_feature.ts";
import type { AskPerson } from "./ask_person.ts";
import { askUser } from "./ask_user.ts";
import { PlanMode } from "./plan_mode.ts";

/**
 * What the model may ask of the person: questions, and whether a plan may be carried out. Where nobody can be asked there is no
 * plan to hand in: in mode plan the plan is the answer of the run.
 */
export function personFeature(scope: FeatureScope): SessionFeature | undefined {
  if (scope.depth > 0) return undefined; // a sub-agent reports to who started it
  const ask: AskPerson = async (tool, input, reason, { call_id, signal }) => {
    const asker = scope.session.ground?.asker;
    if (asker === undefined) return { behavior: "deny", by: "headless" };
    const verdict: Verdict = { behavior: "ask", reason, source: "mode", paths: [], suggestions: [] };
    return await asker.ask({ call_id, tool, input, verdict }, signal);
  };
  const tools = [askUser(ask)];
  if (scope.parts.flags.ask !== undefined) tools.push(...new PlanMode(scope, ask).tools);
  return { tools };
}
