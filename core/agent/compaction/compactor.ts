import type { World } from "../../base/mod.ts";
import { ModelError } from "../../model/mod.ts";
import type { Model } from "../../model/mod.ts";
import { contextMessages, keptFrom } from "../../session/mod.ts";
import { contextTokens, messageTokens, textTokens, toolTokens } from "../context/token_count.ts";
import { askSummary } from "./ask_summary.ts";
import { beforeCompaction, notesAfter, toldAfter } from "./compaction_stages.ts";
import type { CompactionRun } from "./compaction_run.ts";
import { CompactionError } from "./compaction_error.ts";
import type { CompactionTrigger, CompactReport } from "./compact_report.ts";
import { cutPoint } from "./cut_point.ts";
import { headTexts, requestsOf } from "./head_texts.ts";
import type { KeptFile } from "./head_texts.ts";
import { isThrashing } from "./progress.ts";
import { recentFiles } from "./recent_files.ts";
import { cutResults, savedTokens, shortenResults } from "./shorten_results.ts";
import type { ShorterResult } from "./shorten_results.ts";

/** Failed summaries in a row after which none is tried by itself any more. */
const MOST_FAILURES = 3;
/** Of the room beside system prompt and tools, the last messages may keep this share, at most so many of them. */
const TAIL = 0.25;
const MOST_KEPT = 30;
/** Shortening results alone is enough when it brings the conversation below this share of the limit. */
const ENOUGH = 0.7;
/** Tokens of a summary: this share of the room, within bounds. */
const SUMMARY = { share: 0.12, least: 200, most: 4_000 };
/** With less room beside system prompt and tools no conversation is possible. */
const LEAST_ROOM = 500;

/** What compactions of a session need beside the run that they happen in. */
export interface CompactorDeps {
  world: World;
  /** Share of the window from which on the conversation is compacted. */
  threshold(): number;
  /** What the model that sums up is told about its task. */
  prompt(): Promise<string>;
  /** The model that sums up; undefined: that of the run. */
  summaryModel?(): Promise<{ model: Model; close(): void } | undefined>;
  /** The text of a file whose bytes are still those that were read; undefined when they are not. */
  readSeen?(path: string, sha256: string): Promise<string | undefined>;
  /** Keeps a result that cannot be had again; says where. */
  keep?(call_id: string, content: string): Promise<string | undefined>;
}

/**
 * Keeps one conversation within its model's window. What is cheap comes first: noise and old results are shortened; then
 * the model sums up the beginning, having seen the results. Each compaction is recorded before it counts; the
 * conversation itself stays whole in the journal.
 */
export class Compactor {
  readonly #deps: CompactorDeps;
  #failures = 0;
  /** The run that was told of a hook's refusal. */
  #told = "";
  /** What a provider has shown its model's window to be, where that is less than it is said to be. */
  readonly #caps = new Map<string, number>();

  constructor(deps: CompactorDeps) {
    this.#deps = deps;
  }

  /**
   * Before a request: compacts when the conversation has reached its limit. Throws a `ModelError` `window_overflow` when
   * it does not fit whatever is done, and `agent.compaction_thrash` when compactions bring the run no further.
   */
  async fit(run: CompactionRun, signal: AbortSignal): Promise<void> {
    const { tokens } = contextTokens(run.session.state, run.tools.tools);
    if (tokens <= this.#limit(run.model)) return;
    this.#assertRoom(run);
    if (isThrashing(run.session.state)) {
      throw new CompactionError(
        "compaction_thrash",
        "The conversation was compacted again and again and the model only repeated calls that it had already made: " +
          "give it a smaller task, or a model with a larger window",
      );
    }
    await this.#compact(run, "auto", "", signal);
    const left = contextTokens(run.session.state, run.tools.tools).tokens;
    if (left > this.#window(run.model)) throw this.#tooLong(run.model, left);
  }

  /** The provider found a request too long: false when nothing could be done about it. */
  async overflow(run: CompactionRun, signal: AbortSignal): Promise<boolean> {
    const { tokens } = contextTokens(run.session.state, run.tools.tools);
    if (isThrashing(run.session.state)) return false;
    const { name } = run.model;
    const before = this.#caps.get(name) ?? Infinity;
    const least = Math.ceil((fixedTokens(run) + LEAST_ROOM) / this.#deps.threshold());
    this.#caps.set(name, Math.max(least, Math.floor(before === Infinity ? tokens * 0.9 : before * 0.5)));
    const { tier } = await this.#compact(run, "overflow", "", signal);
    if (tier === "none") {
      this.#caps.set(name, before); // what was too long cannot be made shorter: the next conversation may well fit
      return false;
    }
    const text = `${name} found the conversation of about ${tokens} tokens too long: it was compacted`;
    run.scope.emit({ type: "warning", text });
    return true;
  }

  /** On a person's word, whatever the size. Throws `agent.compaction_failed` or `agent.compaction_blocked`. */
  async compact(run: CompactionRun, instructions: string, signal: AbortSignal): Promise<CompactReport> {
    this.#assertRoom(run);
    this.#failures = 0;
    return await this.#compact(run, "manual", instructions, signal);
  }

  async #compact(
    run: CompactionRun,
    trigger: CompactionTrigger,
    wish: string,
    signal: AbortSignal,
  ): Promise<CompactReport> {
    const { session } = run;
    const begun = await beforeCompaction(run, trigger, wish, signal);
    const before = contextTokens(session.state, run.tools.tools).tokens;
    const nothing: CompactReport = {
      tier: "none",
      trigger,
      tokens_before: before,
      tokens_after: before,
      messages: 0,
      results: 0,
    };
    if ("blocked" in begun) {
      if (trigger === "manual") throw new CompactionError("compaction_blocked", begun.blocked);
      // asked before each request from now on, told once a run
      if (this.#told !== run.scope.run_id) {
        this.#told = run.scope.run_id;
        await session.execute({ type: "warn", text: begun.blocked });
        run.scope.emit({ type: "warning", text: begun.blocked });
      }
      return { ...nothing, reason: begun.blocked };
    }
    const limit = this.#limit(run.model);
    const room = Math.max(LEAST_ROOM, limit - fixedTokens(run));
    const shorter = await shortenResults(
      session.state,
      room * TAIL,
      (call, content) => this.#again(run, call, content),
    );
    const saved = savedTokens(session.state, shorter);
    if (trigger === "auto" && before - saved <= limit * ENOUGH) {
      return await this.#record(run, { ...nothing, tier: "clear" }, shorter, undefined, signal);
    }
    const from = cutPoint(session.state, room * TAIL, MOST_KEPT);
    if (from === undefined) {
      const tail = contextMessages(session.state);
      const cut = trigger === "manual" ? [] : merged(shorter, cutResults(tail, room * TAIL * 2));
      if (cut.length > 0) {
        return await this.#record(run, { ...nothing, tier: "clear" }, cut, undefined, signal);
      }
      return { ...nothing, reason: "there is nothing before the last messages that could be summed up" };
    }
    const head = await this.#head(run, from, room, begun.instructions, trigger, signal);
    if (head === undefined) {
      const reason = "no summary could be made";
      if (shorter.length === 0) return { ...nothing, reason };
      return await this.#record(run, { ...nothing, tier: "clear", reason }, shorter, undefined, signal);
    }
    const tail = merged(shorter, cutResults(session.state.messages.slice(from), room * TAIL * 2));
    return await this.#record(run, { ...nothing, tier: "summary" }, tail, { texts: head, from }, signal);
  }

  /** The texts that stand in the place of everything before `from`; undefined when no summary came. */
  async #head(
    run: CompactionRun,
    from: number,
    room: number,
    instructions: string,
    trigger: CompactionTrigger,
    signal: AbortSignal,
  ): Promise<string[] | undefined> {
    const { session: { state } } = run;
    if (trigger !== "manual" && this.#failures >= MOST_FAILURES) return undefined;
    const length = Math.floor(Math.min(SUMMARY.most, Math.max(SUMMARY.least, room * SUMMARY.share)));
    const chosen = await this.#deps.summaryModel?.();
    try {
      const model = chosen?.model ?? run.model;
      const summary = await askSummary({
        model,
        world: this.#deps.world,
        prompt: await this.#deps.prompt(),
        messages: state.messages.slice(keptFrom(state), from),
        earlier: earlierSummary(state.compactions),
        instructions,
        window: Math.min(model.window, this.#window(run.model)),
        length,
        used: async ({ model, usage, duration_ms }) => {
          const cost_usd = run.cost(model, usage);
          await run.session.execute({ type: "note_compaction_usage", model, usage, cost_usd, duration_ms });
          run.used?.({ model, usage, cost_usd });
        },
      }, signal);
      if ("failure" in summary) {
        await this.#failed(run, trigger, summary.failure);
        return undefined;
      }
      this.#failures = 0;
      const { files, other } = await this.#files(run, from, room);
      return headTexts({
        requests: requestsOf(state, from),
        summary: summary.text,
        files,
        other_files: other,
        notes: await notesAfter(run, trigger, signal),
      }, room);
    } finally {
      chosen?.close();
    }
  }

  async #failed(run: CompactionRun, trigger: CompactionTrigger, reason: string): Promise<void> {
    this.#failures++;
    const text = `The conversation could not be summed up: ${reason}`;
    if (trigger === "manual") throw new CompactionError("compaction_failed", text);
    const last = this.#failures >= MOST_FAILURES;
    const rest = last
      ? `; after ${MOST_FAILURES} failures it is not tried again by itself (/compact tries it)`
      : "";
    await run.session.execute({ type: "warn", text: text + rest });
    run.scope.emit({ type: "warning", text: text + rest });
  }

  async #record(
    run: CompactionRun,
    report: CompactReport,
    replaced: readonly ShorterResult[],
    head: { texts: string[]; from: number } | undefined,
    signal: AbortSignal,
  ): Promise<CompactReport> {
    const { session } = run;
    const { state } = session;
    const messages = head === undefined ? 0 : head.from - keptFrom(state);
    const kept = new Set(
      state.messages.slice(head?.from ?? keptFrom(state)).flatMap(({ content }) =>
        content.flatMap((block) => block.type === "tool_result" ? [block.call_id] : [])
      ),
    );
    const results = replaced.filter(({ call_id }) => kept.has(call_id));
    const tokens_after = fixedTokens(run) +
      (head === undefined
        ? messageTokens(contextMessages(state))
        : head.texts.reduce((sum, text) => sum + textTokens(text), 0) +
          messageTokens(state.messages.slice(head.from))) -
      savedTokens(state, results);
    signal.throwIfAborted();
    await session.execute({
      type: "compact",
      trigger: report.trigger,
      tier: head === undefined ? "clear" : "summary",
      ...(head === undefined ? {} : { head: head.texts, from: state.origins[head.from] ?? null }),
      replaced: results,
      tokens_before: report.tokens_before,
      tokens_after,
    });
    const done = { ...report, tokens_after, messages, results: results.length };
    const { trigger, tier, tokens_before } = done;
    if (tier !== "none") run.scope.emit({ type: "compacted", trigger, tier, tokens_before, tokens_after });
    await toldAfter(run, trigger, head?.texts.find((text) => text.startsWith("<summary>")) ?? "", signal);
    return done;
  }

  /** Files that were read and are as they were, newest first, and those that are not. */
  async #files(
    run: CompactionRun,
    from: number,
    room: number,
  ): Promise<{ files: KeptFile[]; other: string[] }> {
    const files: KeptFile[] = [];
    const other: string[] = [];
    let left = room * 0.2;
    for (const { path, sha256 } of recentFiles(run.session.state, from)) {
      const text = await this.#deps.readSeen?.(path, sha256);
      const tokens = text === undefined ? Infinity : textTokens(text);
      if (text === undefined || tokens > left) other.push(path);
      else {
        files.push({ path, text });
        left -= tokens;
      }
    }
    return { files, other };
  }

  /** How an old result can be read again. */
  async #again(
    run: CompactionRun,
    call: { name: string; call_id: string },
    content: string,
  ): Promise<string> {
    const spilled = /all of them: (\S+)/.exec(content)?.[1];
    if (spilled !== undefined) return `All of it: ${spilled}`;
    if (run.tools.find(call.name)?.repeat === "retry") return "Make the call again when it is needed.";
    const place = await this.#deps.keep?.(call.call_id, content);
    return place === undefined ? "Make the call again where that does no harm." : `All of it: ${place}`;
  }

  #window(model: Model): number {
    return Math.min(model.window, this.#caps.get(model.name) ?? Infinity);
  }

  #limit(model: Model): number {
    return Math.floor(this.#window(model) * this.#deps.threshold());
  }

  /** Throws when no conversation fits beside system prompt and tools. */
  #assertRoom(run: CompactionRun): void {
    const fixed = fixedTokens(run);
    if (fixed + LEAST_ROOM <= this.#limit(run.model)) return;
    throw new ModelError(
      `The system prompt and the tools alone have about ${fixed} tokens, which leaves no room in the window of ${run.model.name} (${
        this.#window(run.model)
      }): raise --max-tokens or context_window, shorten the instructions, or switch tools off (disabled_tools)`,
      { category: "window_overflow" },
    );
  }

  #tooLong(model: Model, tokens: number): ModelError {
    return new ModelError(
      `The conversation has about ${tokens} tokens and the window of ${model.name} is ${
        this.#window(model)
      }: begin a new session, or raise --max-tokens or context_window`,
      { category: "window_overflow" },
    );
  }
}

function fixedTokens({ session, tools }: CompactionRun): number {
  return textTokens(session.state.system) + toolTokens(tools.tools);
}

/** What the last summary said. */
function earlierSummary(compactions: readonly { head?: { texts: readonly string[] } }[]): string {
  const texts = compactions.findLast(({ head }) => head !== undefined)?.head?.texts ?? [];
  return texts.find((text) => text.startsWith("<summary>")) ?? "";
}

/** The later text of a result counts. */
function merged(first: readonly ShorterResult[], second: readonly ShorterResult[]): ShorterResult[] {
  const by_call = new Map(first.map((one) => [one.call_id, one]));
  for (const one of second) if (!by_call.has(one.call_id)) by_call.set(one.call_id, one);
  return [...by_call.values()];
}
