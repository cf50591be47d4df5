import { join } from "node:path";
import * as z from "zod";
import { writeFileAtomic } from "../base/mod.ts";
import type { SessionState } from "./state.ts";

const summarySchema = z.object({
  session_id: z.string(),
  title: z.string(),
  project_id: z.string(),
  cwd: z.string(),
  model: z.string(),
  created_ts: z.number(),
  updated_ts: z.number(),
  runs: z.int(),
  turns: z.int(),
  messages: z.int(),
  tokens: z.number(),
  cost_usd: z.number().nullable(),
  status: z.string(),
  pinned: z.boolean(),
  forked_from: z.object({ session_id: z.string(), seq: z.int() }).nullable(),
  seq: z.int(),
});

/** What a list shows of a session: `meta.json`, a projection of the journal that can be made again at any time. */
export type SessionSummary = z.infer<typeof summarySchema>;

const FILE = "meta.json";

/** The summary of a state. */
export function summaryOf(state: Readonly<SessionState>): SessionSummary {
  const { input, output, cache_read, cache_write } = state.usage;
  return {
    session_id: state.session_id,
    title: state.title,
    project_id: state.project_id,
    cwd: state.cwd,
    model: state.model,
    created_ts: state.created_ts,
    updated_ts: state.updated_ts,
    runs: state.runs,
    turns: state.turns,
    messages: state.messages.length,
    tokens: input + output + cache_read + cache_write,
    cost_usd: state.cost_usd,
    status: state.run === null ? state.last_status : "running",
    pinned: state.pinned,
    forked_from: state.forked_from,
    seq: state.seq,
  };
}

/** Writes `meta.json` into a session's directory. */
export function writeSummary(directory: string, state: Readonly<SessionState>): void {
  writeFileAtomic(join(directory, FILE), `${JSON.stringify(summaryOf(state), null, 2)}\n`, {
    durable: false,
  });
}

/** Reads a session's `meta.json`; undefined when it is missing, not one, or not to be read. */
export function readSummary(directory: string): SessionSummary | undefined {
  let text: string;
  try {
    text = Deno.readTextFileSync(join(directory, FILE));
  } catch {
    return undefined; // missing or not to be read: the journal tells, or says why it cannot
  }
  try {
    const parsed = summarySchema.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined; // not JSON: a projection is never the truth, the caller makes it again
  }
}
