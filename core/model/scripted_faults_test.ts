import assert from "node:assert/strict";
import type { ToolUseBlock } from "../types/mod.ts";
import { startScriptedProvider } from "./scripted/mod.ts";
import type { ProviderScriptInput } from "./scripted/mod.ts";
import { done, modelFor, run } from "./test_server.ts";

type Turn = ProviderScriptInput["turns"][number];
type Fault = NonNullable<Turn["fault"]>;

const WIRES = ["anthropic", "openai_compatible"] as const;
const TURN: Turn = {
  thinking: "嗯…",
  text: ["你好😀 ", "and more"],
  tool_calls: [{ name: "Read", input: { path: "a.txt" } }, { name: "Now" }],
};

/** Runs one request against the turns and gives its events and the number of requests it took. */
async function against(
  api_type: (typeof WIRES)[number],
  turns: Turn[],
  more: Parameters<typeof modelFor>[1] = {},
) {
  await using provider = await startScriptedProvider({ turns });
  const result = await run(modelFor({ api_type, base_url: `${provider.url}/v1` }, more));
  return { ...result, requests: provider.requests.length };
}

const HARMLESS: Record<string, Fault> = {
  crlf: { line_ending: "crlf", chunk_bytes: 1 },
  cr: { line_ending: "cr", chunk_bytes: 3 },
  "BOM, no space, odd cuts": { bom: true, no_space: true, chunk_bytes: 7 },
  "no event names": { no_event_names: true },
  "no message_start": { no_message_start: true },
  "data over several lines": { split_data: true, chunk_bytes: 5 },
  "no [DONE], no last blank line": { no_done: true, no_final_blank: true },
  "no content type": { content_type: null },
  "JSON content type": { content_type: "application/json" },
  "unknown events": { unknown_events: true },
  interleaved: { interleave: true, chunk_bytes: 40 },
  "missing index": { index: "missing" },
  "zero index": { index: "zero" },
  "sparse index": { index: "sparse" },
  "index on first fragments only": { index: "first_only" },
};

for (const wire of WIRES) {
  Deno.test(`${wire}: odd framing, labels and indexes give the same message`, async () => {
    const expected = done((await against(wire, [TURN])).events);
    const plain = (message: typeof expected.message) =>
      message.content.map((block) =>
        block.type === "tool_use" ? [block.name, block.input, block.malformed] : block
      );
    assert.deepEqual(plain(expected.message).slice(-2), [["Read", { path: "a.txt" }, undefined], [
      "Now",
      {},
      undefined,
    ]]);
    assert.equal(expected.stop, "tool_use");
    for (const [name, fault] of Object.entries(HARMLESS)) {
      const result = await against(wire, [{ ...TURN, fault }], { max_attempts: 1 });
      assert.equal(result.error?.message, undefined, name);
      assert.deepEqual(plain(done(result.events).message), plain(expected.message), name);
    }
  });

  Deno.test(`${wire}: a broken stream is retried, and its text never passes as an answer`, async () => {
    const broken: Fault[] = [
      { cut_after_frames: 4, cut: "reset" },
      { cut_after_frames: 4, cut: "end" },
      { no_closing_events: true },
      {
        error_after_frames: 4,
        error: { type: wire === "anthropic" ? "overloaded_error" : "server_error", message: "x" },
      },
      { stall_after_frames: 4, keep_alive: "comment" },
      { http: "overloaded" },
      { http: "rate_limit", retry_after: "0" },
      { http: "server_error" },
    ];
    for (const fault of broken) {
      const result = await against(wire, [{ ...TURN, fault }, { text: "whole" }], { idle_timeout_ms: 150 });
      const name = JSON.stringify(fault);
      assert.equal(result.requests, 2, name);
      assert.deepEqual(done(result.events).message.content, [{ type: "text", text: "whole" }], name);
      assert.equal(result.events.filter((event) => event.type === "retry").length, 1, name);
    }
  });

  Deno.test(`${wire}: final answers are final, and an overflow is named`, async () => {
    for (
      const [http, category] of [["auth", "authentication_failed"], ["overflow", "window_overflow"]] as const
    ) {
      const result = await against(wire, [{ fault: { http } }, { text: "never" }]);
      assert.deepEqual([result.error?.category, result.requests], [category, 1]);
    }
  });

  Deno.test(`${wire}: cut-off arguments are malformed, and one id for two calls makes two calls`, async () => {
    const calls = (content: { type: string }[]) =>
      content.filter((block): block is ToolUseBlock => block.type === "tool_use");
    const cut = await against(wire, [{ tool_calls: [{ name: "Write", raw_arguments: '{"text":"abc' }] }]);
    assert.equal(calls(done(cut.events).message.content)[0]?.malformed?.raw, '{"text":"abc');
    const same = [{ name: "Read", id: "call_0", input: { n: 1 } }, {
      name: "Read",
      id: "call_0",
      input: { n: 2 },
    }];
    const twice = await against(wire, [{ tool_calls: same }]);
    assert.deepEqual(calls(done(twice.events).message.content).map((call) => call.input), [{ n: 1 }, {
      n: 2,
    }]);
  });

  Deno.test(`${wire}: a line of ten megabytes is read, one over the cap is a protocol error`, async () => {
    const big = await against(wire, [{ text: "x", fault: { huge_line_bytes: 10_000_000 } }], {
      max_attempts: 1,
    });
    assert.equal(big.error?.message, undefined);
    const bigger = await against(wire, [{ text: "x", fault: { huge_line_bytes: 18_000_000 } }], {
      max_attempts: 1,
    });
    assert.equal(bigger.error?.category, "protocol");
  });
}
