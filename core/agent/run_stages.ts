import type { HookEvent } from "../types/mod.ts";
import type { AgentDeps, RunOptions } from "./run_options.ts";
import { submitPrompt } from "./run_hooks.ts";
import type { SubmittedPrompt } from "./run_hooks.ts";
import { NO_STAGES } from "./stages.ts";
import type { OwnParts, RunScope } from "./stages.ts";
import { tellInbox } from "./tell_inbox.ts";

/** The run as its participants see it. */
export function runScope(deps: AgentDeps, { run_id }: RunOptions, signal: AbortSignal): RunScope {
  const { session, model, world, emit, hooks } = deps;
  return { run_id, session, model, world, signal, emit, ...(hooks === undefined ? {} : { hooks }) };
}

/** What begins a run: the start of the session once, then the prompt, with what hooks and features add to it. */
export async function beginStages(
  deps: AgentDeps,
  given: RunOptions,
  signal: AbortSignal,
): Promise<SubmittedPrompt> {
  const { stages = NO_STAGES } = deps;
  const run = runScope(deps, given, signal);
  if (given.first === true) await stages.at("session_start", {}, run);
  const context: string[] = [];
  let submitted: SubmittedPrompt = { options: given };
  const hooks = async () => {
    submitted = await submitPrompt(deps, given, signal);
    return "blocked" in submitted ? "stop" : undefined;
  };
  await stages.at("prompt", { prompt: given.prompt, context }, run, waits(deps, "UserPromptSubmit", hooks));
  if ("blocked" in submitted || context.length === 0) return submitted;
  const { options } = submitted as { options: RunOptions };
  const whole = [options.context, ...context].filter((text) => text !== "").join("\n");
  return { options: { ...options, context: whole } };
}

/** The hooks of an event as a part of its stage; none where nobody waits for it. */
function waits(
  { hooks }: AgentDeps,
  event: HookEvent,
  part: () => Promise<"stop" | undefined>,
): OwnParts {
  return hooks?.waits(event) === true ? { hooks: part } : {};
}

/** What features tell the model before its next request. */
export async function contextStage(
  deps: AgentDeps,
  options: RunOptions,
  step: number,
  signal: AbortSignal,
): Promise<void> {
  if (deps.stages === undefined || deps.stages.empty("context")) return;
  const notes: string[] = [];
  await deps.stages.at("context", { notes, step }, runScope(deps, options, signal));
  if (notes.length > 0) await note(deps, notes.join("\n\n"));
}

/**
 * Takes what a person typed meanwhile, and what background work tells whose end the run waits for; true when the run has to
 * go on because of it.
 */
export async function steered(deps: AgentDeps, options: RunOptions, signal: AbortSignal): Promise<boolean> {
  const { inbox } = deps;
  if (inbox === undefined) return false;
  const scope = runScope(deps, options, signal);
  if (deps.awaits?.() === true) {
    await inbox.arrival(signal);
    await tellInbox(inbox, scope);
    return true;
  }
  return inbox.wakes() && await tellInbox(inbox, scope);
}

/** Tells the model something that no person typed, in a message of its own. */
export async function note(deps: AgentDeps, text: string): Promise<void> {
  await deps.session.execute({ type: "add_note", text });
  deps.emit({ type: "user", text, synthetic: true });
}
