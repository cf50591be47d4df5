import assert from "node:assert/strict";
import { join } from "node:path";
import type { PluginListing } from "../../core/cli/mod.ts";
import { AgentProject, payload, toolResults } from "../support/agent_project.ts";
import { approvePack, pluginCommand, writePack } from "../support/pack_folder.ts";
import { failed, runCalls, succeeded } from "../support/run_calls.ts";
import { tempDir } from "../support/temp_dir.ts";

/** A workspace and an app root with the folders of packs. */
async function place() {
  const root = await tempDir("lumina-packs-");
  const workspace = root.join("ws");
  await Deno.mkdir(workspace);
  const app_root = root.join("app");
  return {
    root,
    workspace,
    app_root,
    user: join(app_root, "config", "plugins"),
    project: join(workspace, ".Lumina", "plugins"),
    plugin: (...args: string[]) => pluginCommand(app_root, workspace, args),
    async list(): Promise<PluginListing> {
      const { stdout } = await pluginCommand(app_root, workspace, ["list", "--json"]);
      return JSON.parse(stdout);
    },
  };
}

const SAMPLE = {
  id: "sample",
  tools: [
    { name: "look", effect: "read", capabilities: ["fs.read"] },
    {
      name: "put",
      effect: "write",
      subject: { kind: "path", param: "path" },
      capabilities: ["fs.write"],
      destructive: true,
    },
    { name: "Read" },
  ],
  manifest: { capabilities: ["fs.read", "fs.write", { kind: "net", hosts: ["example.com"] }] },
  code: `export default { tools: {
    Read: () => Promise.resolve({ content: "" }),
    look: async ({ path }, { cwd }) => ({ content: await Deno.readTextFile(path ?? cwd + "/a.txt") }),
    put: async ({ path }, { cwd }) => {
      await Deno.writeTextFile(cwd + "/" + path, "put");
      return { content: await Deno.writeTextFile(cwd + "/other.txt", "").then(() => "wrote", (error) => error.name) };
    },
  } };`,
};

Deno.test("plugin trust, list, show, permissions, enable and disable say how a pack stands", async () => {
  const { root, user, project, plugin, list } = await place();
  await using _ = root;
  const folder = await writePack(user, SAMPLE);
  await writePack(project, { id: "sample", tools: [{ name: "other" }] });
  await writePack(user, { id: "broken", tools: [], manifest: { capabilities: ["fs.raed"] } });

  const asked = await plugin("trust", "sample");
  assert.equal(asked.code, 3);
  assert.match(asked.stderr, /It was never approved\nIt asks to:\n {2}read files of the workspace\n/);
  assert.match(asked.stderr, /lumina: Pack "sample": nothing was changed: nobody can be asked here/);
  const trusted = await plugin("trust", "sample", "--yes");
  assert.deepEqual([trusted.code, trusted.stdout], [0, "sample 1.0.0: trusted\n"]);

  const listing = await list();
  const rows = listing.plugins.filter(({ id }) => id === "sample");
  assert.deepEqual(
    rows.map(({ scope, enabled, shadowed_by }) => [scope, enabled, shadowed_by]),
    [["user", true, null], ["project", false, "user"]],
  );
  assert.match(
    rows[0]?.problems[0] ?? "",
    /its tool Read is not offered, because tools_fs has a tool "Read"/,
  );
  assert.match(listing.problems[0] ?? "", /^Pack "broken": .* did you mean "fs.read"\?/);
  const { stdout: words } = await plugin("permissions", "sample");
  assert.match(words, /^sample may\n {2}read files .*\n {2}change files .*\n {2}reach example.com\n/);
  assert.match(words, /put uses fs.write; judged as a tool that changes files; says that it may destroy\n/);
  const { stdout: shown } = await plugin("show", "sample");
  assert.match(shown, new RegExp(`scope +user, ${folder}\\n`));
  assert.match(shown, /files +2, bound by SHA-256/);

  await Deno.writeTextFile(join(folder, "mod.js"), "export default { tools: {} };");
  const blocked = await plugin("enable", "sample");
  assert.deepEqual([blocked.code, /mod.js has changed/.test(blocked.stderr)], [3, true]);
  const again = await plugin("trust", "sample", "--yes");
  assert.match(
    again.stderr,
    /What was approved is 1.0.0; since then:\n {2}mod.js has changed\nIt already may:\n/,
  );

  assert.equal((await plugin("disable", "sample")).stdout, "sample: disabled\n");
  assert.equal((await plugin("disable", "tools_search")).stdout, "tools_search: disabled\n");
  const { stdout: table } = await plugin("list");
  assert.match(table, /^tools_search .* bundled +off \(disabled_plugins\) +Glob, Grep$/m);
  assert.match(table, /^sample +1\.0\.0 +user +off +look, put, Read$/m);
  assert.match(table, /^sample +1\.0\.0 +project +shadowed: the user has one of this id +other$/m);
  assert.match(table, /^! Pack "broken": capabilities: there is no capability "fs.raed"/m);
  assert.equal((await plugin("enable", "sample")).stdout, "sample: enabled\n");
  const unknown = await plugin("show", "sampel");
  assert.deepEqual([unknown.code, unknown.stderr], [
    4,
    'lumina: There is no plugin "sampel": did you mean sample?\n',
  ]);
});

Deno.test("a session offers a pack's tools, judges them as its own, and gives them what the call may touch", async () => {
  const { root, workspace, app_root, user } = await place();
  await using _ = root;
  await approvePack(await writePack(user, SAMPLE));
  await Deno.writeTextFile(join(workspace, "a.txt"), "the text");
  const run = await runCalls(workspace, [
    ["look", {}],
    ["look", { path: "/etc/hostname" }],
    ["put", { path: "b.txt" }],
    ["put", { path: ".git/hooks/pre-commit" }],
  ], { app_root, consent: ({ input }) => input["path"] === "b.txt" });
  const [look, outside, put, hook] = run.results;
  assert.equal(succeeded(look), "the text");
  assert.match(failed(outside), /Requires read access to "\/etc\/hostname", which was not granted$/);
  assert.equal(succeeded(put), "NotCapable", "the judged path alone may be written");
  assert.equal(await Deno.readTextFile(join(workspace, "b.txt")), "put");
  assert.match(failed(hook), /did not allow/);
  assert.deepEqual(run.questions.map(({ tool_name, input }) => [tool_name, input.path]), [
    ["put", "b.txt"],
    ["put", ".git/hooks/pre-commit"],
  ]);
  assert.match(run.stderr, /Pack "sample": its tool Read is not offered/);

  for (const permissions of [{ deny: ["Read(./secret/**)"] }, { ask: ["Read(./secret/**)"] }]) {
    const closed = await runCalls(workspace, [["look", {}]], { app_root, settings: { permissions } });
    assert.match(
      failed(closed.results[0]),
      /Requires read access/,
      "a place that a rule refuses or asks about closes the folder around it",
    );
  }
});

Deno.test("a pack that is wrong, changed or switched off is a line, and the session goes on without it", async () => {
  await using project = await AgentProject.open({ turns: [{ text: "fine", repeat: true }] });
  const user = join(project.app_root, "config", "plugins");
  const own = project.dir.join(".Lumina", "plugins");
  for (const id of ["good", "changed", "off", "named"]) {
    await approvePack(await writePack(user, { id, tools: [{ name: `${id}_tool` }] }));
  }
  await writePack(own, { id: "local", tools: [{ name: "local_tool" }] });
  await pluginCommand(project.app_root, project.dir.path, ["trust", "local", "--yes"]);
  await pluginCommand(project.app_root, project.dir.path, ["disable", "off"]);
  await writePack(user, { id: "changed", tools: [{ name: "changed_tool" }], code: "evil()" });
  await writePack(user, { id: "future", tools: [], manifest: { api: 2 } });
  await writePack(user, {
    id: "hooked",
    tools: [],
    manifest: { kinds: ["team"], contributes: { team: { teams: ["a"] } } },
  });
  const settings = { DISABLED_PLUGINS: "named" };
  const offered = () => {
    const { tools = [] } = (project.provider.requests.at(-1)?.body ?? {}) as { tools?: { name: string }[] };
    return tools.map(({ name }) => name).filter((name) => name.endsWith("_tool"));
  };

  const run = await project.stream("hello", [], { settings });
  assert.equal(run.code, 0);
  assert.deepEqual(offered(), ["good_tool", "local_tool"]);
  const lines = run.stderr.trim().split("\n");
  assert.deepEqual(lines.map((line) => /Pack "(\w+)"/.exec(line)?.[1]).sort(), [
    "changed",
    "future",
    "hooked",
  ]);
  assert.match(run.stderr, /mod.js has changed since it was approved: lumina plugin trust changed /);
  assert.match(run.stderr, /made for plugin API 2, this Lumina has 1/);
  assert.match(run.stderr, /contributes "team", and this Lumina has no engine for that kind yet/);
  assert.deepEqual(run.lines[0]?.["plugins"].slice(-2), [
    { name: "good", path: "user:good" },
    { name: "local", path: "project:local" },
  ]);

  const bare = await project.run(["-p", "hello", "--bare"], { settings });
  assert.equal(bare.code, 0);
  assert.deepEqual(offered(), ["good_tool"], "--bare: the project brings nothing");
});

Deno.test("plugin_limits bounds what a pack may use, and the session records what tripped", async () => {
  await using project = await AgentProject.open({
    turns: [
      { tool_calls: [{ name: "count", input: {} }] },
      { tool_calls: [{ name: "count", input: {} }] },
      { tool_calls: [{ name: "long", input: {} }] },
      { text: "done" },
    ],
  });
  const code = `export default { tools: {
    count: () => Promise.resolve({ content: "one" }),
    long: () => Promise.resolve({ content: "x".repeat(5000) }),
  } };`;
  const tools = [{ name: "count" }, { name: "long" }];
  const user = join(project.app_root, "config", "plugins");
  await approvePack(await writePack(user, { id: "counter", tools: [tools[0]!], code }));
  await approvePack(await writePack(user, { id: "writer", tools: [tools[1]!], code }));
  const settings = { PLUGIN_LIMITS: JSON.stringify({ calls_per_run: 1, result_bytes: 1000 }) };
  const run = await project.stream("go", [], { settings });
  assert.equal(run.code, 0, run.stderr);
  const [first, second, long] = toolResults(run.lines);
  assert.deepEqual([first?.content, first?.is_error], ["one", false]);
  assert.match(second?.content ?? "", /Pack "counter": its tools have been called 1 times in this run/);
  assert.match(long?.content ?? "", /Pack "writer": a result of \d+ bytes, at most 1000 are taken/);
  const tripped = (await project.journal(run.session_id)).filter(({ type }) =>
    type === "plugin.quota_tripped"
  );
  assert.deepEqual(
    tripped.map((event) => [payload(event)["pack"], payload(event)["quota"], payload(event)["limit"]]),
    [["counter", "calls_per_run", 1], ["writer", "result_bytes", 1000]],
  );
});

Deno.test("a pack that cannot be loaded is one line, is disabled for the session, and the session goes on", async () => {
  await using project = await AgentProject.open({
    turns: [
      { tool_calls: [{ name: "boom", input: {} }] },
      { tool_calls: [{ name: "boom", input: {} }] },
      { text: "done" },
    ],
  });
  const user = join(project.app_root, "config", "plugins");
  const code = 'throw new Error("first line\\nsecond line");';
  await approvePack(await writePack(user, { id: "bad", tools: [{ name: "boom" }], code }));
  const run = await project.stream("go");
  assert.equal(run.code, 0, run.stderr);
  const [first, second] = toolResults(run.lines);
  assert.match(first?.content ?? "", /^boom failed: Pack "bad": .*first line/);
  assert.match(second?.content ?? "", /Pack "bad" is disabled for this session: /);
  const told = run.stderr.trim().split("\n");
  assert.equal(told.length, 1, run.stderr);
  assert.match(told[0] ?? "", /Pack "bad": .*first line.*; it is not used any more in this session$/);
  const events = await project.journal(run.session_id);
  const disabled = events.find(({ type }) => type === "plugin.disabled");
  assert.equal(payload(disabled)["pack"], "bad");
  assert.match(payload(disabled)["reason"], /first line/);
});
