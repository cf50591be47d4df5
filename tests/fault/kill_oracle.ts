import assert from "node:assert/strict";
import { LuminaError, systemWorld } from "../../core/base/mod.ts";
import { openJournal, readEvents } from "../../core/journal/mod.ts";
import type { StoredEvent } from "../../core/types/mod.ts";
import { type Line, payload } from "../support/agent_project.ts";

/** Events that one append brings: the second is never missing behind the first. */
const PAIRS: readonly [string, string][] = [
  ["session.created", "session.prompt_set"],
  ["run.started", "run.step_started"],
  ["model.answered", "usage.recorded"],
];

/**
 * Keeps what the victims of one session have acknowledged, outside of them, and holds the session's file against it:
 * nothing printed is missing, in the order in which it was printed; no append is there in half; no effect is there twice or
 * without its intent; the file is whole.
 */
export class KillOracle {
  readonly #journal_file: string;
  readonly #effects_file: string;
  /** What each printed line stands for, in order: `answer <id>`, `outcome <call>`, `started`, `ended`. */
  readonly #acknowledged: string[] = [];

  constructor(journal_file: string, effects_file: string) {
    this.#journal_file = journal_file;
    this.#effects_file = effects_file;
  }

  get acknowledged(): number {
    return this.#acknowledged.length;
  }

  /** Takes what a victim has printed; a last line that was cut is no acknowledgement. */
  printed(stdout: string): void {
    for (const text of stdout.split("\n").slice(0, -1)) {
      const line: Line = JSON.parse(text);
      if (line["type"] === "system" && line["subtype"] === "init") this.#acknowledged.push("started");
      if (line["type"] === "assistant") this.#acknowledged.push(`answer ${line["message"].id}`);
      if (line["type"] === "result") this.#acknowledged.push("ended");
      if (line["type"] !== "user" || !Array.isArray(line["message"].content)) continue;
      for (const block of line["message"].content) {
        if (block.type === "tool_result") this.#acknowledged.push(`outcome ${block.tool_use_id}`);
      }
    }
  }

  /** Whether the session has come to be: its first event is stored. */
  async sessionExists(): Promise<boolean> {
    return (await this.#read()).events.length > 0;
  }

  /** The effects so far, in order. */
  async effects(): Promise<string[]> {
    try {
      return (await Deno.readTextFile(this.#effects_file)).split("\n").slice(0, -1);
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return [];
      throw error;
    }
  }

  /** Holds everything against everything; says what the last kill left open. */
  async check(): Promise<string> {
    const { events, problems } = await this.#read();
    assert.deepEqual(problems, [], "the file is whole");
    this.#checkAcknowledged(events);
    checkPairs(events);
    await this.#checkEffects(events);
    return leftOpen(events);
  }

  #checkAcknowledged(events: readonly StoredEvent[]): void {
    const stored = events.flatMap((event) => {
      const { message_id, call_id } = payload(event);
      if (event.type === "run.started") return ["started"];
      if (event.type === "model.answered") return [`answer ${message_id}`];
      if (event.type === "tool.finished" || event.type === "tool.interrupted") return [`outcome ${call_id}`];
      return event.type === "run.finished" ? ["ended"] : [];
    });
    let at = 0;
    for (const wanted of this.#acknowledged) {
      at = stored.indexOf(wanted, at) + 1;
      assert.ok(at > 0, `acknowledged and lost: ${wanted} of ${this.#acknowledged.join(", ")}`);
    }
  }

  async #checkEffects(events: readonly StoredEvent[]): Promise<void> {
    const effects = await this.effects();
    assert.deepEqual(effects, [...new Set(effects)], "no effect twice");
    const commands = new Map<string, string>();
    for (const event of events.filter(({ type }) => type === "model.answered")) {
      for (const block of payload(event)["message"].content) {
        if (block.type === "tool_use") {
          commands.set(block.call_id, /effect-\S+/.exec(block.input.command)?.[0] ?? "");
        }
      }
    }
    const of = (type: string) =>
      new Set(
        events.filter((event) => event.type === type).map((event) => commands.get(payload(event)["call_id"])),
      );
    const intents = of("tool.started");
    for (const effect of effects) assert.ok(intents.has(effect), `${effect} without its intent`);
    for (const known of of("tool.finished")) {
      assert.ok(effects.includes(known ?? ""), `${known} is recorded and did not happen`);
    }
  }

  async #read(): Promise<{ events: StoredEvent[]; problems: string[] }> {
    const events: StoredEvent[] = [];
    try {
      const journal = await openJournal(this.#journal_file, { readonly: true, world: systemWorld });
      try {
        for await (const page of readEvents(journal)) events.push(...page);
        return { events, problems: (await journal.verify()).problems };
      } finally {
        await journal.close();
      }
    } catch (error) {
      if (error instanceof LuminaError && error.code === "journal.missing") return { events, problems: [] };
      throw error;
    }
  }
}

function checkPairs(events: readonly StoredEvent[]): void {
  for (const [first, second] of PAIRS) {
    events.forEach((event, at) => {
      if (event.type !== first) return;
      const next = events.slice(at + 1).find(({ stream_id }) => stream_id === event.stream_id);
      assert.equal(next?.type, second, `${first} ${event.seq} is there without the rest of its append`);
    });
  }
}

function leftOpen(events: readonly StoredEvent[]): string {
  const last = events.findLast(({ type }) => /^(run|model|tool)\./.test(type));
  return last === undefined ? "before the session" : `behind ${last.type}`;
}
