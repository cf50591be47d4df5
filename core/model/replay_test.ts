import assert from "node:assert/strict";
import { join } from "node:path";
import type { Message } from "../types/mod.ts";
import type { ModelEvent, ModelRequest } from "./port.ts";
import { requestDifference } from "./replay_difference.ts";
import { encodeRecording, parseRecording } from "./replay_recording.ts";
import type { RecordedRequest, Recording } from "./replay_recording.ts";
import { done, HELLO, modelFor, run } from "./test_server.ts";

const usage = { input: 5, output: 2, cache_read: 0, cache_write: 0 };

function answer(text: string): ModelEvent[] {
  return [
    { type: "start", model: "m", message_id: text, usage },
    { type: "text", index: 0, text },
    { type: "block_end", index: 0 },
    {
      type: "done",
      message: { role: "assistant", content: [{ type: "text", text }] },
      stop: "end_turn",
      usage,
      model: "m",
      message_id: text,
    },
  ];
}

const HELLO_RECORDED: RecordedRequest = {
  system: HELLO.system,
  messages: HELLO.messages,
  tools: HELLO.tools.map(({ name }) => name),
};

function modelOf(records: Recording["records"]) {
  return modelFor({
    api_type: "replay",
    recording: { name: "the recording", recording: { prompts: [], records } },
  });
}

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

Deno.test("a recording answers the recorded request, and says where another one differs", async () => {
  const records = [{ request: HELLO_RECORDED, events: answer("recorded") }];
  const { events } = await run(modelOf(records));
  assert.deepEqual(done(events).message.content, [{ type: "text", text: "recorded" }]);
  const { error } = await run(modelOf(records), { ...HELLO, system: `${HELLO.system} changed` });
  assert.equal(error?.category, "protocol");
  assert.match(
    error.message,
    /the recording was recorded with another request 1: they differ in the system prompt/,
  );
});

Deno.test("a recorded failure fails once, in the same way", async () => {
  const failed = { code: "model.overloaded", message: "too much to do", partial: null };
  const { events, error } = await run(modelOf([{ request: HELLO_RECORDED, events: [], error: failed }]));
  assert.deepEqual(events, []);
  assert.equal(error?.code, "model.overloaded");
  assert.equal(error.message, "too much to do");
});

Deno.test("a request too many, a broken file, a newer one and a missing one are typed errors", async () => {
  const failure = async (replay_file: string) =>
    (await run(modelFor({ api_type: "replay", replay_file }))).error?.message ?? "";
  await withFile("", async (file) => assert.match(await failure(file), /one too many/));
  await withFile("{}\n", async (file) => assert.match(await failure(file), /line 1 has no events/));
  await withFile("{\n", async (file) => assert.match(await failure(file), /line 1 is not JSON/));
  await withFile('{"recording":2}\n', async (file) => assert.match(await failure(file), /newer version/));
  assert.match(await failure("/nowhere/replay.jsonl"), /Cannot read the replay file/);
});

Deno.test("encodeRecording() writes each message once; parseRecording() gives the requests back", () => {
  const say = (role: "user" | "assistant", text: string): Message => ({
    role,
    content: [{ type: "text", text }],
  });
  const [one, two, three, four] = [
    say("user", "1"),
    say("assistant", "2"),
    say("user", "3"),
    say("user", "4"),
  ];
  const request = (...messages: Message[]): RecordedRequest => ({
    system: "s",
    messages,
    tools: ["Bash", "Read"],
  });
  const recording: Recording = {
    session_id: "a",
    model: "m",
    prompts: ["1", "3"],
    records: [
      { request: request(one), events: answer("2") },
      {
        request: request(one, two, three),
        events: [],
        error: { code: "model.network", message: "x", partial: null },
      },
      { request: { ...request(one, four), system: "t", tools: [] }, events: answer("5") },
      { events: answer("whatever was asked") },
    ],
  };
  const text = encodeRecording(recording);
  assert.equal(text.split('"text":"1"').length, 2);
  assert.deepEqual(parseRecording(text), recording);
});

Deno.test("requests are compared without the facts of the moment and wherever the workspace lies", () => {
  const conversation = (cwd: string, date: string, prompt: string, result: string): ModelRequest => ({
    system: `Instructions of ${cwd}/LUMINA.md`,
    tools: [],
    messages: [
      {
        role: "user",
        content: [
          {
            type: "text",
            text: `<context>\nDate: ${date}\nWorking directory: ${cwd}\nGit: main\n</context>`,
          },
          { type: "text", text: prompt },
        ],
      },
      {
        role: "assistant",
        content: [{
          type: "tool_use",
          call_id: cwd,
          wire_id: "w",
          name: "Read",
          input: { path: `${cwd}/a` },
        }],
      },
      {
        role: "user",
        content: [{ type: "tool_result", call_id: cwd, content: `${cwd}/a: ${result}`, is_error: false }],
      },
    ],
  });
  const { tools: _, ...rest } = conversation("/old", "2026-01-01", "look", "same");
  const recorded = { ...rest, tools: [] };
  assert.equal(requestDifference(recorded, conversation("/new", "2027-02-02", "look", "same")), undefined);
  assert.match(
    requestDifference(recorded, conversation("/new", "2027-02-02", "look here", "same")) ?? "",
    /^in message 1 \(user\), part 2, from character 11: recorded "text: look", now "text: look here"$/,
  );
  assert.match(
    requestDifference(recorded, conversation("/new", "2027-02-02", "look", "other")) ?? "",
    /^in message 3 \(user\), part 1, from character .*now "result: <workspace>\/a: other"/,
  );
  assert.match(
    requestDifference({ ...recorded, tools: ["Bash"] }, conversation("/old", "2026-01-01", "look", "same")) ??
      "",
    /not offered now: Bash/,
  );
});
