import type { AgentDeps, RunOptions } from "./run_options.ts";
import type { RunScope } from "./stages.ts";

/** The run as its participants see it. */
export function runScope(deps: AgentDeps, { run_id }: RunOptions, signal: AbortSignal): RunScope {
  const { session, model, world, emit } = deps;
  return { run_id, session, model, world, signal, emit };
}

/** What features add to a prompt. */
export async function promptStage(
  deps: AgentDeps,
  options: RunOptions,
  signal: AbortSignal,
): Promise<RunOptions> {
  if (deps.stages === undefined || deps.stages.empty("prompt")) return options;
  const context: string[] = [];
  await deps.stages.at("prompt", { prompt: options.prompt, context }, runScope(deps, options, signal));
  if (context.length === 0) return options;
  return { ...options, context: [options.context, ...context].filter((text) => text !== "").join("\n") };
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

/** Tells the model something that no person typed, in a message of its own. */
export async function note(deps: AgentDeps, text: string): Promise<void> {
  await deps.session.execute({ type: "add_note", text });
  deps.emit({ type: "user", text, synthetic: true });
}
