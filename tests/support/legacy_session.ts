import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { sha256 } from "../../core/base/mod.ts";
import type { Json, JsonObject } from "../../core/types/mod.ts";
import type { Wire } from "./agent_project.ts";

/** One exchange of an old session: what the person wrote, a tool call perhaps, the answer. */
export interface LegacyTurn {
  prompt: string;
  call?: { id: string; name: string; input: JsonObject; result: string; is_error?: boolean };
  answer: string;
}

export interface LegacyOptions {
  session_id: string;
  /** The form of the messages in `state.json`. */
  form?: Wire;
  turns?: readonly LegacyTurn[];
  /** Put in front of the messages of `state.json`, as they are. */
  before?: readonly Json[];
  /** Put behind them. */
  after?: readonly Json[];
  /** The generation of the recovery files; that of `state.json` is 7. */
  recovery_generation?: number;
  pinned?: boolean;
}

export const LEGACY_TURNS: readonly LegacyTurn[] = [
  {
    prompt: "解析器在哪里？ Where is the parser?",
    call: {
      id: "toolu_old_1",
      name: "grep_search",
      input: { pattern: "parse", path: "src" },
      result: "src/parse.ts:1: export function parse()",
    },
    answer: "It is in src/parse.ts.",
  },
  {
    prompt: "Run its tests",
    call: {
      id: "toolu_old_2",
      name: "bash",
      input: { command: "deno test" },
      result: "1 failed",
      is_error: true,
    },
    answer: "One test fails: 空输入.",
  },
];

/**
 * Writes an old LuminaCode session into a directory: `transcript.jsonl`, `meta.json`, `state.json`, `tasks.json`,
 * `skill-recovery.json`, `skill-recovery.commit.json`, `session.sqlite`, `transcript.md`.
 */
export function writeLegacySession(directory: string, options: LegacyOptions): void {
  const { session_id, form = "anthropic", turns = LEGACY_TURNS, recovery_generation = 7 } = options;
  Deno.mkdirSync(directory, { recursive: true });
  const write = (name: string, text: string) => Deno.writeTextFileSync(join(directory, name), text);
  const json = (name: string, value: Json) => write(name, JSON.stringify(value));
  const messages = [
    ...options.before ?? [],
    ...turns.flatMap(form === "anthropic" ? anthropicMessages : openaiMessages),
    ...options.after ?? [],
  ];
  const visible = turns.flatMap(({ prompt, answer }) => [
    { role: "user", content: prompt },
    { role: "assistant", content: answer },
  ]);
  write("transcript.jsonl", visible.map((message) => `${JSON.stringify(message)}\n`).join(""));
  json("meta.json", {
    session_id,
    created_at: 1_700_000_000.25,
    last_updated: 1_700_000_500.5,
    message_count: messages.length,
    turn_count: turns.length,
    ...(options.pinned === undefined ? {} : { pinned: options.pinned }),
  });
  json("state.json", {
    generation: 7,
    state: {
      messages,
      total_input_tokens: 1000,
      total_output_tokens: 200,
      total_cache_read_tokens: 30,
      total_cache_creation_tokens: 4,
      turn_count: turns.length,
      system_prompt: "You are LuminaCode.",
      read_file_state: { "src/parse.ts": "export function parse() {}\n" },
      user_turn_count: turns.length,
    },
  });
  json("tasks.json", {
    version: 1,
    generation: recovery_generation,
    tasks: [{ id: "1", subject: "fix it" }],
  });
  json("skill-recovery.json", { generation: recovery_generation, skills: [] });
  json("skill-recovery.commit.json", { generation: recovery_generation, version: 1 });
  write("transcript.md", visible.map(({ role, content }) => `## ${role}\n\n${content}\n`).join("\n"));
  writeHistory(join(directory, "session.sqlite"), visible);
}

function anthropicMessages({ prompt, call, answer }: LegacyTurn): JsonObject[] {
  const text = (text: string) => [{ type: "text", text }];
  if (call === undefined) {
    return [{ role: "user", content: prompt }, { role: "assistant", content: text(answer) }];
  }
  const { id, name, input, result, is_error = false } = call;
  return [
    { role: "user", content: prompt },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "Let me look.", signature: "c2ln" },
        ...text("I look."),
        { type: "tool_use", id, name, input },
      ],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: text(result), is_error }] },
    { role: "assistant", content: text(answer) },
  ];
}

function openaiMessages({ prompt, call, answer }: LegacyTurn): JsonObject[] {
  if (call === undefined) return [{ role: "user", content: prompt }, { role: "assistant", content: answer }];
  const { id, name, input, result } = call;
  return [
    { role: "user", content: prompt },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id, type: "function", function: { name, arguments: JSON.stringify(input) } }],
    },
    { role: "tool", tool_call_id: id, content: result },
    { role: "assistant", content: answer },
  ];
}

/** The old history: one summary over all visible messages. */
function writeHistory(file: string, visible: readonly { role: string; content: string }[]): void {
  const db = new DatabaseSync(file);
  try {
    db.exec(
      `CREATE TABLE messages (id INTEGER PRIMARY KEY, hash TEXT UNIQUE, role TEXT, content TEXT, user_turn INTEGER);
      CREATE TABLE commits (commit_no INTEGER PRIMARY KEY, title TEXT, summary TEXT, tags TEXT, created_at REAL, accessed_at REAL);
      CREATE TABLE commit_messages (commit_no INTEGER, message_id INTEGER);
      CREATE TABLE schema_meta (key TEXT, value TEXT);
      CREATE TABLE session_info (key TEXT, value TEXT);`,
    );
    db.exec("BEGIN");
    const message = db.prepare("INSERT INTO messages (hash, role, content, user_turn) VALUES (?, ?, ?, ?)");
    const link = db.prepare("INSERT INTO commit_messages VALUES (1, ?)");
    for (const [at, { role, content }] of visible.entries()) {
      message.run(sha256(`${at}${content}`), role, content, Math.floor(at / 2));
      link.run(at + 1);
    }
    db.prepare("INSERT INTO commits VALUES (1, ?, ?, ?, 0, 0)").run(
      "解析器的测试",
      "The parser's tests were run; one fails on empty input.",
      '["parser","测试"]',
    );
    db.exec("COMMIT");
  } finally {
    db.close();
  }
}

/** Every file below a directory with the hash of its bytes and its mode; what SQLite keeps beside an open journal is left out. */
export function treeHashes(directory: string): Record<string, string> {
  const found: Record<string, string> = {};
  const walk = (path: string, relative: string) => {
    for (const entry of Deno.readDirSync(path)) {
      const [full, name] = [join(path, entry.name), join(relative, entry.name)];
      if (entry.isDirectory) walk(full, name);
      else if (!/^runtime\.sqlite-(wal|shm)$/.test(entry.name)) {
        found[name] = `${sha256(Deno.readFileSync(full))} ${(Deno.lstatSync(full).mode ?? 0) & 0o777}`;
      }
    }
  };
  walk(directory, "");
  return Object.fromEntries(Object.entries(found).sort(([a], [b]) => a < b ? -1 : 1));
}
