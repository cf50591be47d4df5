import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { systemWorld } from "../../core/base/mod.ts";
import { DAMAGED_EVENT } from "../../core/journal/mod.ts";
import { createModel } from "../../core/model/mod.ts";
import { startScriptedProvider } from "../../core/model/scripted/mod.ts";
import { decide, emptySession, evolve } from "../../core/session/mod.ts";
import type { SessionState } from "../../core/session/mod.ts";
import type { StoredEvent } from "../../core/types/mod.ts";
import { AgentProject, resultOf, WIRES } from "../support/agent_project.ts";

const models_file = new URL("../../resources/models.json", import.meta.url);

/** The conversation that the next request carries when the journal reads as given and a person goes on. */
function goOn(events: readonly StoredEvent[]): SessionState {
  let state = emptySession();
  for (const event of structuredClone(events)) state = evolve(state, event);
  const tell = (command: Parameters<typeof decide>[1], stream_id: string) => {
    for (const event of decide(state, command)) {
      state = evolve(state, { ...event, seq: state.seq + 1, stream_id, stream_seq: 99, ts: 1 });
    }
  };
  if (state.run !== null) tell({ type: "interrupt_run", reason: "died" }, `run/${state.run.run_id}`);
  state.session_id ||= "s";
  const prompt = { prompt: "go on", context: "", model: "m", mode: "ask", tools: [] };
  tell({ type: "start_run", run_id: "next", step_id: "next-1", ...prompt }, "run/next");
  return state;
}

/** The journal without each event in turn, with each damaged, and cut off behind each. */
function* damaged(events: readonly StoredEvent[]): Generator<[string, StoredEvent[]]> {
  for (const [at, event] of events.entries()) {
    const { seq, type, version } = event;
    yield [`without ${seq} ${type}`, events.toSpliced(at, 1)];
    const payload = { type, version, problem: "the payload is damaged" };
    yield [
      `${seq} ${type} damaged`,
      events.with(at, { ...event, type: DAMAGED_EVENT, version: 1, payload }),
    ];
    yield [`cut off behind ${seq} ${type}`, events.slice(0, at + 1)];
  }
}

Deno.test("whichever event a session lost, both services take its next request", async () => {
  await using project = await AgentProject.open({
    turns: [
      {
        text: "three at once",
        tool_calls: ["a", "b", "c"].map((name) => ({ name: "Read", input: { file_path: `${name}.txt` } })),
      },
      { tool_calls: [{ name: "Bash", input: { command: "true" }, id: "call_0" }] },
      { text: "first done" },
      { tool_calls: [{ name: "Read", input: { file_path: "missing.txt" }, id: "call_0" }] },
      { text: "second done" },
    ],
  });
  for (const name of ["a", "b", "c"]) await project.dir.write(`${name}.txt`, `text of ${name}\n`);
  const run = await project.converse(["one", "two"], ["--permission-mode", "yolo"]);
  assert.equal(resultOf(run.lines)["result"], "second done");
  const events = await project.journal(run.session_id);
  assert.equal(events.filter((event) => event.type === "tool.finished").length, 5);

  await using provider = await startScriptedProvider({ turns: [{ text: "taken", repeat: true }] });
  for (const wire of WIRES) {
    const model = createModel({
      world: systemWorld,
      models_file: fileURLToPath(models_file),
      max_attempts: 1,
      primary: {
        api_type: wire,
        model: "scripted-model",
        api_key: "k",
        base_url: wire === "anthropic" ? provider.url : `${provider.url}/v1`,
      },
    });
    try {
      for (const [where, left] of damaged(events)) {
        const { system, messages } = goOn(left);
        let stop: string | undefined;
        const request = { system, messages, tools: [] };
        try {
          for await (const event of model.stream(request, new AbortController().signal)) {
            if (event.type === "done") stop = event.stop;
          }
        } catch (error) {
          throw new Error(`${wire}: ${where}`, { cause: error });
        }
        assert.equal(stop, "end_turn", `${wire}: ${where}`);
      }
    } finally {
      model.close();
    }
  }
});
