import { errorMessage } from "../../../base/mod.ts";
import { isJsonObject, NO_USAGE } from "../../../types/mod.ts";
import type { Json, JsonObject, Usage } from "../../../types/mod.ts";
import type { BackedUp } from "./backup_sources.ts";
import type { LegacyFile } from "./legacy_files.ts";
import { field, legacyMessage, legacyText } from "./legacy_message.ts";
import type { LegacyMessage } from "./legacy_message.ts";
import { readOldHistory } from "./read_old_history.ts";
import type { OldSummary } from "./read_old_history.ts";
import { salvageMessages } from "./salvage_messages.ts";

/** What an old session says, as far as it can be read. Times are milliseconds since 1970. */
export interface OldSession {
  messages: LegacyMessage[];
  summaries: OldSummary[];
  usage: Usage | undefined;
  pinned: boolean;
  created_ts: number | undefined;
  updated_ts: number | undefined;
  /** Files of which something was taken. */
  used: Set<LegacyFile>;
  /** What is wrong with a file, one line. */
  problems: Map<LegacyFile, string>;
  skipped: string[];
}

/**
 * Reads the copies of an old session's files; never throws for what is wrong with them. `state.json` holds the
 * conversation as the old program would have gone on with it; the transcript adds what came after it, or stands in.
 */
export async function readSources(files: readonly BackedUp[]): Promise<OldSession> {
  const reader = new Reader(files);
  const state = reader.state();
  const transcript = reader.transcript();
  const history = await reader.history();
  const meta = reader.json("meta.json");
  reader.compareGenerations(state.generation);
  const messages = reader.choose(state.messages, transcript, history.messages);
  return {
    messages,
    summaries: history.summaries,
    usage: state.usage,
    pinned: meta !== undefined && field(meta, "pinned") === true,
    created_ts: time(meta && field(meta, "created_at")),
    updated_ts: time(meta && field(meta, "last_updated")),
    used: reader.used,
    problems: reader.problems,
    skipped: reader.skipped(),
  };
}

class Reader {
  readonly used = new Set<LegacyFile>();
  readonly problems = new Map<LegacyFile, string>();
  readonly #copies: ReadonlyMap<LegacyFile, string>;
  /** How often each thing was left out. */
  readonly #left_out = new Map<string, number>();

  constructor(files: readonly BackedUp[]) {
    this.#copies = new Map(files.flatMap(({ name, copy }) => copy === undefined ? [] : [[name, copy]]));
    for (const { name, problem } of files) if (problem !== null) this.problems.set(name, problem);
  }

  skipped(): string[] {
    return [...this.#left_out].map(([what, times]) => times === 1 ? what : `${what} (${times} times)`);
  }

  state(): { messages: LegacyMessage[]; usage?: Usage; generation?: Json } {
    const text = this.#text("state.json");
    if (text === undefined) return { messages: [] };
    const document = this.json("state.json");
    if (document === undefined) {
      const messages = this.#messages("state.json", salvageMessages(text));
      if (messages.length > 0) {
        this.used.add("state.json");
        this.problems.set(
          "state.json",
          `${this.problems.get("state.json")}; ${messages.length} messages were saved`,
        );
      }
      return { messages };
    }
    const inner = field(document, "state");
    const state = isJsonObject(inner) ? inner : document;
    const listed = field(state, "messages");
    if (!Array.isArray(listed)) this.problems.set("state.json", "it has no messages");
    const messages = Array.isArray(listed) ? this.#messages("state.json", listed) : [];
    const usage = usageOf(state);
    if (messages.length > 0 || usage !== undefined) this.used.add("state.json");
    const generation = field(document, "generation");
    return {
      messages,
      ...(usage === undefined ? {} : { usage }),
      ...(generation === undefined ? {} : { generation }),
    };
  }

  transcript(): LegacyMessage[] {
    const text = this.#text("transcript.jsonl");
    if (text === undefined) return [];
    const values: Json[] = [];
    const bad: number[] = [];
    for (const [at, line] of text.split("\n").entries()) {
      if (line.trim() === "") continue;
      try {
        values.push(JSON.parse(line));
      } catch {
        bad.push(at + 1); // told with the file, all at once
      }
    }
    if (bad.length > 0) {
      const lines = bad.length > 5 ? `${bad.slice(0, 5).join(", ")}, …` : bad.join(", ");
      this.problems.set(
        "transcript.jsonl",
        `${bad.length} of its lines ${bad.length === 1 ? "is" : "are"} not JSON: ${lines}`,
      );
    }
    return this.#messages("transcript.jsonl", values);
  }

  async history(): Promise<{ summaries: OldSummary[]; messages: LegacyMessage[] }> {
    const copy = this.#copies.get("session.sqlite");
    if (copy === undefined) return { summaries: [], messages: [] };
    try {
      const found = await readOldHistory(copy, this.#copies.get("session.sqlite-wal"));
      if (found.summaries.length > 0) this.used.add("session.sqlite");
      return found;
    } catch (error) {
      this.problems.set("session.sqlite", `it cannot be read: ${errorMessage(error)}`);
      return { summaries: [], messages: [] };
    }
  }

  /** A file that holds one JSON object; what else it holds is a problem. */
  json(name: LegacyFile): JsonObject | undefined {
    const text = this.#text(name);
    if (text === undefined) return undefined;
    try {
      const value: unknown = JSON.parse(text);
      if (isJsonObject(value)) {
        if (name === "meta.json") this.used.add(name);
        return value;
      }
      this.problems.set(name, "it is not a JSON object");
    } catch {
      this.problems.set(name, text.trim() === "" ? "it is empty" : "it is not JSON");
    }
    return undefined;
  }

  /** Tasks and skills of the old program stay in the backup; whether they belong to the state is said for each file. */
  compareGenerations(expected: Json | undefined): void {
    for (const name of ["tasks.json", "skill-recovery.json", "skill-recovery.commit.json"] as const) {
      const document = this.json(name);
      if (document === undefined) continue;
      const generation = field(document, "generation");
      if (expected !== undefined && generation !== undefined && generation !== expected) {
        this.problems.set(
          name,
          `its generation ${JSON.stringify(generation)} is not that of state.json (${
            JSON.stringify(expected)
          })`,
        );
      }
      this.#leaveOut(`${name} is kept in the backup alone`);
    }
  }

  choose(state: LegacyMessage[], transcript: LegacyMessage[], stored: LegacyMessage[]): LegacyMessage[] {
    if (state.length > 0) {
      const { later, earlier } = beside(state, transcript);
      if (this.#copies.has("transcript.jsonl") && later.length > 0) this.used.add("transcript.jsonl");
      if (earlier > 0) {
        this.#leaveOut(
          `${earlier} messages of transcript.jsonl that state.json no longer had stay in the backup`,
        );
      }
      return [...state, ...later];
    }
    if (transcript.length > 0) {
      this.used.add("transcript.jsonl");
      return transcript;
    }
    if (stored.length > 0) {
      this.used.add("session.sqlite");
      return stored;
    }
    const page = this.#text("transcript.md")?.trim() ?? "";
    if (page === "") return [];
    this.used.add("transcript.md");
    return [{ role: "user", blocks: [{ type: "text", text: `[Transcript of an old session]\n\n${page}` }] }];
  }

  #messages(name: LegacyFile, values: readonly Json[]): LegacyMessage[] {
    return values.flatMap((value, at) => {
      let odd = false;
      const message = legacyMessage(value, (what) => {
        this.#leaveOut(`A message of ${name} ${what}`);
        odd ||= what.startsWith("is not") || what.startsWith("has the unknown role");
      });
      if (odd && !this.problems.has(name)) this.problems.set(name, `record ${at + 1} is no message`);
      return message ?? [];
    });
  }

  #leaveOut(what: string): void {
    this.#left_out.set(what, (this.#left_out.get(what) ?? 0) + 1);
  }

  /** The file as text without a byte order mark. */
  #text(name: LegacyFile): string | undefined {
    const copy = this.#copies.get(name);
    if (copy === undefined) return undefined;
    const bytes = Deno.readFileSync(copy);
    try {
      return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    } catch {
      if (!this.problems.has(name)) this.problems.set(name, "it is not UTF-8; what was not is replaced");
      return new TextDecoder().decode(bytes);
    }
  }
}

/** The transcript's messages after the last one that the state knows, and how many before it the state has no longer. */
function beside(
  state: readonly LegacyMessage[],
  transcript: readonly LegacyMessage[],
): { later: LegacyMessage[]; earlier: number } {
  const key = (message: LegacyMessage) => `${message.role}\n${legacyText(message)}`;
  const visible = (message: LegacyMessage) => legacyText(message) !== "";
  const known = new Set(state.map(key));
  const last = state.findLast(visible);
  const at = last === undefined ? -1 : transcript.findLastIndex((message) => key(message) === key(last));
  const after = at < 0 ? [] : transcript.slice(at + 1);
  // results without text right after it are the state's own last ones
  const first = after.findIndex(visible);
  const until = at < 0 ? transcript : transcript.slice(0, at);
  return {
    later: first < 0 ? [] : after.slice(first),
    earlier: until.filter((message) => visible(message) && !known.has(key(message))).length,
  };
}

/** Token totals, whatever the old program called them and wherever it put them. */
function usageOf(state: JsonObject): Usage | undefined {
  const nested = field(state, "usage", "total_usage", "token_usage", "token_totals", "tokens");
  const source = isJsonObject(nested) ? nested : state;
  const count = (...names: string[]): number => {
    const value = field(source, ...names.flatMap((name) => [`total_${name}`, name]));
    return typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.round(value) : 0;
  };
  const usage = {
    ...NO_USAGE,
    input: count("input_tokens", "prompt_tokens", "input"),
    output: count("output_tokens", "completion_tokens", "output"),
    cache_read: count("cache_read_tokens", "cache_read_input_tokens", "cache_read"),
    cache_write: count(
      "cache_creation_tokens",
      "cache_creation_input_tokens",
      "cache_create_tokens",
      "cache_write_tokens",
      "cache_create",
    ),
  };
  return Object.values(usage).some((value) => value > 0) ? usage : undefined;
}

/** A moment as seconds, milliseconds or text. */
function time(value: Json | undefined): number | undefined {
  const parsed = typeof value === "string" ? Date.parse(value) : typeof value === "number" ? value : NaN;
  if (!Number.isFinite(parsed) || parsed <= 0) return undefined;
  const ms = typeof value === "number" && parsed < 1e11 ? parsed * 1000 : parsed;
  return ms < 8.64e15 ? Math.round(ms) : undefined;
}
