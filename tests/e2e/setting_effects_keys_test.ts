import assert from "node:assert/strict";
import { startScriptedProvider } from "../../core/model/scripted/mod.ts";
import { resultOf } from "../support/agent_project.ts";
import { reach, SettingsRun } from "./setting_effects_support.ts";

const ANSWERS = { turns: [{ text: "ok", repeat: true }] };

Deno.test("api_key and api_key_file give the key in the header of each wire", async () => {
  await using provider = await startScriptedProvider(ANSWERS);
  await using run = await SettingsRun.start({
    settings: reach(provider, { api_key: "text-key" }),
    prepare: (_, app) => app.write("config/keys/mine.txt", "file-key\n"),
  });
  await run.answer();
  await run.answer(reach(provider, { api_key: null, api_key_file: "keys/mine.txt" }));
  await run.answer(reach(provider, { api_key: "text-key", api_type: "openai_compatible" }));
  const openai = { api_type: "openai_compatible", api_key: null, api_key_file: "keys/mine.txt" };
  await run.answer(reach(provider, openai));
  const sent = provider.requests.map(({ headers }) => [headers["x-api-key"], headers["authorization"]]);
  assert.deepEqual(sent, [
    // servers that are compatible with Anthropic's wire look at either
    ["text-key", "Bearer text-key"],
    ["file-key", "Bearer file-key"],
    [undefined, "Bearer text-key"],
    [undefined, "Bearer file-key"],
  ]);
});

Deno.test("api_key_helper runs once with an allow-listed environment, and again after the provider has refused its key", async () => {
  await using provider = await startScriptedProvider({ ...ANSWERS, api_key: "key-2" });
  await using run = await SettingsRun.start({
    env: {
      AWS_SECRET_ACCESS_KEY: "aws",
      LLM_OTHER_SECRET: "llm",
      NODE_OPTIONS: "--trace-exit",
      GOFLAGS: "-v",
    },
    async prepare(workspace, app) {
      const script = await app.write(
        "helper.sh",
        `cd "$1" && env > env.txt && echo run >> runs && echo "key-$(wc -l < runs | tr -d ' ')"`,
      );
      const api_key_helper = `sh '${script}' '${app.path}'`;
      const settings = reach(provider, { api_key: null, api_key_helper, child_env_allow: ["GOFLAGS"] });
      await app.write("config/settings.json", JSON.stringify(settings));
      await workspace.write("file.txt", "");
    },
  });
  assert.match(await run.failure(), /invalid x-api-key/);
  assert.equal(await run.answer(), "ok");
  assert.equal(await run.answer(), "ok");
  const keys = provider.requests.map(({ headers }) => headers["x-api-key"]);
  assert.deepEqual(keys, ["key-1", "key-2", "key-2"]);
  assert.equal(await run.app.read("runs"), "run\nrun\n");
  const env = await run.app.read("env.txt");
  assert.match(env, /^GOFLAGS=-v$/m);
  assert.match(env, /^PATH=/m);
  assert.doesNotMatch(env, /^(AWS_|LLM_|LUMINA_|NODE_OPTIONS)/m);
});

Deno.test("a key file is read again after the provider has refused its key", async () => {
  await using provider = await startScriptedProvider({ ...ANSWERS, api_key: "new-key" });
  await using run = await SettingsRun.start({
    settings: reach(provider, { api_key: null, api_key_file: "key.txt" }),
    prepare: (_, app) => app.write("config/key.txt", "old-key"),
  });
  const refused = await run.turn();
  assert.match(refused.find((line) => line["subtype"] === "init")?.["apiKeySource"], /settings\.json:\d+$/);
  assert.match(resultOf(refused)["errors"][0], /invalid x-api-key/);
  await run.app.write("config/key.txt", "new-key");
  assert.equal(await run.answer(), "ok");
});
