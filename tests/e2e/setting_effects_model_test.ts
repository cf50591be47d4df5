import assert from "node:assert/strict";
import { startScriptedProvider } from "../../core/model/scripted/mod.ts";
import type { RecordedRequest } from "../../core/model/scripted/mod.ts";
import type { JsonObject } from "../../core/types/mod.ts";
import { resultOf } from "../support/agent_project.ts";
import { reach, runOnce, SettingsRun } from "./setting_effects_support.ts";

const ANSWERS = { turns: [{ text: "ok", repeat: true }] };
const OPENAI = { api_type: "openai_compatible" };

/** Some fields of each request's body. */
function bodies(requests: readonly RecordedRequest[], ...fields: string[]): JsonObject[] {
  return requests.map(({ body }) =>
    Object.fromEntries(fields.flatMap((field) => {
      const value = body[field];
      return value === undefined ? [] : [[field, value]];
    }))
  );
}

Deno.test("api_base_url, api_model and api_type decide path, wire and model; auto looks at the URL, then at the name", async () => {
  await using provider = await startScriptedProvider(ANSWERS);
  const { url } = provider;
  await using run = await SettingsRun.start({ settings: reach(provider) });
  await run.answer();
  await run.answer(reach(provider, { api_model: "claude-x", api_type: "openai", api_base_url: `${url}/v1` }));
  // the documented example: the name goes out as it was given
  const example = { api_model: "deepseek-v4-pro[1m]", api_base_url: `${url}/anthropic` };
  await run.answer(reach(provider, { ...example, api_type: "auto" }));
  await run.answer(reach(provider, { api_type: "auto", api_model: "claude-x" }));
  await run.answer(reach(provider, { api_type: "auto", api_base_url: `${url}/v1/` }));
  await run.answer(reach(provider, { api_type: "auto", api_base_url: `${url}/base/v4` }));
  const sent = provider.requests.map(({ path, body }) => [path.split("?")[0], body["model"]]);
  assert.deepEqual(sent, [
    ["/v1/messages", "m"],
    ["/v1/chat/completions", "claude-x"],
    ["/anthropic/v1/messages", "deepseek-v4-pro[1m]"],
    ["/v1/messages", "claude-x"],
    ["/v1/chat/completions", "m"],
    ["/base/v4/chat/completions", "m"],
  ]);
});

Deno.test("api_type replay answers from api_replay_file without a server, and says when the file has no more", async () => {
  const usage = { input: 5, output: 2, cache_read: 0, cache_write: 0 };
  const record = (text: string) =>
    JSON.stringify({
      events: [
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
      ],
    });
  await using run = await SettingsRun.start({
    settings: { api_model: "m", api_type: "replay", api_replay_file: "answers.jsonl" },
    prepare: (_, app) => app.write("config/answers.jsonl", `${record("first")}\n${record("second")}\n`),
  });
  assert.equal(await run.answer(), "first");
  assert.equal(await run.answer(), "second");
  assert.match(await run.failure(), /answers\.jsonl has 2 recorded answers; request 3 is one too many/);
});

Deno.test("max_output_tokens, context_window and api_max_tokens set the output limit on the wire; the local window only lowers", async () => {
  await using provider = await startScriptedProvider(ANSWERS);
  await using run = await SettingsRun.start({ settings: reach(provider) });
  await run.answer();
  await run.answer(reach(provider, { max_output_tokens: 321 }));
  const large = { max_output_tokens: 1_000_000 };
  await run.answer(reach(provider, { ...large, context_window: 70_000 }));
  await run.answer(reach(provider, { ...large, api_max_tokens: 65_000 }));
  await run.answer(reach(provider, { ...large, context_window: 70_000, api_max_tokens: 1_000_000 }));
  await run.answer(reach(provider, { ...OPENAI, max_output_tokens: 321 }));
  await run.answer(reach(provider, OPENAI));
  const sent = bodies(provider.requests, "max_tokens").map(({ max_tokens }) => max_tokens);
  assert.deepEqual(sent.toSpliced(2, 3), [8_000, 321, 321, undefined]);
  const [wide, lowered, same] = sent.slice(2, 5).map(Number);
  // prompt and answer share the window
  assert.ok(wide !== undefined && wide > 40_000 && wide < 70_000, `${wide}`);
  assert.ok(lowered !== undefined && lowered > 35_000 && lowered < wide, `${lowered}`);
  // the conversation has grown by two prompts
  assert.ok(same !== undefined && same > lowered && same <= wide, `${same}`);
});

Deno.test("effort is sent in the words of each wire, and not at all when it is not set", async () => {
  await using provider = await startScriptedProvider(ANSWERS);
  await using run = await SettingsRun.start({ settings: reach(provider, { effort: "low" }) });
  await run.answer();
  await run.answer(reach(provider, { ...OPENAI, effort: "high" }));
  await run.answer(reach(provider));
  assert.deepEqual(bodies(provider.requests, "output_config", "reasoning_effort"), [
    { output_config: { effort: "low" } },
    { reasoning_effort: "high" },
    {},
  ]);
});

Deno.test("each fallback_ setting has its part: nothing without fallback_api_enabled, then address, model, wire and key", async () => {
  await using provider = await startScriptedProvider({
    turns: [{ fault: { http: "overloaded", retry_after: "0" }, repeat: true }],
  });
  await using second = await startScriptedProvider({ turns: [{ text: "second", repeat: true }] });
  const fallback = {
    api_max_attempts: 1,
    fallback_api_base_url: `${second.url}/v1`,
    fallback_api_model: "claude-second",
    fallback_api_type: "openai_compatible",
    fallback_api_key: "text-key",
  };
  const on = { ...fallback, fallback_api_enabled: true };
  await using run = await SettingsRun.start({
    settings: reach(provider, fallback),
    prepare: (_, app) => app.write("config/second.txt", "file-key"),
  });
  assert.match(await run.failure(), /Overloaded/);
  assert.equal(second.requests.length, 0);
  assert.equal(await run.answer(reach(provider, on)), "second");
  const file = { fallback_api_key: null, fallback_api_key_file: "second.txt", fallback_api_type: "auto" };
  assert.equal(await run.answer(reach(provider, { ...on, ...file })), "second");
  const sent = second.requests.map(({ path, headers, body }) => [
    path.split("?")[0],
    headers["authorization"],
    body["model"],
  ]);
  assert.deepEqual(sent, [
    ["/v1/chat/completions", "Bearer text-key", "claude-second"],
    ["/v1/messages", "Bearer file-key", "claude-second"],
  ]);
});

Deno.test("api_stream_idle_timeout_seconds ends a silent stream, and api_max_attempts is the number of requests", async () => {
  const overloaded = { fault: { http: "overloaded" as const, retry_after: "0" } };
  await using provider = await startScriptedProvider({
    turns: [{ text: "never", fault: { stall_after_frames: 1 } }, overloaded, overloaded, overloaded],
  });
  const silent = { api_stream_idle_timeout_seconds: 0.3, api_max_attempts: 1 };
  await using run = await SettingsRun.start({ settings: reach(provider, silent) });
  assert.match(await run.failure(), /no data for 0\.3 s/);
  assert.equal(provider.requests.length, 1);
  assert.match(await run.failure(reach(provider, { api_max_attempts: 3 })), /Overloaded/);
  assert.equal(provider.requests.length, 4);
});

Deno.test("max_parent_turns limits the model requests of a run", async () => {
  await using provider = await startScriptedProvider({
    turns: [{ tool_calls: [{ name: "List", input: {} }], repeat: true }],
  });
  const run = await runOnce({ settings: reach(provider, { max_parent_turns: 2 }) });
  assert.equal(run.code, 1);
  assert.equal(resultOf(run.lines)["subtype"], "error_max_turns");
  assert.equal(provider.requests.length, 2);
});
