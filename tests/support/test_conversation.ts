import { systemWorld } from "../../core/base/mod.ts";
import { openJournal } from "../../core/journal/mod.ts";
import { ModelError } from "../../core/model/mod.ts";
import type { Model, ModelRequest } from "../../core/model/mod.ts";
import { Session } from "../../core/session/mod.ts";
import type { SessionCommand } from "../../core/session/mod.ts";
import type { ToolManifest } from "../../core/plugin_api/mod.ts";
import type { AssistantBlock, ModelEvent, RunEvent } from "../../core/types/mod.ts";
import { Compactor } from "../../core/agent/mod.ts";
import type { CompactionRun, CompactorDeps } from "../../core/agent/mod.ts";

/** A session in a journal of its own, and what its tests say. */
export interface TestConversation {
  session: Session;
  execute(command: SessionCommand): Promise<void>;
  /** A prompt with its answer. */
  exchange(prompt: string, answer: string): Promise<void>;
  /** Begins a run and leaves it open. */
  begin(prompt: string): Promise<void>;
  /** An answer with calls and their results, inside the open run. */
  round(...calls: { name?: string; input: string; result: string }[]): Promise<void>;
  finish(): Promise<void>;
  /** The same journal, opened again. */
  reopen(): Promise<Session>;
}

const SPENT = { cost_usd: 0.1, duration_ms: 1 };

/** Runs `body` with a new session; without a provider's counts unless `usage` gives one. */
export async function withConversation(
  body: (conversation: TestConversation) => Promise<void>,
  system = "be good",
): Promise<void> {
  const folder = await Deno.makeTempDir();
  let journal = await openJournal(`${folder}/runtime.sqlite`, { create: true, world: systemWorld });
  try {
    const session = await Session.open(journal, () => 1);
    const execute = (command: SessionCommand) => session.execute(command);
    let number = 0;
    const answer = async (content: AssistantBlock[], stop: "end_turn" | "tool_use") => {
      await execute({
        type: "record_answer",
        model: "m",
        message_id: `m${number}`,
        message: { role: "assistant", content },
        stop,
        usage: { input: 0, output: 0, cache_read: 0, cache_write: 0 },
        ...SPENT,
      });
    };
    const begin = async (prompt: string) => {
      const run_id = `run-${++number}`;
      await execute({
        type: "start_run",
        run_id,
        step_id: `${run_id}-1`,
        prompt,
        context: "<context>\n</context>",
        model: "m",
        mode: "ask",
        tools: [],
      });
    };
    const finish = () => execute({ type: "finish_run", status: "success", denials: 0, duration_ms: 1 });
    await execute({
      type: "create",
      system,
      session_id: "s",
      project_id: "p",
      cwd: "/w",
      lumina_version: "0",
      origin: "headless",
    });
    await body({
      session,
      execute,
      begin,
      finish,
      exchange: async (prompt, text) => {
        await begin(prompt);
        await answer([{ type: "text", text }], "end_turn");
        await finish();
      },
      round: async (...calls) => {
        const ids = calls.map(() => `call-${++number}`);
        await answer(
          calls.map(({ name = "Read", input }, at) => ({
            type: "tool_use",
            call_id: ids[at] ?? "",
            wire_id: ids[at] ?? "",
            name,
            input: { file_path: input },
          })),
          "tool_use",
        );
        for (const [at, { name = "Read", input, result }] of calls.entries()) {
          const call_id = ids[at] ?? "";
          await execute({ type: "start_tool", call_id, name, effect: "read", repeat: "retry" });
          await execute({
            type: "finish_tool",
            call_id,
            name,
            content: result,
            is_error: false,
            ran: true,
            seen: [{ path: `/w/${input}`, sha256: "aa" }],
            duration_ms: 1,
          });
        }
        await execute({ type: "start_step", step_id: `step-${++number}` });
      },
      reopen: async () => {
        await journal.close();
        journal = await openJournal(`${folder}/runtime.sqlite`, { create: false, world: systemWorld });
        return await Session.open(journal, () => 1);
      },
    });
  } finally {
    await journal.close();
    await Deno.remove(folder, { recursive: true });
  }
}

/** A model whose summaries are these texts or errors, the last one again and again; what it was asked is kept. */
export function summaryModel(
  window: number,
  ...answers: (string | Error)[]
): Model & { requests: ModelRequest[] } {
  const requests: ModelRequest[] = [];
  return {
    requests,
    name: "m",
    window,
    max_output: 4_000,
    async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
      signal.throwIfAborted();
      requests.push(request);
      const said = answers.length > 1 ? answers.shift() : answers[0];
      if (said instanceof Error) throw said;
      yield await Promise.resolve({
        type: "done",
        message: { role: "assistant", content: [{ type: "text", text: said ?? "" }] },
        stop: "end_turn",
        usage: { input: 10, output: 2, cache_read: 0, cache_write: 0 },
        model: "m",
        message_id: "i",
      });
    },
  };
}

/** The provider's word that a request does not fit. */
export const TOO_LONG = new ModelError("prompt is too long", { category: "window_overflow" });

/** A compactor with its run over a session, and what it told. */
export function compactorOf(
  session: Session,
  model: Model,
  more: Partial<CompactorDeps> & Partial<CompactionRun> = {},
) {
  const told: RunEvent[] = [];
  const run: CompactionRun = {
    session,
    model,
    tools: {
      tools: [],
      find: (name) => ({ name, repeat: name === "Bash" ? "ask" : "retry" }) as ToolManifest,
    },
    scope: {
      run_id: "r",
      session,
      model,
      world: systemWorld,
      signal: new AbortController().signal,
      emit: (event) => void told.push(event),
    },
    cost: () => 0.01,
    ...more,
  };
  const compactor = new Compactor({
    world: systemWorld,
    threshold: () => 0.8,
    prompt: () => Promise.resolve("Sum up in {{words}} words."),
    ...more,
  });
  return { compactor, run, told };
}
