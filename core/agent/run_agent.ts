import type { Denial, RunResult, StopReason } from "../types/mod.ts";
import { messageText } from "../types/mod.ts";
import type { AgentDeps, RunOptions } from "./run_options.ts";
import { executeCalls } from "./execute_calls.ts";
import { beginStages, contextStage, note, runScope, steered } from "./run_stages.ts";
import { abandonRun, noteCapture } from "./abandon_run.ts";
import type { Ending } from "./abandon_run.ts";
import { requestModel } from "./request_model.ts";
import { stopFailed, StopHooks } from "./run_hooks.ts";
import { RunTotals } from "./run_totals.ts";
import { StopRules } from "./stop_rules.ts";
import { storedResult } from "./stored_result.ts";
import { batchHooks } from "./tool_hooks.ts";

/** A cut answer is continued at most this often. */
const MAX_CONTINUATIONS = 3;

/**
 * One run: compile, ask the model, gate and run its tools, repeat, until it answers or a limit, a rule, a failure or
 * the signal ends it. Everything is committed before it has an effect. Never throws: the result says how it ended.
 */
export async function runAgent(
  deps: AgentDeps,
  given: RunOptions,
  signal: AbortSignal,
): Promise<RunResult> {
  const { session, world } = deps;
  const started = world.mono();
  const duration_ms = () => Math.round(world.mono() - started);
  const totals = new RunTotals();
  const denials: Denial[] = [];
  const answer: { parts: string[]; stop?: StopReason } = { parts: [] };
  let ending: Ending;
  try {
    const submitted = await beginStages(deps, given, signal);
    if ("blocked" in submitted) {
      tellStart(deps, given);
      ending = { status: "blocked", error: { code: "agent.prompt_blocked", message: submitted.blocked } };
    } else {
      const { options } = submitted;
      const earlier = await start(deps, options);
      if (earlier !== undefined) return earlier;
      ending = await drive(deps, options, signal, { totals, denials, answer });
      const left = await deps.capture?.end(signal);
      world.failpoint?.("run.before_finish");
      await session.execute(...noteCapture(left), {
        type: "finish_run",
        status: ending.status,
        ...(ending.error === undefined ? {} : { error: ending.error }),
        denials: denials.length,
        duration_ms: duration_ms(),
      });
      world.failpoint?.("run.after_finish");
    }
  } catch (error) {
    ending = await abandonRun(deps, error, signal, { denials: denials.length, duration_ms });
  }
  if (ending.status === "failed") {
    await stopFailed(deps, ending.error, answer.parts.join(""), signal);
  }
  for (const use of deps.besideUse?.() ?? []) totals.addBeside(use);
  denials.push(...deps.besideDenied?.() ?? []);
  const result: RunResult = {
    status: ending.status,
    answer: ending.status === "success" ? answer.parts.join("") : "",
    ...(ending.structured === undefined ? {} : { structured: ending.structured }),
    ...(ending.error === undefined ? {} : { error: ending.error }),
    ...(answer.stop === undefined ? {} : { stop: answer.stop }),
    ...totals.summary(),
    duration_ms: duration_ms(),
    denials,
  };
  await deps.stages?.atEnd({ result }, runScope(deps, given, new AbortController().signal));
  deps.emit({ type: "run_finished", run_id: given.run_id, result });
  return result;
}

/** Records the start; gives the stored result when this very command has already been carried out. */
async function start(deps: AgentDeps, options: RunOptions): Promise<RunResult | undefined> {
  const { session, model } = deps;
  const { run_id, prompt, context, mode, system, once } = options;
  await session.execute({ type: "set_prompt", system }); // writes nothing while the prompt is the same
  const names = toolNames(deps);
  const command = {
    type: "start_run",
    run_id,
    step_id: deps.world.uuid(),
    prompt,
    context,
    model: model.name,
    mode,
    tools: names,
    ...(options.media === undefined ? {} : { media: options.media }),
    ...(options.typed === false ? { typed: false } : {}),
  } as const;
  if (once === undefined) await session.execute(command);
  else {
    const { replayed, result } = await session.executeOnce(command, once);
    if (replayed) return await repeat(deps, options, (result as { run_id: string }).run_id);
  }
  await session.execute(...options.warnings.map((text) => ({ type: "warn", text }) as const));
  tellStart(deps, options);
  return undefined;
}

function tellStart(deps: AgentDeps, { run_id, mode }: RunOptions): void {
  const { session_id, cwd } = deps.session.state;
  const { name } = deps.model;
  deps.emit({ type: "run_started", run_id, session_id, cwd, model: name, mode, tools: toolNames(deps) });
}

function toolNames({ tools }: AgentDeps): string[] {
  return tools.tools.map((tool) => tool.name);
}

/** Tells the result of the run that the same prompt has already had. */
async function repeat(deps: AgentDeps, { answer_check }: RunOptions, run_id: string): Promise<RunResult> {
  const result = storedResult(await deps.session.runEvents(run_id), answer_check);
  deps.emit({
    type: "warning",
    text: "This prompt has already been run in this session: what follows is its stored result",
  });
  deps.emit({ type: "run_finished", run_id, result });
  return result;
}

interface Progress {
  totals: RunTotals;
  denials: Denial[];
  answer: { parts: string[]; stop?: StopReason };
}

async function drive(
  deps: AgentDeps,
  options: RunOptions,
  signal: AbortSignal,
  progress: Progress,
): Promise<Ending> {
  const rules = new StopRules(options);
  const stops = new StopHooks(deps, options.run_id);
  let continuations = 0;
  let repaired = false;
  for (let step = 0; step < options.max_steps; step++) {
    signal.throwIfAborted();
    if (step > 0) await deps.session.execute({ type: "start_step", step_id: deps.world.uuid() });
    await contextStage(deps, options, step, signal);
    const answered = await requestModel(deps, options, progress.totals, signal);
    const { message, stop } = answered;
    progress.answer.stop = stop;
    await deps.stages?.at("after_model", { answered }, runScope(deps, options, signal));
    const calls = message.content.filter((block) => block.type === "tool_use");
    if (calls.length > 0) {
      progress.answer.parts = [];
      const executed = await executeCalls({ ...deps, run: runScope(deps, options, signal) }, calls, signal);
      for (const { denial } of executed) if (denial !== undefined) progress.denials.push(denial);
      const batch = await batchHooks(deps, executed, signal);
      const ended = batch?.block ?? batch?.stop ?? executed.find(({ ended }) => ended !== undefined)?.ended;
      if (ended !== undefined) {
        const message = `A hook ended the run: ${ended.reason} (${ended.hook})`;
        return { status: "blocked", error: { code: "agent.hook_stopped", message } };
      }
      const rule = rules.observe(executed);
      if (rule.stop !== undefined) {
        return { status: rule.stop.code === "agent.denied" ? "blocked" : "failed", error: rule.stop };
      }
      const notes = [...rule.note === undefined ? [] : [rule.note], ...batch?.context ?? []];
      if (notes.length > 0) await note(deps, notes.join("\n\n"));
      continue;
    }
    if (stop === "pause") continue;
    progress.answer.parts.push(messageText(message));
    if (stop === "refusal") {
      const said = messageText(message).trim();
      const words = said === "" ? "" : `: ${said.slice(0, 300)}`;
      return {
        status: "failed",
        error: { code: "model.refusal", message: `The model refused to answer${words}` },
      };
    }
    if (stop === "max_tokens") {
      if (++continuations > MAX_CONTINUATIONS) {
        const text = `The answer was still cut by the output limit after ${MAX_CONTINUATIONS} continuations`;
        return { status: "failed", error: { code: "model.max_output_tokens", message: text } };
      }
      await note(deps, "Your answer was cut off by the output limit. Continue exactly where it stopped.");
      continue;
    }
    // in its last step a run cannot go on: the message begins the next one
    if (step + 1 < options.max_steps && await steered(deps, options, signal)) {
      progress.answer.parts = [];
      continue;
    }
    const said = progress.answer.parts.join("");
    const checked = options.answer_check?.(said) ?? { ok: true, value: undefined };
    if (checked.ok) {
      const reason = await stops.goesOn(said, signal);
      if (reason === undefined) {
        return { status: "success", ...(checked.value === undefined ? {} : { structured: checked.value }) };
      }
      progress.answer.parts = [];
      await note(deps, reason);
      continue;
    }
    if (repaired) {
      const text = `The answer does not fit the JSON Schema: ${checked.problems.join("; ")}`;
      return { status: "answer_schema", error: { code: "agent.answer_schema", message: text } };
    }
    repaired = true;
    progress.answer.parts = [];
    await note(
      deps,
      `Your answer does not fit the JSON Schema: ${
        checked.problems.join("; ")
      }. Answer again with the JSON value alone.`,
    );
  }
  const message =
    `The run used all its ${options.max_steps} model requests; continue it with --continue or raise --max-turns`;
  return { status: "max_turns", error: { code: "agent.max_turns", message } };
}
