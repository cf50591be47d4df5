import assert from "node:assert/strict";
import { join } from "node:path";
import type { ModelRequest } from "./port.ts";
import { recordModel, type ReplayRecord, requestHash } from "./replay.ts";
import { done, HELLO, modelFor, openaiSse, openaiText, run, serve, streamed } from "./test_server.ts";

async function withFile(content: string, use: (file: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    const file = join(folder, "replay.jsonl");
    await Deno.writeTextFile(file, content);
    await use(file);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("what recordModel() saw is replayed for the same requests", async () => {
  await using server = serve(() => streamed([openaiSse(openaiText("recorded"))]));
  const model = modelFor({ api_type: "openai_compatible", base_url: server.url });
  const records: ReplayRecord[] = [];
  for await (
    const _ of recordModel(model, (record) => void records.push(record)).stream(
      HELLO,
      new AbortController().signal,
    )
  );
  model.close();
  await withFile(records.map((record) => JSON.stringify(record)).join("\n"), async (replay_file) => {
    const { events } = await run(modelFor({ api_type: "replay", replay_file }));
    assert.deepEqual(done(events).message.content, [{ type: "text", text: "recorded" }]);
    const other = await run(modelFor({ api_type: "replay", replay_file }), { ...HELLO, system: "changed" });
    assert.equal(other.error?.category, "protocol");
    assert.match(other.error!.message, /line 1 was recorded for request/);
  });
});

Deno.test("a request too many, a broken file and a missing one are typed errors", async () => {
  await withFile("", async (replay_file) => {
    assert.match((await run(modelFor({ api_type: "replay", replay_file }))).error!.message, /one too many/);
  });
  await withFile("{}\n", async (replay_file) => {
    assert.match(
      (await run(modelFor({ api_type: "replay", replay_file }))).error!.message,
      /line 1 has no events/,
    );
  });
  const gone = await run(modelFor({ api_type: "replay", replay_file: "/nowhere/replay.jsonl" }));
  assert.equal(gone.error?.category, "protocol");
});

Deno.test("a request's hash does not depend on the call ids of the run", () => {
  const withIds = (id: string): ModelRequest => ({
    ...HELLO,
    messages: [
      {
        role: "assistant",
        content: [{ type: "tool_use", call_id: id, wire_id: "w", name: "Read", input: {} }],
      },
      { role: "user", content: [{ type: "tool_result", call_id: id, content: "x", is_error: false }] },
    ],
  });
  assert.equal(requestHash(withIds("one")), requestHash(withIds("two")));
  assert.notEqual(requestHash(withIds("one")), requestHash(HELLO));
});
