import { estimateTokens } from "../../agent/mod.ts";
import type { BesideUse } from "../../agent/mod.ts";
import type { World } from "../../base/mod.ts";
import type { ModelOptions, OpenModel } from "../../model/mod.ts";
import { serviceFailure } from "../../plugin_host/services/mod.ts";
import type { ServiceCall } from "../../plugin_host/services/mod.ts";
import type { Session } from "../../session/mod.ts";
import { messageText } from "../../types/mod.ts";
import type { ModelEvent } from "../../types/mod.ts";

export interface ModelServiceDeps {
  session: Session;
  world: World;
  /** Tokens of each pack in this run; 0: none. */
  budget: number;
  /** What the session's model gives in one answer, tokens. */
  max_output: number;
  /** Answers come from a recording: nothing else may be asked. */
  replayed: boolean;
  makeModel(adjust: (options: ModelOptions) => ModelOptions): Promise<OpenModel>;
}

/** Requests of packs to the session's model during one run, each pack within its budget. */
export class ModelService {
  readonly #deps: ModelServiceDeps;
  /** What each pack has used, with what its open requests may still use. */
  readonly #used = new Map<string, number>();
  #beside: BesideUse[] = [];

  constructor(deps: ModelServiceDeps) {
    this.#deps = deps;
  }

  /** What has been used since this was last asked. */
  takeUse(): BesideUse[] {
    return this.#beside.splice(0);
  }

  /** One answer, as text; throws a `ServiceError` with `quota`, `unavailable` or `failed`, or the signal's reason. */
  async complete(
    { system, prompt, max_tokens }: { system: string; prompt: string; max_tokens?: number },
    { pack, signal }: ServiceCall,
  ): Promise<string> {
    const { budget, max_output, replayed, session, world } = this.#deps;
    if (replayed) throw serviceFailure("unavailable", "This session is a replay: nothing asks a model");
    const request = {
      system,
      messages: [{ role: "user" as const, content: [{ type: "text" as const, text: prompt }] }],
      tools: [],
    };
    const asked = estimateTokens(request);
    const left = budget - (this.#used.get(pack.id) ?? 0) - asked;
    if (left < 1) {
      throw serviceFailure(
        "quota",
        `The plugin ${pack.id} may use ${budget} tokens of the model in a run (plugin_model_tokens), and this request would go beyond`,
      );
    }
    const output = Math.min(max_tokens ?? left, left, max_output);
    const reserved = asked + output;
    this.#add(pack.id, reserved);
    let used = asked;
    const started = world.mono();
    let model: OpenModel | undefined;
    try {
      model = await this.#model(output);
      const done = await answerOf(model.stream(request, signal));
      const { input, output: written, cache_read, cache_write } = done.usage;
      used = Math.max(input + written + cache_read + cache_write, 1);
      const cost_usd = model.costOf(done.model, done.usage);
      this.#beside.push({ model: done.model, usage: done.usage, cost_usd });
      await session.execute({
        type: "note_plugin_usage",
        model: done.model,
        usage: done.usage,
        cost_usd,
        duration_ms: Math.round(world.mono() - started),
      });
      return messageText(done.message);
    } finally {
      this.#add(pack.id, used - reserved);
      model?.close();
    }
  }

  #add(pack: string, tokens: number): void {
    this.#used.set(pack, (this.#used.get(pack) ?? 0) + tokens);
  }

  /** The session's model, with no more output than this; a model of its own, since a limit belongs to one. */
  async #model(output: number): Promise<OpenModel> {
    const limited = <T extends { max_output_tokens?: number }>(endpoint: T): T => ({
      ...endpoint,
      max_output_tokens: Math.min(output, endpoint.max_output_tokens ?? output),
    });
    return await this.#deps.makeModel((options) => ({
      ...options,
      primary: limited(options.primary),
      ...(options.fallback === undefined ? {} : { fallback: limited(options.fallback) }),
    }));
  }
}

async function answerOf(events: AsyncIterable<ModelEvent>): Promise<ModelEvent & { type: "done" }> {
  for await (const event of events) if (event.type === "done") return event;
  throw serviceFailure("failed", "The model's stream ended without an answer");
}
