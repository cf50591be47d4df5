import assert from "node:assert/strict";
import { systemWorld } from "../../core/base/mod.ts";
import { createModel } from "../../core/model/mod.ts";
import type { ModelEvent } from "../../core/model/mod.ts";
import { startScriptedProvider } from "../../core/model/scripted/mod.ts";
import type { ProviderScriptInput } from "../../core/model/scripted/mod.ts";
import { AgentProject, resultOf, toolResults, WIRES } from "../support/agent_project.ts";
import type { Wire } from "../support/agent_project.ts";

type Fault = NonNullable<ProviderScriptInput["turns"][number]["fault"]>;
const MIXED = "你好😀 é";
const CALL = { name: "Read", input: { path: MIXED }, id: "call_1" };

/** What a request gave, without the ids that are new each time. */
interface Told {
  text: string;
  json: string;
  content: unknown;
  stop: string;
}

/** Asks the product's provider once for every fault, over a socket, with one connection pool. */
async function askAll(
  wire: Wire,
  faults: readonly Fault[],
  turn: { text?: string | string[]; tool_calls?: (typeof CALL)[] },
): Promise<Told[]> {
  await using server = await startScriptedProvider({ turns: faults.map((fault) => ({ ...turn, fault })) });
  const model = createModel({
    primary: { api_type: wire, base_url: server.url, api_key: "k", model: "m" },
    max_attempts: 1,
    world: systemWorld,
    models_file: new URL("../../resources/models.json", import.meta.url),
  });
  try {
    const told: Told[] = [];
    for (let at = 0; at < faults.length; at++) {
      const events: ModelEvent[] = [];
      const request = {
        system: "s",
        messages: [{ role: "user" as const, content: [{ type: "text" as const, text: "hi" }] }],
        tools: [],
      };
      for await (const event of model.stream(request, new AbortController().signal)) events.push(event);
      told.push(tell(events));
    }
    return told;
  } finally {
    model.close();
  }
}

function tell(events: readonly ModelEvent[]): Told {
  const told: Told = { text: "", json: "", content: undefined, stop: "" };
  for (const event of events) {
    if (event.type === "text") told.text += event.text;
    if (event.type === "tool_input") told.json += event.json;
    if (event.type === "done") {
      told.stop = event.stop;
      told.content = event.message.content.map((block) =>
        block.type === "tool_use" ? { ...block, call_id: "" } : block
      );
    }
  }
  return told;
}

/** Bytes of the stream of a turn. */
async function streamLength(wire: Wire, turn: ProviderScriptInput["turns"][number]): Promise<number> {
  await using server = await startScriptedProvider({ check: false, turns: [turn] });
  const path = wire === "anthropic" ? "/v1/messages" : "/chat/completions";
  const body = JSON.stringify({
    model: "m",
    stream: true,
    stream_options: { include_usage: true },
    max_tokens: 1,
    messages: [{ role: "user", content: "hi" }],
  });
  const response = await fetch(server.url + path, { method: "POST", body });
  return (await response.arrayBuffer()).byteLength;
}

for (const wire of WIRES) {
  for (const [line_ending, every] of [["crlf", 1], ["lf", 3], ["cr", 3]] as const) {
    const cuts = every === 1 ? "every byte" : `every ${every}rd byte`;
    Deno.test(`${wire} with ${line_ending} line ends gives identical answers for a cut at ${cuts}`, async () => {
      const turn = { text: [MIXED], tool_calls: [CALL] };
      const bytes = await streamLength(wire, { ...turn, fault: { line_ending } });
      assert.ok(bytes > 400, String(bytes));
      const faults: Fault[] = Array.from(
        { length: Math.ceil(bytes / every) },
        (_, at) => ({ line_ending, chunk_bytes: at * every + 1 }),
      );
      faults.push({ line_ending, chunk_bytes: 1, bom: true, no_space: true, no_final_blank: true });
      if (wire === "anthropic") {
        faults.push({ line_ending, chunk_bytes: 3, no_event_names: true, split_data: true });
      }
      const expected: Told = {
        text: MIXED,
        json: JSON.stringify(CALL.input),
        content: [
          { type: "text", text: MIXED },
          { type: "tool_use", call_id: "", wire_id: "call_1", name: "Read", input: CALL.input },
        ],
        stop: "tool_use",
      };
      for (const [at, told] of (await askAll(wire, faults, turn)).entries()) {
        assert.deepEqual(told, expected, JSON.stringify(faults[at]));
      }
    });
  }

  Deno.test(`${wire}: a 4 KB chunk that ends inside a character loses nothing`, async () => {
    for (const lead of ["", "a", "ab"]) {
      const text = lead + "漢字".repeat(1500);
      const [told] = await askAll(wire, [{ chunk_bytes: 4096 }], { text: [text] });
      assert.equal(told?.text, text);
    }
  });
}

Deno.test("through the command line: CRLF, CR, missing spaces and one byte at a time give the same answer on both wires", async () => {
  const faults: Fault[] = [
    { line_ending: "crlf", chunk_bytes: 1, bom: true },
    { line_ending: "cr", chunk_bytes: 5, no_final_blank: true, unknown_events: true },
    { no_space: true, chunk_bytes: 7, content_type: null, no_done: true },
  ];
  await Promise.all(WIRES.map(async (wire) => {
    await using project = await AgentProject.open({
      turns: faults.flatMap((fault, at) => [
        { tool_calls: [{ name: "Read", input: { file_path: "你好.txt" }, id: `c${at}` }], fault },
        { text: `答え ${MIXED}`, fault },
      ]),
    });
    await project.dir.write("你好.txt", `inside ${MIXED}\n`);
    const run = await project.converse(["one", "two", "three"], [], { wire });
    assert.equal(run.code, 0, run.stderr);
    for (const lines of run.prompts) {
      assert.equal(resultOf(lines)["result"], `答え ${MIXED}`);
      const [read] = toolResults(lines);
      assert.match(read?.content ?? "", new RegExp(`inside ${MIXED}`));
    }
    assert.equal(run.prompts.length, 3);
  }));
});

Deno.test("a line over the cap ends the attempt with a typed error, and memory stays bounded", async () => {
  await using project = await AgentProject.open({
    turns: [{ text: "x", fault: { huge_line_bytes: 17 * 1024 * 1024 } }, { text: "small again" }],
  });
  const run = await project.converse(["huge", "small"]);
  const [huge, small] = run.prompts;
  assert.equal(resultOf(huge ?? [])["error_code"], "model.protocol");
  assert.equal(resultOf(small ?? [])["result"], "small again");
});
