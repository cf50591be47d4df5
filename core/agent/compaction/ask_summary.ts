import { errorMessage } from "../../base/mod.ts";
import type { World } from "../../base/mod.ts";
import { ModelError } from "../../model/mod.ts";
import type { Model } from "../../model/mod.ts";
import { messageText } from "../../types/mod.ts";
import type { Message, ModelEvent, Usage } from "../../types/mod.ts";
import { textTokens } from "../context/token_count.ts";
import { summaryText } from "./summary_text.ts";

/** Requests that one summary may take. */
const ATTEMPTS = 2;

/** What one answered request took. */
export interface SummaryUse {
  model: string;
  usage: Usage;
  duration_ms: number;
}

/** A summary, or why there is none. */
export type Summary = { text: string; model: string } | { failure: string };

export interface SummaryRequest {
  model: Model;
  world: World;
  /** What the model is told about its task; `{{words}}` is what it may write. */
  prompt: string;
  /** The part of the conversation that goes. */
  messages: readonly Message[];
  /** What stood in the place of what came before. */
  earlier: string;
  /** What the person, or a hook, wants the summary to keep. */
  instructions: string;
  /** Tokens of the window that the request and its answer share. */
  window: number;
  /** Tokens that the summary may have. */
  length: number;
  /** Told of each answered request before the next one. */
  used(use: SummaryUse): Promise<void>;
}

/**
 * Asks the model to sum up. An empty answer, a refusal, or a request that is still too long is asked for once more, the
 * latter with half as much. Failures of the model are an outcome; only an abort throws.
 */
export async function askSummary(request: SummaryRequest, signal: AbortSignal): Promise<Summary> {
  const { model, world } = request;
  const words = Math.max(60, Math.floor(request.length / 2));
  const system = request.prompt.replaceAll("{{words}}", String(words));
  const focus = request.instructions.trim();
  const wish = focus === "" ? "" : `\n\nThe person wants this to be kept above all: ${focus}`;
  const output = Math.min(request.length * 2, model.max_output);
  let budget = Math.floor((request.window - output - textTokens(system + wish)) * 0.9);
  let failure = "";
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    signal.throwIfAborted();
    if (budget < 200) return { failure: `the window of ${model.name} leaves no room for a summary` };
    const text = `${summaryText(request.messages, request.earlier, budget)}${wish}`;
    const started = world.mono();
    try {
      const messages: Message[] = [{ role: "user", content: [{ type: "text", text }] }];
      const answer = await ask(model, { system, messages, tools: [], max_output: output }, signal);
      await request.used({
        model: answer.model,
        usage: answer.usage,
        duration_ms: Math.round(world.mono() - started),
      });
      const said = messageText(answer.message).trim();
      if (answer.stop === "refusal") failure = `${answer.model} refused to write it`;
      else if (said === "") failure = `${answer.model} gave an empty answer`;
      else return { text: said, model: answer.model };
    } catch (error) {
      if (signal.aborted || !(error instanceof ModelError)) throw error;
      failure = errorMessage(error);
      if (error.category === "window_overflow") budget = Math.floor(budget / 2);
      else if (!error.passing) break;
    }
  }
  return { failure };
}

async function ask(
  model: Model,
  request: Parameters<Model["stream"]>[0],
  signal: AbortSignal,
): Promise<ModelEvent & { type: "done" }> {
  for await (const event of model.stream(request, signal)) if (event.type === "done") return event;
  throw new ModelError("The model's stream ended without an answer", { category: "network" });
}
