import type { RunResult } from "../types/mod.ts";
import type { EmitRunEvent, HookPort } from "./ports.ts";
import type { AgentDeps, RunOptions } from "./run_options.ts";

/** How often hooks may keep a run going when it wants to end. */
const MOST_STOPS = 8;

/** What became of a prompt before its run begins: it goes on, with what hooks add, or it is blocked. */
export type SubmittedPrompt = { options: RunOptions } | { blocked: string };

/** Shows the prompt to hooks. A blocked one never reaches the model or the conversation. */
export async function submitPrompt(
  { hooks }: AgentDeps,
  options: RunOptions,
  signal: AbortSignal,
): Promise<SubmittedPrompt> {
  if (hooks === undefined || !hooks.waits("UserPromptSubmit")) return { options };
  const { prompt } = options;
  const said = await hooks.run({ event: "UserPromptSubmit", subject: [], fields: { prompt } }, signal);
  const refusal = said.block ?? said.stop;
  if (refusal !== undefined) {
    return { blocked: `A hook blocked the prompt: ${refusal.reason} (${refusal.hook})` };
  }
  return { options: { ...options, context: withHookContext(options.context, said.context) } };
}

/** Facts of the moment with what hooks add. */
export function withHookContext(context: string, added: readonly string[]): string {
  if (added.length === 0) return context;
  const blocks = added.map((text) => `<hook_context>\n${text}\n</hook_context>`);
  return [context, ...blocks].filter((text) => text !== "").join("\n");
}

/** Asks hooks whether a run that has its answer may end. */
export class StopHooks {
  readonly #hooks: HookPort | undefined;
  readonly #emit: EmitRunEvent;
  readonly #tell: () => void;
  #kept = 0;

  constructor({ hooks, emit, world }: Pick<AgentDeps, "hooks" | "emit" | "world">, run_id: string) {
    this.#hooks = hooks;
    this.#emit = emit;
    this.#tell = () => world.stage?.(run_id, "end", "hooks");
  }

  /** Why the run goes on, for the model; undefined when it may end. */
  async goesOn(answer: string, signal: AbortSignal): Promise<string | undefined> {
    if (this.#hooks === undefined || !this.#hooks.waits("Stop")) return undefined;
    this.#tell();
    const fields = { stop_hook_active: this.#kept > 0, last_assistant_message: answer };
    const { block, stop } = await this.#hooks.run({ event: "Stop", subject: [], fields }, signal);
    if (block === undefined || stop !== undefined) return undefined;
    if (this.#kept === MOST_STOPS) {
      const text =
        `Hooks have kept this run going ${MOST_STOPS} times; it ends now, though ${block.hook} blocks it again`;
      this.#emit({ type: "warning", text });
      return undefined;
    }
    this.#kept++;
    return `A hook does not let you stop yet: ${block.reason}`;
  }
}

/** Tells hooks that the model's failure has ended a run; what they say changes nothing. */
export async function stopFailed(
  { hooks }: Pick<AgentDeps, "hooks">,
  error: RunResult["error"],
  answer: string,
  signal: AbortSignal,
): Promise<void> {
  if (hooks === undefined || error === undefined || !error.code.startsWith("model.")) return;
  if (signal.aborted || !hooks.waits("StopFailure")) return;
  const kind = error.code.slice("model.".length);
  const fields = { error: kind, error_details: error.message, last_assistant_message: answer };
  try {
    await hooks.run({ event: "StopFailure", subject: [kind], fields }, signal);
  } catch (failure) {
    if (!signal.aborted) throw failure; // interrupted while they were told: the run has ended already
  }
}
