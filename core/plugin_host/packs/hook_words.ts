import type { HookEvent } from "../../plugin_api/mod.ts";
import { quoted } from "../quoted.ts";
import type { PackHook } from "./pack_hook.ts";

/** What a hook of an event sees, `{}` standing for the calls that fit, and what it may do then. */
const WORDS: Partial<Record<HookEvent, [sees: string, may?: string]>> = {
  SessionStart: ["runs when a session starts", "tell the model something"],
  UserPromptSubmit: ["sees every prompt before the model does", "refuse it or add to it"],
  PreToolUse: ["sees {} before it runs", "refuse it or change it"],
  PermissionRequest: ["sees every question about {}", "answer no"],
  PermissionDenied: ["sees {} that was refused"],
  PostToolUse: ["sees {} with its result", "change what the model reads of it"],
  PostToolUseFailure: ["sees {} that has failed", "tell the model something"],
  PostToolBatch: ["sees the tool calls of each step with their results", "end the run"],
  Notification: ["sees every notification"],
  Stop: ["runs when the model has finished", "make it go on"],
  StopFailure: ["runs when a run has failed"],
  SubagentStart: ["runs when a sub-agent starts", "tell it something"],
  SubagentStop: ["runs when a sub-agent has finished", "make it go on"],
  PreCompact: ["runs before the conversation is shortened", "refuse that"],
  PostCompact: ["runs after the conversation was shortened"],
  SessionEnd: ["runs when a session ends"],
};

/** What only a hook may do that no repository brought. */
const TRUSTED: Partial<Record<HookEvent, string>> = {
  PreToolUse: "refuse it, change it, or allow what the mode would ask about",
  PermissionRequest: "answer no, or yes where no rule asks",
};

/** What a hook does, in words for the person who lets it: `from_project` of a pack that a repository brings. */
export function hookWords(hook: PackHook, from_project: boolean): string {
  const { event, matcher, capabilities } = hook;
  const [sees, usual] = WORDS[event] ?? [`runs at ${event}`];
  const may = (from_project ? undefined : TRUSTED[event]) ?? usual;
  const all = matcher === undefined || matcher === "" || matcher === "*";
  const which = sees.replace(
    "{}",
    all ? "every tool call" : `every tool call that fits ${quoted(matcher, Infinity)}`,
  );
  const only = all || which !== sees ? "" : ` that fits ${quoted(matcher, Infinity)}`;
  const uses = capabilities.length === 0
    ? ""
    : `; it uses ${capabilities.join(", ")} without a question each time`;
  return `${which}${only}${may === undefined ? "" : ` and may ${may}`}${uses}`;
}

/** What an approval of a hook is bound to: another one is asked about again. */
export function hookApproval({ event, matcher, capabilities, programs }: PackHook): string {
  return JSON.stringify([event, matcher ?? "*", [...capabilities].sort(), [...programs].sort()]);
}

/** The hooks that nobody has let yet. */
export function newHooks(hooks: readonly PackHook[], approved: readonly string[] = []): PackHook[] {
  const known = new Set(approved);
  return hooks.filter((hook) => !known.has(hookApproval(hook)));
}
