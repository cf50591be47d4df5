import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadNativeHash, systemWorld } from "../../core/base/mod.ts";
import { openJournal } from "../../core/journal/mod.ts";
import type { Journal } from "../../core/journal/mod.ts";
import type { Json, NewEvent } from "../../core/types/mod.ts";
import { atMost, type BenchResult, median, type Ratio, repeat, round } from "./measure.ts";

const CHILD = fileURLToPath(new URL("resume_child.ts", import.meta.url));
const CONFIG = fileURLToPath(new URL("../../deno.json", import.meta.url));
const SIZES = { "1k": 1_000, "10k": 10_000, "100k": 100_000, "1m": 1_000_000 } as const;
const STEPS = 12;
/** Runs that are written at once. */
const BATCH = 50;
/** The conversation goes back to its beginning after so many runs: no model holds a million events. */
const REWIND_EVERY = 100;
/** The promise of `ARCHITECTURE.md`, megabytes of the process that resumes a million events. */
const RSS_LIMIT_MB = 300;
/** Opening all of a journal against reading its rows with plain `node:sqlite` (1.6 to 2.3 measured). */
const FOLD_LIMIT = 3.5;
/** Opening a million events from a snapshot against reading their rows (0.01 to 0.03 measured). */
const SNAPSHOT_LIMIT = 0.1;

/** What `resume_child.ts` prints. */
export interface Opened {
  bare_ms: number;
  open_ms: number;
  rss_mb: number;
  events: number;
  messages: number;
}

const USAGE = { input: 1000, output: 100, cache_read: 20_000, cache_write: 0 };
const CREATED: NewEvent[] = [
  {
    type: "session.created",
    version: 1,
    payload: { session_id: "bench", project_id: "p", cwd: "/w", lumina_version: "0", origin: "headless" },
  },
  { type: "session.prompt_set", version: 1, payload: { system: "be good" } },
];

/** The events of a run of `STEPS` tool calls, about 500 bytes each. */
function runEvents(run: number): NewEvent[] {
  const id = (n: number) => `0190f5a4-5f0e-7cc3-98c2-${String(run * 1000 + n).padStart(12, "0")}`;
  let step = 0;
  const events: NewEvent[] = [];
  const push = (type: string, payload: Json) =>
    events.push({ type, version: 1, payload, run_id: `run-${id(0)}`, step_id: id(step) });
  const prompt = "Fix the failing test in the parser module, please, and run it again. ".repeat(2);
  const tools = ["Bash", "Edit", "Glob", "Grep", "Read", "Write"];
  push("run.started", { prompt, context: "<context>\n</context>", model: "m", mode: "ask", tools });
  push("run.step_started", { index: 1 });
  for (; step < STEPS; step++) {
    const call_id = id(500 + step);
    const path = `/w/src/parser_${step}.ts`;
    const call = { type: "tool_use", call_id, wire_id: `toolu_${run}_${step}`, name: "Read" };
    const content = [{ type: "text", text: "I will look at the file now." }, {
      ...call,
      input: { file_path: path },
    }];
    const answer = { model: "m", message_id: `m${step}`, stop: "tool_use" };
    push("model.answered", { ...answer, message: { role: "assistant", content } });
    push("usage.recorded", { model: "m", usage: USAGE, cost_usd: 0.01, duration_ms: 1200 });
    const decided = { behavior: "allow", by: "policy", source: "mode", reason: "reading in the workspace" };
    push("permission.decided", { call_id, tool: "Read", ...decided });
    push("tool.started", { call_id, name: "Read", effect: "read", repeat: "retry" });
    push("tool.finished", {
      call_id,
      name: "Read",
      content: "export function parse(text: string): Node {\n".repeat(8),
      is_error: false,
      ran: true,
      seen: [{ path, sha256: "0".repeat(64) }],
      duration_ms: 3,
    });
    push("run.step_started", { index: step + 2 });
  }
  const content = [{ type: "text", text: "Done: the test passes. ".repeat(10) }];
  push("model.answered", {
    model: "m",
    message_id: "end",
    stop: "end_turn",
    message: { role: "assistant", content },
  });
  push("usage.recorded", { model: "m", usage: USAGE, cost_usd: 0.01, duration_ms: 1200 });
  push("run.finished", { status: "success", denials: 0, duration_ms: 9000 });
  return events;
}

/** Writes a session of at least `count` events in large commits. */
async function writeSession(path: string, count: number): Promise<void> {
  const journal = await openJournal(path, { create: true, world: systemWorld });
  try {
    await journal.append("session", 0, CREATED);
    let first_answer = 0;
    for (let run = 1, written = CREATED.length; written < count;) {
      const batch: Promise<unknown>[] = [];
      for (let more = 0; more < BATCH && written < count; more++, run++) {
        const events = runEvents(run);
        written += events.length;
        batch.push(journal.append(`run/${events[0]?.run_id}`, 0, events));
        first_answer ||= CREATED.length + 1 + events.findIndex(({ type }) => type === "model.answered");
        if (run % REWIND_EVERY === 0) batch.push(rewind(journal, first_answer));
      }
      await Promise.all(batch);
    }
  } finally {
    await journal.close();
  }
}

function rewind(journal: Journal, to: number): Promise<unknown> {
  const payload = { to, scope: "conversation", snapshot: null, changed: 0 };
  return journal.append("session", "any", [{ type: "session.rewound", version: 1, payload }]);
}

/** A small session with one prompt of 2 MB. */
async function writeLarge(path: string): Promise<void> {
  await writeSession(path, 1_000);
  const journal = await openJournal(path, { world: systemWorld });
  try {
    const [started, ...rest] = runEvents(999_999);
    const large = {
      ...started!,
      payload: { ...started!.payload as object, prompt: "large 大 ".repeat(250_000) },
    };
    await journal.append("run/large", 0, [large, ...rest]);
  } finally {
    await journal.close();
  }
}

async function open(path: string, what: "snapshot" | "none"): Promise<Opened> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--quiet",
      "--no-check",
      "--unstable-worker-options",
      "--config",
      CONFIG,
      CHILD,
      path,
      what,
    ],
    stdout: "piped",
    stderr: "piped",
  }).output();
  if (code !== 0) throw new Error(new TextDecoder().decode(stderr));
  return JSON.parse(new TextDecoder().decode(stdout));
}

/**
 * Opening a session, each time in a process of its own: folded whole and from its snapshot, at four sizes and with one
 * event of 2 MB. Compared with plain `node:sqlite` that reads the same rows in pages.
 */
export async function resume(): Promise<BenchResult> {
  await loadNativeHash();
  const dir = await Deno.makeTempDir({ prefix: "lumina-bench-resume-" });
  const figures: Record<string, number> = {};
  const ratios: Ratio[] = [];
  try {
    for (const [name, count] of Object.entries(SIZES)) {
      const path = join(dir, "runtime.sqlite");
      await writeSession(path, count);
      const times = count >= 1_000_000 ? 1 : 3;
      const whole: Opened[] = [];
      for (let time = 0; time < times; time++) {
        whole.push(await open(path, "none"));
        if (time < times - 1) await dropSnapshot(path);
      }
      const bare = median(whole.map(({ bare_ms }) => bare_ms));
      const fold = median(whole.map(({ bare_ms, open_ms }) => open_ms / bare_ms));
      figures[`${name}_bare_read_ms`] = round(bare);
      figures[`${name}_whole_ms`] = round(median(whole.map(({ open_ms }) => open_ms)));
      figures[`${name}_whole_to_bare`] = round(fold, 2);
      if (count >= 100_000) ratios.push(atMost(`${name}_whole_to_bare_read`, fold, FOLD_LIMIT));
      const last = whole.at(-1)!;
      const snapped: Opened[] = [];
      await repeat(times, async () => (snapped.push(await open(path, "snapshot")), 0));
      const ms = median(snapped.map(({ open_ms }) => open_ms));
      const rss = Math.max(...snapped.map(({ rss_mb }) => rss_mb));
      figures[`${name}_from_snapshot_ms`] = round(ms);
      figures[`${name}_from_snapshot_rss_mb`] = round(rss);
      figures[`${name}_messages`] = last.messages;
      if (count >= 1_000_000) {
        ratios.push(atMost(`${name}_from_snapshot_to_bare_read`, ms / bare, SNAPSHOT_LIMIT));
        const folding = (await openWithout(path)).rss_mb;
        figures[`${name}_whole_rss_mb`] = round(folding);
        if (Deno.build.os === "linux") {
          ratios.push(atMost(`${name}_rss_to_${RSS_LIMIT_MB}_mb`, Math.max(rss, folding) / RSS_LIMIT_MB, 1));
        }
      }
      await Deno.remove(path);
    }
    const path = join(dir, "large.sqlite");
    await writeLarge(path);
    const { bare_ms, open_ms } = await open(path, "none");
    figures["2mb_event_bare_read_ms"] = round(bare_ms);
    figures["2mb_event_whole_ms"] = round(open_ms);
    return { name: "resume", figures, ratios };
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

async function openWithout(path: string): Promise<Opened> {
  await dropSnapshot(path);
  return await open(path, "snapshot");
}

/** Makes the stored snapshot one that is passed over. */
async function dropSnapshot(path: string): Promise<void> {
  const journal = await openJournal(path, { world: systemWorld });
  try {
    await journal.putCheckpoint({ name: "session", stream_id: "session", seq: 1, state: {} });
  } finally {
    await journal.close();
  }
}
