import type { HookEvent } from "../../plugin_api/mod.ts";
import { isJsonObject } from "../../types/mod.ts";
import type { JsonObject } from "../../types/mod.ts";
import { hookAsTool } from "../packs/pack_hook.ts";
import type { PackHook } from "../packs/pack_hook.ts";
import type { AddRow } from "./check_row.ts";
import type { PackRuns } from "./pack_runs.ts";
import { sampleMoments } from "./sample_moment.ts";

/** The protocol of hooks, as sessions read it. */
export interface HookProtocol {
  /** Whether a matcher takes what it is held against. */
  fits(matcher: string | undefined, subject: string): boolean;
  /** What a session would not understand of an answer, one line each. */
  problems(event: HookEvent, answer: JsonObject): string[];
  /** False for an event that this version never comes to. */
  fired(event: HookEvent): boolean;
}

/** The words of an answer; any other has no effect, which its author would hardly want. */
const WORDS = [
  "continue",
  "stopReason",
  "systemMessage",
  "suppressOutput",
  "decision",
  "reason",
  "hookSpecificOutput",
];
const SPECIFIC = [
  "hookEventName",
  "permissionDecision",
  "permissionDecisionReason",
  "updatedInput",
  "additionalContext",
  "updatedToolOutput",
  "decision",
];

/** Calls one hook with moments of its event, and cancels it once. */
export async function checkHook(
  hook: PackHook,
  runs: PackRuns,
  protocol: HookProtocol,
  row: AddRow,
): Promise<void> {
  const { event, handler, matcher } = hook;
  const name = `${handler} (${event})`;
  const list = matcher?.split(/[|,]/)[0]?.trim() ?? "";
  const moments = sampleMoments(
    event,
    runs.workspace,
    (subject) => protocol.fits(matcher, subject),
    /^[\w-]+$/.test(list) ? list : "Bash",
  );
  const later = protocol.fired(event) ? "" : "; no session of this version comes to this event";
  let slowest = 0;
  const wrong: string[] = [];
  for (const { subject, input } of moments) {
    const at = subject === "" ? "" : ` for ${subject}`;
    const { problem, outcome, ms } = await runs.answer(hook, input);
    slowest = Math.max(slowest, ms);
    const failed = problem ?? (outcome?.is_error === true ? `${outcome.content.slice(0, 200)}` : undefined);
    if (failed !== undefined) return void row("answers", `${failed}${at}`, "", name);
    wrong.push(...answerProblems(event, outcome?.data, protocol).map((line) => `${line}${at}`));
  }
  const times = moments.length === 1 ? "" : `${moments.length} times, `;
  row("answers", undefined, `${times}after ${slowest} ms at most${later}`, name);
  row("answer is understood", wrong[0], "by the words of the protocol", name);
  const [first] = moments;
  if (first === undefined) return;
  const cancelled = await runs.cancelled(hookAsTool(hook), first.input, hook);
  row("can be cancelled", cancelled.problem, cancelled.detail, name);
}

function answerProblems(event: HookEvent, answer: JsonObject | undefined, protocol: HookProtocol): string[] {
  if (answer === undefined) return [];
  const specific = answer["hookSpecificOutput"];
  return [
    ...protocol.problems(event, answer),
    ...Object.keys(answer).filter((key) => !WORDS.includes(key)).map((key) =>
      SPECIFIC.includes(key)
        ? `${key} belongs into hookSpecificOutput`
        : `no event knows ${JSON.stringify(key)}`
    ),
    ...Object.keys(isJsonObject(specific) ? specific : {}).filter((key) => !SPECIFIC.includes(key)).map((
      key,
    ) => `no hookSpecificOutput has ${JSON.stringify(key)}`),
  ];
}
