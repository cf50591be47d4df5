import { errorMessage } from "../base/mod.ts";
import { ModelError } from "../model/mod.ts";
import type { ModelRequest } from "../model/mod.ts";
import { contextMessages } from "../session/mod.ts";
import { NO_USAGE } from "../types/mod.ts";
import type { AssistantMessage, ModelEvent } from "../types/mod.ts";
import type { CompactionRun } from "./compaction/compaction_run.ts";
import { contextTokens } from "./context/token_count.ts";
import type { AgentDeps, RunOptions } from "./run_options.ts";
import { runScope } from "./run_stages.ts";
import type { RunTotals } from "./run_totals.ts";

/** So often a request that the provider finds too long is made again with less. */
const MOST_OVERFLOWS = 2;

/**
 * The model request of a step that is committed already, of a conversation that fits: compacts before it where that is due, and
 * again where the provider says that it is too long. Streams, records retries and fallback as they happen, commits the
 * answer. Only a stream that came to its end gives an answer; otherwise the model's error is thrown.
 */
export async function requestModel(
  deps: AgentDeps,
  options: RunOptions,
  totals: RunTotals,
  signal: AbortSignal,
): Promise<ModelEvent & { type: "done" }> {
  const { compactor } = deps;
  if (compactor === undefined) return await ask(deps, options, totals, signal);
  const run = compactionRun(deps, options, totals, signal);
  await compactor.fit(run, signal);
  for (let overflows = 0;; overflows++) {
    try {
      return await ask(deps, options, totals, signal);
    } catch (error) {
      if (overflows === MOST_OVERFLOWS || !tooLong(error) || signal.aborted) throw error;
      if (!await compactor.overflow(run, signal)) throw error;
    }
  }
}

/** The provider's word that the prompt does not fit; nothing of an answer has been seen. */
function tooLong(error: unknown): boolean {
  return error instanceof ModelError && error.category === "window_overflow" && error.partial === null;
}

/** A run as its conversation is compacted in it. */
function compactionRun(
  deps: AgentDeps,
  options: RunOptions,
  totals: RunTotals,
  signal: AbortSignal,
): CompactionRun {
  const { session, model, tools, stages, hooks, cost } = deps;
  return {
    session,
    model,
    tools,
    ...(stages === undefined ? {} : { stages }),
    ...(hooks === undefined ? {} : { hooks }),
    scope: runScope(deps, options, signal),
    ...(options.standing === undefined ? {} : { standing: options.standing }),
    cost,
    used: (use) => totals.addBeside(use),
  };
}

async function ask(
  deps: AgentDeps,
  options: RunOptions,
  totals: RunTotals,
  signal: AbortSignal,
): Promise<ModelEvent & { type: "done" }> {
  const { session, model, world, emit } = deps;
  signal.throwIfAborted();
  const started = world.mono();
  let request: ModelRequest = {
    system: session.state.system,
    messages: contextMessages(session.state, model.name),
    tools: deps.tools.tools.map(({ name, description, input_schema }) => ({
      name,
      description,
      input_schema,
    })),
    ...(options.effort === undefined ? {} : { effort: options.effort }),
  };
  if (deps.stages?.empty("before_model") === false) {
    const moment = { request };
    await deps.stages.at("before_model", moment, runScope(deps, options, signal));
    request = moment.request;
  }
  const { tokens } = contextTokens(session.state, request.tools);
  if (tokens > model.window) {
    throw new ModelError(
      `The conversation has about ${tokens} tokens and the window of ${model.name} is ${model.window}: begin a new session, or raise --max-tokens or context_window`,
      { category: "window_overflow" },
    );
  }
  const left = Math.floor((model.window - tokens) * 0.95);
  if (left < model.max_output) request = { ...request, max_output: Math.max(1, left) };
  let message_id = world.uuid();
  let model_name = model.name;
  let streaming = false;
  /** What a dead attempt had said, under the id it was streamed with; never an answer. */
  const aborted = (partial: AssistantMessage | null, error: string) => {
    if (partial === null || !streaming) return;
    streaming = false;
    emit({
      type: "assistant",
      message_id,
      model: model_name,
      message: partial,
      stop: null,
      usage: NO_USAGE,
      error,
    });
  };
  const events = deathWatch(model.stream(request, signal), aborted);
  for await (const event of events) {
    emit({ type: "stream", event });
    switch (event.type) {
      case "start":
        message_id = event.message_id;
        model_name = event.model;
        streaming = true;
        break;
      case "text":
      case "thinking":
        totals.firstToken(world.mono() - started);
        break;
      case "tool_start":
        totals.firstToken(world.mono() - started);
        // its arguments are still coming: what will run it can start meanwhile
        deps.tools.prepare(event.name);
        deps.capture?.prepare(deps.tools.find(event.name));
        break;
      case "retry": {
        const { attempt, code, error, delay_ms, status, partial } = event;
        const command = { type: "record_retry", attempt, code, error, delay_ms, partial } as const;
        await session.execute(status === undefined ? command : { ...command, status });
        aborted(partial, error);
        break;
      }
      case "fallback":
        await session.execute({
          type: "record_fallback",
          from: event.from,
          to: event.to,
          reason: event.reason,
        });
        break;
      case "done": {
        const duration_ms = world.mono() - started;
        const cost_usd = deps.cost(event.model, event.usage);
        await session.execute({
          type: "record_answer",
          model: event.model,
          message_id: event.message_id,
          message: event.message,
          stop: event.stop,
          usage: event.usage,
          cost_usd,
          duration_ms: Math.round(duration_ms),
        });
        totals.add(event.model, event.usage, cost_usd, duration_ms);
        emit({
          type: "assistant",
          message_id: event.message_id,
          model: event.model,
          message: event.message,
          stop: event.stop,
          usage: event.usage,
        });
        return event;
      }
    }
  }
  throw new ModelError("The model's stream ended without an answer", { category: "network" });
}

/** Passes events on; tells what a stream that fails for good had said before its error is thrown. */
async function* deathWatch(
  events: AsyncIterable<ModelEvent>,
  tell: (partial: AssistantMessage | null, error: string) => void,
): AsyncGenerator<ModelEvent> {
  try {
    yield* events;
  } catch (error) {
    if (error instanceof ModelError) tell(error.partial, errorMessage(error));
    throw error;
  }
}
