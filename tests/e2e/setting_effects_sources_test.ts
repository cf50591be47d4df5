import assert from "node:assert/strict";
import { join } from "node:path";
import { startScriptedProvider } from "../../core/model/scripted/mod.ts";
import type { JsonObject } from "../../core/types/mod.ts";
import { runLumina } from "../support/run_lumina.ts";
import { tempDir } from "../support/temp_dir.ts";
import { reach, runOnce, SettingsRun } from "./setting_effects_support.ts";

const ANSWERS = { turns: [{ text: "ok", repeat: true }] };

Deno.test("the order is flag, environment, project, --settings, user file", async () => {
  await using provider = await startScriptedProvider(ANSWERS);
  await using extra = await tempDir();
  const settings_file = await extra.write("extra.json", '{ "effort": "medium" }');
  const project = ".Lumina/CONFIG/defaults.json";
  const options = {
    settings: reach(provider, { effort: "low" }),
    prepare: (workspace: { write(path: string, text: string): Promise<string> }) =>
      workspace.write(project, '{ "effort": "high" }'),
  };
  const args = ["--settings", settings_file];
  const env = { LUMINA_EFFORT: "max" };
  assert.equal((await runOnce({ ...options, env, args: [...args, "--effort", "low"] })).code, 0);
  assert.equal((await runOnce({ ...options, env, args })).code, 0);
  await using run = await SettingsRun.start({ ...options, args });
  await run.answer();
  await run.workspace.write(project, "{}");
  await run.answer();
  await extra.write("extra.json", "{}");
  await run.answer();
  const sent = provider.requests.map(({ body }) => (body["output_config"] as JsonObject)["effort"]);
  assert.deepEqual(sent, ["low", "max", "high", "medium", "low"]);
});

/** The variables of each family, strongest first. */
const FAMILIES = {
  key: ["LUMINA_API_KEY", "LLM_API_KEY", "ANTHROPIC_API_KEY"],
  model: ["LUMINA_API_MODEL", "LLM_DEFAULT_MODEL", "ANTHROPIC_MODEL"],
  url: ["LUMINA_API_BASE_URL", "LLM_BASE_URL", "ANTHROPIC_BASE_URL"],
};

Deno.test("LUMINA_ variables win over LLM_ ones, those over ANTHROPIC_ ones, and no SDK reads its own", async () => {
  await using provider = await startScriptedProvider(ANSWERS);
  const stray = {
    OPENAI_ORG_ID: "stray-org",
    OPENAI_PROJECT_ID: "stray-project",
    OPENAI_BASE_URL: "http://127.0.0.1:9",
    OPENAI_API_KEY: "stray-key",
    ANTHROPIC_AUTH_TOKEN: "stray-token",
    ANTHROPIC_CUSTOM_HEADERS: "x-stray: stray-header",
    OPENAI_CUSTOM_HEADERS: "x-stray: stray-header",
  };
  for (const strongest of [0, 1, 2]) {
    const env: Record<string, string> = { ...stray };
    for (const [rank, prefix] of ["lumina", "llm", "claude"].entries()) {
      if (rank < strongest) continue;
      env[FAMILIES.key[rank]!] = `${prefix}-key`;
      env[FAMILIES.model[rank]!] = `${prefix}-model`;
      env[FAMILIES.url[rank]!] = `${provider.url}/${prefix}`;
    }
    if (strongest < 2) env["LLM_API_TYPE"] = "anthropic";
    if (strongest < 1) env["LUMINA_API_TYPE"] = "openai_compatible";
    const run = await runOnce({ env });
    assert.equal(run.code, 0, run.stderr);
  }
  const sent = provider.requests.map(({ path, headers, body }) => [
    path.split("?")[0],
    headers["x-api-key"] ?? headers["authorization"],
    body["model"],
  ]);
  assert.deepEqual(sent, [
    ["/lumina/chat/completions", "Bearer lumina-key", "lumina-model"],
    ["/llm/v1/messages", "llm-key", "llm-model"],
    ["/claude/v1/messages", "claude-key", "claude-model"],
  ]);
  assert.doesNotMatch(JSON.stringify(provider.requests.map(({ headers, raw }) => [headers, raw])), /stray/);
});

Deno.test("the documented example reaches the provider by variables and by flags alike", async () => {
  await using provider = await startScriptedProvider(ANSWERS);
  const model = "deepseek-v4-pro[1m]";
  const url = `${provider.url}/anthropic`;
  const env = {
    LUMINA_API_KEY: "my key",
    LUMINA_API_BASE_URL: url,
    LUMINA_API_MODEL: model,
    LUMINA_API_TYPE: "anthropic",
  };
  const flags = ["--api-key", "my key", "--base-url", url, "--api-type", "anthropic", "--model", model];
  const runs = [await runOnce({ env }), await runOnce({ args: [...flags, "--max-tokens", "1000000"] })];
  assert.deepEqual(runs.map(({ code }) => code), [0, 0]);
  const sent = provider.requests.map(({ path, headers, body }) => [
    path.split("?")[0],
    headers["x-api-key"],
    body["model"],
  ]);
  assert.deepEqual(sent, Array(2).fill(["/anthropic/v1/messages", "my key", model]));
});

Deno.test("a setting can come from the variable of its own name, and a wrong value names variable and remedy", async () => {
  await using provider = await startScriptedProvider({
    turns: [{ tool_calls: [{ name: "List", input: {} }], repeat: true }],
  });
  const run = await runOnce({ settings: reach(provider), env: { LUMINA_MAX_PARENT_TURNS: "1" } });
  assert.equal(run.code, 1);
  assert.equal(provider.requests.length, 1);
  const wrong = await runOnce({
    settings: reach(provider),
    env: { LUMINA_API_MAX_ATTEMPTS: "many" },
  });
  assert.equal(wrong.code, 2);
  assert.match(
    wrong.stderr,
    /^lumina: LUMINA_API_MAX_ATTEMPTS is "many", must be a whole number from 1 to 100\n$/,
  );
});

Deno.test("LUMINA_APP_ROOT is where sessions are kept, ~ is the home folder, and unset it is ~/.lumina", async () => {
  await using provider = await startScriptedProvider(ANSWERS);
  await using home = await tempDir();
  const cache = Deno.env.get("DENO_DIR") ??
    join(Deno.env.get("XDG_CACHE_HOME") ?? join(Deno.env.get("HOME") ?? "", ".cache"), "deno");
  const flags = ["--model", "m", "--api-key", "k", "--base-url", provider.url, "--api-type", "anthropic"];
  for (const [root, place] of [["~/mine", "mine"], ["", ".lumina"]] as const) {
    const env = { HOME: home.path, DENO_DIR: cache, LUMINA_APP_ROOT: root };
    const run = await runLumina(["-p", "go", "--session-id", "kept", ...flags], { cwd: home.path, env });
    assert.equal(run.code, 0, run.stderr);
    assert.ok((await Deno.stat(home.join(place, "data/sessions/active/kept/runtime.sqlite"))).isFile);
  }
});

Deno.test("every variable that --help names has a test", async () => {
  const { stdout } = await runLumina(["--help"]);
  const named = new Set(stdout.match(/\b(?:[A-Z]+_)+[A-Z]+\b/g));
  const tested = [
    ...Object.values(FAMILIES).flat(),
    ...["LUMINA_API_TYPE", "LLM_API_TYPE", "LUMINA_APP_ROOT"],
    ...["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"], // with the network
  ];
  assert.deepEqual([...named].sort(), tested.sort());
});
