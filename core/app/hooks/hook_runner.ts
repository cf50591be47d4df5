import { isDeepStrictEqual } from "node:util";
import type { HookPort } from "../../agent/mod.ts";
import { errorMessage } from "../../base/mod.ts";
import type { World } from "../../base/mod.ts";
import { foldReplies, hookMatcher } from "../../extension/mod.ts";
import type { HookHandler, HookMatcher, HookSource, NamedReply } from "../../extension/mod.ts";
import type {
  HookEvent,
  HookInput,
  HookMoment,
  HookOutcome,
  HookReply,
  JsonObject,
} from "../../types/mod.ts";

/** What is kept of one hook that decided, failed or was slow. */
export interface HookNote {
  event: HookEvent;
  hook: string;
  source: HookHandler["source"];
  outcome: "allow" | "ask" | "deny" | "block" | "stop" | "changed" | "failed" | "slow";
  text: string;
  duration_ms: number;
  call_id?: string;
}

/** What running hooks needs of the session. */
export interface HookRunnerParts {
  /** The strongest first: of hooks that are the same, the first runs. */
  sources: readonly HookSource[];
  world: World;
  /** The fields that every input has. */
  facts(): JsonObject & { session_id: string; transcript_path: string; cwd: string };
  /** Called before hooks run: brings what they may read up to date. */
  prepare(): Promise<void>;
  /** Whether the call of a moment fits a permission rule. */
  fits(condition: string, moment: HookMoment): Promise<boolean>;
  /** Keeps the texts of a reply within their limit. */
  cap(reply: HookReply): Promise<HookReply>;
  record(note: HookNote): Promise<void>;
  /** Tells a person. */
  tell(text: string): void;
}

/** From here on a hook is named as slow, milliseconds. */
const SLOW_MS = 10_000;
/** How long a hook that was told to end may take to do so, milliseconds. */
const END_MS = 1_000;
/** How long the end of a session waits for hooks that run beside the work, milliseconds. */
const LAST_MS = 5_000;

/** Runs the hooks of a session: all that fit a moment side by side, each within its time. */
export class HookRunner implements HookPort {
  readonly #parts: HookRunnerParts;
  readonly #matchers = new Map<string, HookMatcher>();
  readonly #background = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  /** What hooks beside the work gave the model to read: told with the next moment that can. */
  readonly #late: string[] = [];
  readonly #told = new Set<string>();

  constructor(parts: HookRunnerParts) {
    this.#parts = parts;
  }

  waits(event: HookEvent): boolean {
    return this.#parts.sources.some((source) => source.handlers(event).length > 0);
  }

  async run(moment: HookMoment, signal: AbortSignal): Promise<HookOutcome> {
    signal.throwIfAborted();
    const handlers = await this.#fitting(moment);
    if (handlers.length === 0) return this.#withLate({ context: [], messages: [], problems: [] }, moment);
    const input = await this.#input(moment);
    for (const handler of handlers) if (handler.background === true) this.#beside(handler, input, moment);
    const waited = handlers.filter(({ background }) => background !== true);
    const replies = await this.#all(waited, input, moment, signal);
    const outcome = foldReplies(moment.event, replies);
    if (moment.event === "PreToolUse" && outcome.updated_input !== undefined) {
      const writers = waited.filter((_, index) =>
        isDeepStrictEqual(
          foldReplies(moment.event, replies.slice(index, index + 1)).updated_input,
          outcome.updated_input,
        )
      );
      const written = new Set(writers.map(({ key }) => key));
      await this.#lookAgain(outcome, input, moment, (handler) => !written.has(handler.key), signal);
    }
    this.#tellAll(outcome);
    return this.#withLate(outcome, moment);
  }

  async #all(
    handlers: readonly HookHandler[],
    input: HookInput,
    moment: HookMoment,
    signal: AbortSignal,
  ): Promise<NamedReply[]> {
    const running = handlers.map((handler) => this.#one(handler, input, moment, signal));
    return (await Promise.allSettled(running)).map((result) => {
      if (result.status === "rejected") throw result.reason;
      return result.value;
    });
  }

  /**
   * A hook that guards must see what runs: where one has changed the input, the others that fit the changed call look at it
   * once more. What they refuse or ask then counts; they change nothing any more.
   */
  async #lookAgain(
    outcome: HookOutcome,
    input: HookInput,
    moment: HookMoment,
    looks: (handler: HookHandler) => boolean,
    signal: AbortSignal,
  ): Promise<void> {
    const { updated_input, permission, stop } = outcome;
    if (updated_input === undefined || permission?.behavior === "deny" || stop !== undefined) return;
    if (isDeepStrictEqual(updated_input, moment.fields["tool_input"])) return;
    const changed = { ...moment, fields: { ...moment.fields, tool_input: updated_input } };
    const handlers = (await this.#fitting(changed)).filter((handler) =>
      handler.background !== true && looks(handler)
    );
    const replies = await this.#all(handlers, { ...input, tool_input: updated_input }, changed, signal);
    const again = foldReplies(moment.event, replies);
    if (again.updated_input !== undefined && !isDeepStrictEqual(again.updated_input, updated_input)) {
      outcome.problems.push("A call that hooks have changed was to be changed once more, which is not done");
    }
    const word = again.permission;
    if (word !== undefined && word.behavior !== "allow" && word.behavior !== permission?.behavior) {
      outcome.permission = word;
    }
    if (again.stop !== undefined) outcome.stop = again.stop;
  }

  /** Runs hooks that nothing waits for and that decide nothing. */
  beside(moment: HookMoment): void {
    if (this.waits(moment.event)) this.#keep(this.#besideAll(moment));
  }

  /** A new run: what went wrong is told once in each. */
  startRun(): void {
    this.#told.clear();
  }

  /** Waits a while for what runs beside the work, or not at all, then ends it. */
  async close(hurried = false): Promise<void> {
    if (this.#background.size === 0) return;
    const end = () => this.#closing.abort(new Error("it was still running when the session ended"));
    const timer = setTimeout(end, hurried ? 0 : LAST_MS);
    while (this.#background.size > 0) await Promise.all(this.#background);
    clearTimeout(timer);
  }

  async #besideAll(moment: HookMoment): Promise<void> {
    const handlers = await this.#fitting(moment);
    if (handlers.length === 0) return;
    const input = await this.#input(moment);
    for (const handler of handlers) this.#beside(handler, input, moment);
  }

  #beside(handler: HookHandler, input: HookInput, moment: HookMoment): void {
    const run = async () => {
      const reply = await this.#one(handler, input, moment, this.#closing.signal);
      const { context, messages, problems } = foldReplies(moment.event, [reply]);
      this.#late.push(...context);
      this.#tellAll({ messages, problems });
    };
    this.#keep(run());
  }

  #keep(work: Promise<void>): void {
    const kept: Promise<void> = work.catch((error) => this.#tellOnce(`A hook: ${errorMessage(error)}`))
      .finally(() => this.#background.delete(kept));
    this.#background.add(kept);
  }

  async #fitting(moment: HookMoment): Promise<HookHandler[]> {
    const fitting = new Map<string, HookHandler>();
    for (const handler of this.#parts.sources.flatMap((source) => source.handlers(moment.event))) {
      if (fitting.has(handler.key) || !this.#matches(handler, moment)) continue;
      const { condition } = handler;
      if (condition === undefined || await this.#parts.fits(condition, moment)) {
        fitting.set(handler.key, handler);
      }
    }
    return [...fitting.values()];
  }

  #matches({ matcher = "", name }: HookHandler, { subject }: HookMoment): boolean {
    let known = this.#matchers.get(matcher);
    if (known === undefined) {
      try {
        known = hookMatcher(matcher);
      } catch (error) {
        this.#tellOnce(`Hook ${name}: ${errorMessage(error)}; it is not run`);
        known = () => false;
      }
      this.#matchers.set(matcher, known);
    }
    return known(subject);
  }

  async #input({ event, fields }: HookMoment): Promise<HookInput> {
    try {
      await this.#parts.prepare();
    } catch (error) {
      this.#tellOnce(`The transcript for hooks could not be written: ${errorMessage(error)}`);
    }
    return { ...this.#parts.facts(), hook_event_name: event, ...fields };
  }

  async #one(
    handler: HookHandler,
    input: HookInput,
    moment: HookMoment,
    signal: AbortSignal,
  ): Promise<NamedReply> {
    const { world } = this.#parts;
    const started = world.mono();
    const reply = await this.#parts.cap(await within(handler, input, signal));
    const named = { name: handler.name, source: handler.source, reply };
    await this.#note(handler, named, moment, Math.round(world.mono() - started));
    return named;
  }

  async #note(
    { name, source, background }: HookHandler,
    named: NamedReply,
    { event, fields }: HookMoment,
    duration_ms: number,
  ): Promise<void> {
    const folded = foldReplies(event, [named]);
    // beside the work nothing is decided any more
    const { stop, permission, block, updated_input, updated_output, problems } = background === true
      ? { problems: folded.problems } as HookOutcome
      : folded;
    const said: [HookNote["outcome"], string] | undefined = stop !== undefined
      ? ["stop", stop.reason]
      : permission !== undefined
      ? [permission.behavior, permission.reason]
      : block !== undefined
      ? ["block", block.reason]
      : problems.length > 0
      ? ["failed", problems.join("; ")]
      : updated_input !== undefined || updated_output !== undefined
      ? ["changed", updated_input === undefined ? "the output" : "the input"]
      : duration_ms >= SLOW_MS
      ? ["slow", `it took ${(duration_ms / 1000).toFixed(1)} s`]
      : undefined;
    if (said === undefined) return;
    const call_id = fields["tool_use_id"];
    await this.#parts.record({
      event,
      hook: name,
      source,
      outcome: said[0],
      text: said[1],
      duration_ms,
      ...(typeof call_id === "string" ? { call_id } : {}),
    });
  }

  #withLate(outcome: HookOutcome, { event }: HookMoment): HookOutcome {
    if (event === "UserPromptSubmit" || event === "PostToolUse") {
      outcome.context.push(...this.#late.splice(0));
    }
    return outcome;
  }

  #tellAll({ messages, problems }: Pick<HookOutcome, "messages" | "problems">): void {
    for (const text of messages) this.#parts.tell(`Hook ${text}`);
    for (const text of problems) this.#tellOnce(`Hook ${text}`);
  }

  #tellOnce(text: string): void {
    if (this.#told.has(text)) return;
    this.#told.add(text);
    this.#parts.tell(text);
  }
}

/** The reply of a hook within its time. Throws the signal's reason alone. */
async function within(handler: HookHandler, input: HookInput, signal: AbortSignal): Promise<HookReply> {
  const limit = new AbortController();
  const late = Promise.withResolvers<never>();
  late.promise.catch(() => {}); // told by the race below
  let end: ReturnType<typeof setTimeout> | undefined;
  const both = AbortSignal.any([signal, limit.signal]);
  const aborted = () => end = setTimeout(() => late.reject(both.reason), END_MS);
  both.addEventListener("abort", aborted, { once: true });
  const timer = setTimeout(() => limit.abort(new Error("its time is over")), handler.timeout_ms);
  try {
    const running = handler.run(input, both);
    running.catch(() => {}); // one that does not end is left behind
    return await Promise.race([running, late.promise]);
  } catch (error) {
    signal.throwIfAborted();
    if (!limit.signal.aborted) return { kind: "error", message: errorMessage(error) };
    return {
      kind: "error",
      message: `did not end within ${handler.timeout_ms / 1000} s and was ended`,
    };
  } finally {
    clearTimeout(timer);
    clearTimeout(end);
    both.removeEventListener("abort", aborted);
  }
}
