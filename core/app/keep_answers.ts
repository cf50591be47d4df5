import type { AskPort, PermissionAnswer, PermissionQuestion } from "../agent/mod.ts";
import { errorMessage } from "../base/mod.ts";
import type { KeepFor, PermissionUpdate, RunFlags } from "../cli/mod.ts";
import type { PermissionMode } from "../types/mod.ts";
import type { KeptRules, KeptUpdate } from "./kept_rules.ts";

/** What carries an answer out. */
export interface KeepAnswersDeps {
  ask: RunFlags["ask"];
  kept: KeptRules;
  /** A locked run writes no file. */
  locked(): boolean;
  /** By the managed settings, no other rule may allow anything. */
  managed_rules_only(): boolean;
  /** Throws for a mode that is disabled here. */
  setMode(mode: PermissionMode): Promise<void>;
  warn(text: string): void;
}

/**
 * Questions go to whoever may answer; without one the answer is no. What an answer keeps is kept before the call goes on, as
 * it was shown; what cannot be kept is told, and the answer itself stands.
 */
export function keepAnswers(deps: KeepAnswersDeps): AskPort {
  return {
    async ask(question: PermissionQuestion, signal: AbortSignal): Promise<PermissionAnswer> {
      if (deps.ask === undefined) return { behavior: "deny", by: "headless" };
      const { updates = [], problems = [], ...answer } = await deps.ask(question, signal);
      for (const problem of problems) deps.warn(problem);
      const kept: string[] = [];
      let remember: "once" | KeepFor = "once";
      for (const update of updates) {
        try {
          const done = await carryOut(update, deps);
          kept.push(...done.kept);
          if (done.kept.length > 0 && rank(done.keep) > rank(remember)) remember = done.keep;
        } catch (error) {
          deps.warn(`What the answer wanted kept could not be kept: ${errorMessage(error)}`);
        }
      }
      return { ...answer, by: "user", remember, kept };
    },
  };
}

function rank(keep: "once" | KeepFor): number {
  return ["once", "session", "project", "user"].indexOf(keep);
}

async function carryOut(
  update: PermissionUpdate,
  deps: KeepAnswersDeps,
): Promise<{ keep: KeepFor; kept: string[] }> {
  if ("mode" in update) {
    await deps.setMode(update.mode);
    return { keep: "session", kept: [`mode ${update.mode}`] };
  }
  if ("rules" in update && update.list === "allow" && deps.managed_rules_only()) {
    throw new Error("the managed settings let only their own rules allow anything");
  }
  const here = deps.locked() ? keptHere(update, deps) : update;
  return { keep: here.keep, kept: await deps.kept.add(here) };
}

/** A locked run writes no file: what was to be kept for longer is kept for the session. */
function keptHere(update: KeptUpdate, { warn }: KeepAnswersDeps): KeptUpdate {
  if (update.keep === "session") return update;
  const what = "rules" in update ? update.rules : update.directories;
  warn(`This run is locked and writes no file: ${what.join(", ")} is kept for this session alone`);
  return { ...update, keep: "session" };
}
