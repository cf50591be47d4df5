import assert from "node:assert/strict";
import { appRootPaths } from "../../core/app_root/mod.ts";
import type { JsonObject } from "../../core/types/mod.ts";
import { AgentProject, WIRES } from "../support/agent_project.ts";
import type { Line } from "../support/agent_project.ts";
import { approvePack, pluginCommand, writePack } from "../support/pack_folder.ts";

const LONG = "records.of.a.server.with.a.name.that.no.provider.would.take.as.it.is.";
const PATHS = { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }, { type: "null" }] };

const TOOLS = [
  { name: `${LONG}list`, input_schema: null },
  { name: `${LONG}load`, input_schema: { type: "string" } },
  { name: `${LONG}drop`, input_schema: { type: "object" } },
  { name: "empty", input_schema: {} },
  { name: "either", input_schema: { type: "object", properties: { paths: PATHS }, required: ["paths"] } },
  {
    name: "tree",
    input_schema: {
      type: "object",
      $defs: {
        node: { type: "object", properties: { below: { $ref: "#/$defs/node" } }, required: ["below"] },
      },
      properties: { root: { anyOf: [{ $ref: "#/$defs/node" }, { type: "null" }] } },
    },
  },
  { name: "broken", input_schema: { type: "object", properties: { a: { type: "string", pattern: "(" } } } },
];
const CODE =
  `const answer = (name) => (input) => Promise.resolve({ content: name + " " + JSON.stringify(input) });
export default { tools: { ${
    TOOLS.map(({ name }) => `${JSON.stringify(name)}: answer(${JSON.stringify(name)})`)
  } } };`;

/** The tools of a request, by name, in the words of either wire. */
function sentTools(body: JsonObject): Map<string, JsonObject> {
  const tools = body["tools"] as Line[];
  return new Map(tools.map((tool) => {
    const { name, input_schema, parameters } = tool["function"] ?? tool;
    return [name, input_schema ?? parameters];
  }));
}

Deno.test("every tool of a pack is offered in words that providers take, and called, judged and told by its own name", async () => {
  await using project = await AgentProject.open({ turns: [{ text: "hello" }] });
  const { settingsFile, userPluginsDir } = appRootPaths(project.app_root);
  await approvePack(await writePack(userPluginsDir, { id: "sample", tools: TOOLS, code: CODE }));
  const log = project.dir.join("hooks.txt");
  await Deno.writeTextFile(
    settingsFile,
    JSON.stringify({
      permissions: { deny: [`${LONG}drop`] },
      hooks: {
        PreToolUse: [{
          matcher: `^${LONG.replaceAll(".", "\\.")}list$`,
          hooks: [{ type: "command", command: `cat >> ${log}` }],
        }],
      },
    }),
  );
  const first = await project.stream("hi");
  assert.equal(first.code, 0, first.stderr);
  assert.equal(first.stderr.match(/tool broken is not offered/g)?.length, 1, first.stderr);
  assert.match(
    first.stderr,
    /because its input_schema cannot be used: properties\.a\.pattern is no regular expression/,
  );
  const tools = sentTools(project.provider.requests[0]!.body);
  const wired = [...tools.keys()].filter((name) => name.startsWith("records"));
  assert.equal(wired.length, 2, "the third is denied by its own name");
  for (const name of tools.keys()) assert.match(name, /^[A-Za-z0-9_-]{1,64}$/);
  assert.ok(!tools.has("broken"));
  assert.deepEqual(tools.get("empty"), { type: "object" });
  for (const name of wired) assert.deepEqual(tools.get(name), { type: "object" });
  assert.deepEqual((tools.get("either")?.["properties"] as JsonObject)["paths"], PATHS);
  assert.deepEqual(tools.get("tree"), {
    type: "object",
    properties: {
      root: {
        anyOf: [{
          type: "object",
          properties: { below: { type: "object", description: "(again #/$defs/node)" } },
          required: ["below"],
        }, { type: "null" }],
      },
    },
  });

  const calls = [
    ...wired.map((name) => ({ name, input: {} })),
    { name: "either", input: { paths: null } },
    { name: "either", input: { paths: 7 } },
    { name: "tree", input: { root: { below: { below: 1 } } } },
    { name: "empty", input: { any: true } },
  ];
  assert.match(calls[0]?.name ?? "", /^records_of_a_server_.*_[0-9a-f]{12}$/);
  for (const wire of WIRES) {
    await using again = await AgentProject.open({ turns: [{ tool_calls: calls }, { text: "done" }] });
    const run = await again.stream("hi", ["--permission-mode", "yolo"], {
      wire,
      env: { LUMINA_APP_ROOT: project.app_root },
    });
    assert.equal(run.code, 0, run.stderr);
    const [asked, told] = again.provider.requests;
    assert.deepEqual(sentTools(asked!.body), tools, "the same names and schemas in each start, on each wire");
    const sent = JSON.stringify(told!.body["messages"]);
    assert.ok(wired.every((name) => sent.includes(name)), "the conversation has the names that were offered");
    assert.ok(!sent.includes(`"name":"${LONG}`));
    const shown = run.lines.map((line) => JSON.stringify(line)).join("\n");
    assert.ok(shown.includes(`"name":"${LONG}list"`), "people see the tool's own name");
    const events = await project.journal(run.session_id);
    const finished = events.filter(({ type }) => type === "tool.finished").map(({ payload }) =>
      payload as Line
    );
    assert.deepEqual(finished.map(({ name, is_error }) => [name, is_error]), [
      [`${LONG}list`, false],
      [`${LONG}load`, false],
      ["either", false],
      ["either", true],
      ["tree", true],
      ["empty", false],
    ]);
  }
  const seen = (await Deno.readTextFile(log)).match(/"tool_name":"[^"]*"/g);
  assert.deepEqual(new Set(seen), new Set([`"tool_name":"${LONG}list"`]));

  const { stdout } = await pluginCommand(project.app_root, project.dir.path, ["list"]);
  assert.match(stdout, /its tool broken is not offered/);
});
