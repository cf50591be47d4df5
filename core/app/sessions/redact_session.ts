import { basename, join } from "node:path";
import { LuminaError } from "../../base/mod.ts";
import type { World } from "../../base/mod.ts";
import type { AppRootPaths } from "../../app_root/mod.ts";
import { openJournal, readEvents } from "../../journal/mod.ts";
import type { Journal } from "../../journal/mod.ts";
import { agentOf, foldSession, sessionEvents, writeSummary } from "../../session/mod.ts";
import type { SessionEvent } from "../../session/mod.ts";
import { assertWhole } from "./damaged_session.ts";
import { journalPlace } from "./journal_place.ts";
import type { SavedSession, SessionStore } from "./session_store.ts";

/**
 * Forgets messages of a session for good: their text, what the tools that they called gave, and every summary of a
 * stretch that holds one. Hashes stay, so the journal still verifies. Throws `session.no_message` (exit 4) for a number
 * that no message has, `journal.busy` (exit 5) while another process owns the session.
 */
export async function redactSession(
  context: { store: SessionStore; app_root: AppRootPaths; world: World },
  saved: SavedSession,
  messages: readonly number[],
  reason: string,
): Promise<number[]> {
  const { store, app_root, world } = context;
  await (await store.openJournal(saved)).close(); // damage and foreign files are named before anything is written
  const place = journalPlace(app_root, saved.session_id);
  const journal = await openJournal(saved.journal_file, { world, ...place });
  try {
    await assertWhole(saved, journal);
    const { seqs, results } = await concerned(journal, messages);
    const { redacted } = await journal.redact({ seqs, reason, by: "user" });
    const { state } = await foldSession(journal);
    removeSpilled(app_root.spillDir(state.project_id, saved.session_id), results);
    writeSummary(saved.directory, state);
    return redacted;
  } finally {
    await journal.close();
  }
}

/** Output that was too long to show lies in files that the result names. */
function removeSpilled(directory: string, results: readonly string[]): void {
  let entries: Deno.DirEntry[];
  try {
    entries = [...Deno.readDirSync(directory)];
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return;
    throw error;
  }
  for (const { name, isFile } of entries) {
    if (isFile && results.some((text) => text.includes(basename(name)))) {
      Deno.removeSync(join(directory, name));
    }
  }
}

interface Concerned {
  seqs: number[];
  /** The results of tools among them. */
  results: string[];
}

/** The events of these messages and of all that was made from them. */
async function concerned(journal: Journal, messages: readonly number[]): Promise<Concerned> {
  const wanted = new Set(messages);
  const found = new Set<number>();
  const results: string[] = [];
  const calls = new Set<string>();
  /** Sub-agents that these calls began: their whole conversations belong to them. */
  const agents = new Set<string>();
  /** Attempts that died, by step: they may hold what the answer then said. */
  const attempts = new Map<string, number[]>();
  /** The same by run: without an answer the last of them is shown as the message that its end made. */
  const partials = new Map<string, number[]>();
  const endings = new Set<number>();
  /** The steps and the runs whose answers and prompts go. */
  const steps = new Set<string>();
  const asked = new Set<string>();
  const summaries: Extract<SessionEvent, { type: "memory.summarised" }>[] = [];
  let titled: number | undefined;
  for await (const page of readEvents(journal)) {
    for (const stored of page) {
      const decoded = sessionEvents.decode(stored);
      if (!decoded.known) continue;
      const { event } = decoded;
      if (event.type === "subagent.started" && calls.has(event.payload.call_id ?? "")) {
        agents.add(event.payload.agent_id);
      }
      if (event.type.startsWith("subagent.") && agents.has((event as AgentEvent).payload.agent_id)) {
        found.add(event.seq);
      }
      const of = agentOf(event.stream_id);
      if (of !== "") {
        if (!agents.has(of) || !SAYS.has(event.type)) continue;
        found.add(event.seq);
        if (event.type === "tool.finished") results.push(event.payload.content);
        if (event.type === "session.compacted") {
          results.push(...event.payload.replaced.map(({ content }) => content));
        }
        continue;
      }
      if (wanted.has(event.seq) && isMessage(event)) {
        found.add(event.seq);
        if (event.type === "model.answered") {
          for (const seq of attempts.get(event.step_id ?? "") ?? []) found.add(seq);
          if (event.step_id !== undefined) steps.add(event.step_id);
          for (const block of event.payload.message.content) {
            if (block.type === "tool_use") calls.add(block.call_id);
          }
        }
      }
      if (event.type === "model.retried" && event.step_id !== undefined) {
        attempts.set(event.step_id, [...attempts.get(event.step_id) ?? [], event.seq]);
      }
      const { run_id = "" } = event;
      if (event.type === "run.started" && wanted.has(event.seq)) asked.add(run_id);
      // its text is that of the prompt which called it, or of the call's result
      if (event.type === "run.skill_used") {
        const { by } = event.payload;
        if (by === "person" ? asked.has(run_id) : steps.has(event.step_id ?? "")) found.add(event.seq);
      }
      if (event.type === "model.retried" || event.type === "model.failed") {
        if (event.payload.partial !== null) partials.set(run_id, [...partials.get(run_id) ?? [], event.seq]);
      }
      if (wanted.has(event.seq) && (event.type === "run.finished" || event.type === "run.interrupted")) {
        for (const seq of partials.get(run_id) ?? []) found.add(seq);
        if (partials.has(run_id)) endings.add(event.seq);
      }
      // its reason may quote the call
      if (event.type === "permission.decided" && calls.has(event.payload.call_id)) found.add(event.seq);
      if (event.type === "plugin.emitted" && calls.has(event.payload.call_id)) found.add(event.seq);
      if (event.type === "tool.shell_started" && calls.has(event.payload.call_id)) found.add(event.seq);
      if (event.type === "tool.output_kept" && calls.has(event.payload.call_id)) found.add(event.seq);
      if (event.type === "tool.finished" && calls.has(event.payload.call_id)) {
        found.add(event.seq);
        results.push(event.payload.content);
      }
      if (event.type === "memory.summarised") summaries.push(event);
      // it stands for, and repeats, whatever came before it
      if (event.type === "session.compacted" && messages.some((number) => number < event.seq)) {
        found.add(event.seq);
        // where it keeps the results that it shortened
        results.push(...event.payload.replaced.flatMap((one) => calls.has(one.call_id) ? [one.content] : []));
      }
      if (event.type === "session.titled" && event.payload.by === "auto") titled = event.seq;
    }
  }
  for (const number of wanted) {
    if (found.has(number) || endings.has(number)) continue;
    throw new LuminaError(
      "session.no_message",
      `The session has no message ${number} that could be redacted: lumina session show lists their numbers`,
      { exit: 4 },
    );
  }
  const covered = summaries.filter(({ payload: { from, to } }) =>
    [...wanted].some((number) => from <= number && number <= to)
  );
  for (const { seq } of covered) found.add(seq);
  if (covered.length > 0 && titled !== undefined) found.add(titled); // the title was made from the first summary
  return { seqs: [...found].sort((a, b) => a - b), results };
}

type AgentEvent = Extract<SessionEvent, { payload: { agent_id: string } }>;

/** The events of a sub-agent's conversation that hold text; what it used and that it ran stay. */
const SAYS: ReadonlySet<string> = new Set<SessionEvent["type"]>([
  "session.prompt_set",
  "session.compacted",
  "run.started",
  "run.note_added",
  "run.steered",
  "run.skill_used",
  "run.finished",
  "run.interrupted",
  "run.step_interrupted",
  "model.answered",
  "model.retried",
  "model.failed",
  "permission.decided",
  "tool.finished",
  "tool.output_kept",
  "tool.interrupted",
  "plugin.emitted",
  "warning.raised",
  "warning.hook",
]);

function isMessage({ type }: SessionEvent): boolean {
  return type === "run.started" || type === "model.answered" || type === "run.note_added" ||
    type === "run.steered" ||
    type === "session.message_imported";
}
