import assert from "node:assert/strict";
import { appRootPaths } from "../../core/app_root/mod.ts";
import { projectIdentity } from "../../core/app_root/mod.ts";
import { startScriptedProvider } from "../../core/model/scripted/mod.ts";
import type { ProviderScriptInput, RecordedRequest } from "../../core/model/scripted/mod.ts";
import type { JsonObject } from "../../core/types/mod.ts";
import { resultOf } from "../support/agent_project.ts";
import type { Line } from "../support/agent_project.ts";
import { tempDir } from "../support/temp_dir.ts";
import { outcomes, reach, runOnce, SettingsRun } from "./setting_effects_support.ts";

type Turn = ProviderScriptInput["turns"][number];

const bash = (command: string) => ({ name: "Bash", input: { command } });
const write = (file_path: string) => ({ name: "Write", input: { file_path, content: "x" } });

/** One turn with the calls, one with the end. */
function rounds(...calls: { name: string; input: JsonObject }[]): Turn[] {
  return [{ tool_calls: calls }, { text: "done" }];
}

/** True for each call that did what it was asked to. */
function done(lines: readonly Line[]): boolean[] {
  return outcomes(lines).map(({ is_error }) => !is_error);
}

function offered(request: RecordedRequest | undefined): string[] {
  return (request?.body["tools"] as { name: string }[]).map(({ name }) => name);
}

Deno.test("permissions: allow, ask, deny, defaultMode and additionalDirectories each decide their calls", async () => {
  await using other = await tempDir();
  const calls = [
    bash("touch allowed"),
    bash("touch asked"),
    { name: "Read", input: { file_path: "secret.txt" } },
    write("mine.txt"),
    write(other.join("theirs.txt")),
  ];
  await using provider = await startScriptedProvider({
    turns: [...rounds(...calls), ...rounds(...calls), ...rounds(...calls)],
  });
  await using run = await SettingsRun.start({
    settings: reach(provider),
    prepare: (workspace) => workspace.write("secret.txt", "secret"),
  });
  assert.deepEqual(done(await run.turn()), [false, false, true, false, false], "nothing but reading unasked");
  const permissions = {
    allow: ["Bash(touch *)"],
    ask: ["Bash(touch asked)"],
    deny: ["Read(secret.txt)"],
    defaultMode: "accept-edits",
    additionalDirectories: [other.path],
  };
  const ruled = await run.turn(reach(provider, { permissions }));
  assert.deepEqual(done(ruled), [true, false, false, true, true]);
  assert.equal(ruled.find((line) => line["subtype"] === "init")?.["permissionMode"], "acceptEdits");
  assert.equal(await other.read("theirs.txt"), "x");
  const without = { ...permissions, additionalDirectories: [], allow: [], defaultMode: "plan" };
  assert.deepEqual(done(await run.turn(reach(provider, { permissions: without }))), Array(5).fill(false));
});

Deno.test("LUMINA_PERMISSION_MODE and YOLO_MODE set the mode, and the flag is stronger", async () => {
  await using provider = await startScriptedProvider({ turns: [{ text: "ok", repeat: true }] });
  const settings = reach(provider, { permissions: { defaultMode: "ask" } });
  const mode = async (env: Record<string, string>, ...args: string[]) => {
    const run = await runOnce({ settings, env, args });
    return run.lines.find((line) => line["subtype"] === "init")?.["permissionMode"];
  };
  assert.deepEqual(
    await Promise.all([
      mode({ LUMINA_PERMISSION_MODE: "plan" }),
      mode({ YOLO_MODE: "1" }),
      mode({ YOLO_MODE: "1" }, "--permission-mode", "plan"),
    ]),
    ["plan", "bypassPermissions", "plan"],
  );
});

Deno.test("data/projects/<id>/permissions.json allows a command in its own project alone", async () => {
  await using provider = await startScriptedProvider({
    turns: [...rounds(bash("touch made")), ...rounds(bash("touch made"))],
  });
  const allow = (project: string, app: string) =>
    `${appRootPaths(app).projectDir(projectIdentity(project).id)}/permissions.json`.slice(app.length + 1);
  const rules = '{ "allow": ["Bash(touch made)", "Edit(/made)"] } // always in this project';
  const run = (own: boolean) =>
    runOnce({
      settings: reach(provider),
      prepare: (workspace, app) => app.write(allow(own ? workspace.path : "/", app.path), rules),
    });
  assert.deepEqual(done((await run(true)).lines), [true]);
  assert.deepEqual(done((await run(false)).lines), [false]);
});

Deno.test("max_consecutive_denials refused calls in a row end a headless run with exit 3", async () => {
  await using provider = await startScriptedProvider({
    turns: ["a", "b", "c"].map((name) => ({ tool_calls: [bash(`touch ${name}`)] })),
  });
  const run = await runOnce({ settings: reach(provider, { max_consecutive_denials: 2 }) });
  assert.equal(run.code, 3);
  assert.equal(resultOf(run.lines)["permission_denials"].length, 2);
  assert.equal(provider.requests.length, 2);
});

Deno.test("max_tool_result_chars bounds what the model sees of a result, and the rest can be read in the file it names", async () => {
  const long = "seq 1 3000 | sed 's/$/_line/'";
  await using provider = await startScriptedProvider({
    turns: [
      ...rounds(bash(long)),
      { tool_calls: [bash(long)] },
      {
        capture: { file: "all of them: (\\S+)" },
        tool_calls: [{ name: "Read", input: { file_path: "{{file}}", offset: 1500, limit: 2 } }],
      },
      { text: "done" },
    ],
  });
  const settings = { permissions: { allow: ["Bash"] } };
  await using run = await SettingsRun.start({ settings: reach(provider, settings) });
  const [whole] = outcomes(await run.turn());
  assert.ok(whole!.content.length > 25_000, whole!.content);
  const lines = await run.turn(reach(provider, { ...settings, max_tool_result_chars: 1_000 }));
  const [cut, rest] = outcomes(lines);
  assert.equal(cut?.content.length, 1_000);
  assert.match(cut!.content, /^1_line\n[\s\S]*cut from \d+ characters[\s\S]*3000_line$/);
  assert.equal(rest?.is_error, false, rest?.content);
  assert.match(rest!.content, /1500_line\n.*1501_line/);
});

Deno.test("child_env_allow names what a command gets beside the allow-list; pagers and git's questions are off", async () => {
  const inherited = {
    GIT_DIR: "/elsewhere",
    GIT_SSH_COMMAND: "evil",
    GIT_PAGER: "less",
    RIPGREP_CONFIG_PATH: "/rc",
    NODE_OPTIONS: "--trace-exit",
    BASH_ENV: "/dev/null",
    GOFLAGS: "-v",
    HTTPS_PROXY: "http://127.0.0.1:9",
    LUMINA_EFFORT: "low",
  };
  await using provider = await startScriptedProvider({
    turns: [...rounds(bash("env")), ...rounds(bash("env"))],
  });
  const permissions = { allow: ["Bash"] };
  await using run = await SettingsRun.start({ settings: reach(provider, { permissions }), env: inherited });
  const environment = async (settings?: JsonObject) => {
    const [result] = outcomes(await run.turn(settings));
    const all = Object.fromEntries(result!.content.split("\n").map((line) => line.split(/=(.*)/s, 2)));
    return (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, all[name]]));
  };
  const switches = ["GIT_OPTIONAL_LOCKS", "GIT_PAGER", "GIT_TERMINAL_PROMPT", "PAGER"];
  const off = { GIT_OPTIONAL_LOCKS: "0", GIT_PAGER: "cat", GIT_TERMINAL_PROMPT: "0", PAGER: "cat" };
  const plain = await environment();
  assert.deepEqual(plain(switches), off);
  const kept = Object.keys(inherited).filter((name) => name !== "GIT_PAGER");
  assert.deepEqual(plain(kept), Object.fromEntries(kept.map((name) => [name, undefined])));
  assert.ok(plain(["PATH"])["PATH"]);
  const child_env_allow = ["GOFLAGS", "GIT_PAGER", "GIT_OPTIONAL_LOCKS"];
  const named = await environment(reach(provider, { permissions, child_env_allow }));
  assert.deepEqual(named(["GOFLAGS", ...switches]), { GOFLAGS: "-v", ...off, GIT_PAGER: "less" });
  assert.equal(named(["GIT_DIR"])["GIT_DIR"], undefined);
});

Deno.test("disabled_tools and disabled_plugins are neither offered nor run, and the lists of all files add up", async () => {
  const calls = [write("a.txt"), bash("true"), { name: "Glob", input: { pattern: "*" } }];
  await using provider = await startScriptedProvider({ turns: [...rounds(...calls), ...rounds(...calls)] });
  const yolo = { permissions: { defaultMode: "yolo" } };
  await using run = await SettingsRun.start({
    settings: reach(provider, { ...yolo, disabled_tools: ["Write"], disabled_plugins: ["tools_search"] }),
    prepare: (workspace) => workspace.write(".Lumina/CONFIG/defaults.json", '{ "disabled_tools": ["bash"] }'),
  });
  const lines = await run.turn();
  assert.deepEqual(done(lines), [false, false, false]);
  for (const { content } of outcomes(lines)) assert.match(content, /There is no tool/);
  const files_and_commands = [
    "Bash",
    "BashOutput",
    "Edit",
    "Glob",
    "Grep",
    "List",
    "MultiEdit",
    "Read",
    "Write",
  ];
  assert.deepEqual(
    offered(provider.requests[0]).filter((name) => files_and_commands.includes(name)),
    ["BashOutput", "Edit", "List", "MultiEdit", "Read"],
  );
  const init = lines.find((line) => line["subtype"] === "init");
  const plugins: string[] = init?.["plugins"].map(({ name }: Line) => name);
  assert.ok(plugins.includes("tools_fs") && !plugins.includes("tools_search"), plugins.join(" "));
  assert.deepEqual(done(await run.turn(reach(provider, yolo))), [true, false, true]);
  assert.equal((await run.end()).stderr, "");
});

Deno.test("a name in disabled_tools or disabled_plugins that switches nothing off is told with the nearest one", async () => {
  await using provider = await startScriptedProvider({ turns: [{ text: "ok" }] });
  const settings = { disabled_tools: ["Bsh", "run_shell"], disabled_plugins: ["tools_serach"] };
  const run = await runOnce({ settings: reach(provider, settings) });
  assert.equal(run.code, 0);
  assert.deepEqual(run.stderr.split("\n"), [
    'lumina: "disabled_tools" names "Bsh", and there is no such tool; did you mean "Bash"?',
    'lumina: "disabled_plugins" names "tools_serach", and there is no such plugin; did you mean "tools_search"?',
    "",
  ]);
});
