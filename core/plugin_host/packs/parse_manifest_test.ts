import assert from "node:assert/strict";
import { LuminaError } from "../../base/mod.ts";
import { packHooks } from "./pack_hook.ts";
import { parseManifest } from "./parse_manifest.ts";

const TOOL = { name: "Look", description: "Looks", input_schema: { type: "object" }, effect: "read" };
const SAMPLE = {
  id: "sample",
  version: "1.0.0",
  api: 1,
  title: "Sample",
  kinds: ["tools"],
  entry: "mod.js",
  capabilities: ["fs.read", { kind: "net", hosts: ["example.com:443", "*.example.org"] }],
  contributes: { tools: [TOOL] },
};

/** The line for a manifest with a change. */
function refusal(change: Record<string, unknown>, code = "plugin.manifest"): string {
  try {
    parseManifest(JSON.stringify({ ...SAMPLE, ...change }), "folder", { strict: true });
  } catch (error) {
    assert.ok(error instanceof LuminaError, String(error));
    assert.equal(error.code, code);
    assert.ok(!error.message.includes("\n"), error.message);
    return error.message;
  }
  throw new Error(`accepted: ${JSON.stringify(change)}`);
}

const withTool = (change: Record<string, unknown>) => ({ contributes: { tools: [{ ...TOOL, ...change }] } });
const withKind = (kind: string, contribution: unknown) => ({
  kinds: [kind],
  contributes: { [kind]: contribution },
});

Deno.test("parseManifest() fills in what a manifest leaves out", () => {
  const manifest = parseManifest(JSON.stringify(SAMPLE), "sample");
  assert.deepEqual(manifest.contributes.tools[0], {
    ...TOOL,
    aliases: [],
    subject: { kind: "none" },
    capabilities: [],
    programs: [],
    parallel: false,
    repeat: "mark",
    timeout_ms: 60_000,
  });
});

Deno.test("each fault of a manifest is one line that names the pack, the field and what is allowed", () => {
  const cases: [change: Record<string, unknown>, line: RegExp][] = [
    [{ id: "Bad Id" }, /^Pack "folder": id must be lower-case letters/],
    [{ version: "1.0" }, /^Pack "sample": version must be a version such as "1.2.0".*it is "1.0"$/],
    [{ version: undefined }, /version is missing: it must be a text$/],
    [{ api: "1" }, /api must be the number 1$/],
    [{ title: "two\nlines" }, /title must be one line of text/],
    [{ titel: "x" }, /titel is unknown; did you mean "title"\?: a manifest may have id, version/],
    [{ kinds: ["tool"] }, /kinds\[0\] must be one of tools, mcp, .*did you mean "tools"\?$/],
    [{ kinds: ["tools", "mcp"] }, /contributes.mcp is missing, and "kinds" names mcp$/],
    [{ contributes: { tools: [TOOL, TOOL] } }, /contributes\.tools has the name or alias \w+ twice$/],
    [withTool({ aliases: ["Other", "Other"] }), /contributes\.tools has the name or alias Other twice$/],
    [{ entry: "../mod.js" }, /entry must be a path inside the plugin's folder/],
    [{ entry: "mod.ts" }, /entry must be a JavaScript module .*lumina plugin build makes one$/],
    [{ entry: undefined }, /entry is missing: it must name one JavaScript module/],
    [
      { capabilities: ["fs.raed"] },
      /there is no capability "fs.raed"; did you mean "fs.read"\? \(there are /,
    ],
    [{ capabilities: [{ kind: "nett" }] }, /there is no capability "nett"; did you mean "net"\?/],
    [{ capabilities: ["env"] }, /capabilities\[0\] must say which: \{ "kind": "env", "names": \["NAME"\] \}/],
    [{ capabilities: [{ kind: "net", hosts: ["http://x/"] }] }, /hosts\[0\] must be "host", "host:port"/],
    [{ capabilities: [{ kind: "fs.read", paths: ["../x"] }] }, /paths\[0\] must be "workspace", "data"/],
    [{ capabilities: [{ kind: "env", names: ["LUMINA_API_KEY"] }] }, /must not be a variable of Lumina/],
    [{ capabilities: [{ kind: "env", names: ["ANTHROPIC_API_KEY"] }] }, /must not be a variable of Lumina/],
    [{ capabilities: [{ kind: "sys", kinds: ["cpu"] }] }, /kinds\[0\] must be one of hostname.*"cpus"\?$/],
    [{ limits: { rss: 3 } }, /limits.rss is unknown: limits may have calls_per_run/],
    [{ limits: { rss_mib: 0 } }, /limits.rss_mib must be above 0$/],
    [{ config: { type: "array" } }, /config.type must be object, and it is "array"$/],
    [{ integrity: { "mod.js": "x" } }, /integrity.mod.js must be a SHA-256 in hex/],
    [withTool({ effect: "wirte" }), /tools\[0\].effect must be one of none.*did you mean "write"\?$/],
    [withTool({ subject: { kind: "pth" } }), /subject.kind must be one of path, command, url, patch, none/],
    [withTool({ timeout: 3 }), /tools\[0\].timeout is unknown: .* may have name, aliases/],
    [withTool({ name: "mcp__x" }), /tools\[0\].name must not begin with mcp__/],
    [withTool({ input_schema: { type: "array" } }), /input_schema.type must be object/],
    [withTool({ capabilities: ["ask"] }), /has "ask", which the plugin itself does not ask for/],
    [{ contributes: { tools: Array(65).fill(TOOL) } }, /contributes.tools must be at most 64 entries$/],
    [
      withKind("mcp", { servers: { a: { type: "studio", command: "x" } } }),
      /servers.a.type must be one of stdio/,
    ],
    [withKind("memory", { hooks: { compil: "x" } }), /hooks.compil is unknown; did you mean "compile"\?/],
    [withKind("hooks", { PreToolUs: [{ handler: "x" }] }), /PreToolUs is unknown; did you mean "PreToolUse"/],
    [withKind("hooks", { PreToolUse: [{ handle: "x" }] }), /handle is unknown; did you mean "handler"\?/],
    [withKind("host", { name: "h", actions: { discover: "d" } }), /must have "create_top_level_task"/],
    [withKind("workflow", { kind: "pack-manifest" }), /workflow.schema_version is missing: it must be 1.0/],
    [withKind("team", { teams: ["/etc"] }), /teams\[0\] must be a path inside the plugin's folder/],
  ];
  for (const [change, line] of cases) assert.match(refusal(change), line);
});

Deno.test("a file that is no manifest is refused in one line", () => {
  for (const text of ["", "{", "[]", "null", '"x"', "\ufeff3"]) {
    assert.throws(
      () => parseManifest(text, "odd"),
      { code: "plugin.manifest", message: /^Pack "odd": / },
      text,
    );
  }
  assert.equal(parseManifest(`\ufeff${JSON.stringify(SAMPLE)}`, "sample").id, "sample");
});

Deno.test("a pack for another plugin API is refused with both versions, whatever else it says", () => {
  const line = refusal({ api: 2, contributes: "unknown shape" }, "plugin.api");
  assert.match(
    line,
    /^Pack "sample": it is made for plugin API 2, this Lumina has 1: a newer Lumina runs it$/,
  );
  assert.match(refusal({ api: 0 }, "plugin.api"), /it needs a newer version of the pack$/);
});

Deno.test("a valid pack of a kind that nothing runs yet is refused with the kind", () => {
  const hook = { entrypoint: "a:B", input_schema_ref: "https://x/a", output_schema_ref: "https://x/b" };
  const workflow = {
    kind: "pack-manifest",
    schema_version: "1.0",
    protocol: "pack-manifest/v1",
    pack_id: "delivery",
    version: "1.0.0",
    api_version: 1,
    display_name: "Delivery",
    core_compatibility: { min: "1.0.0", max: "1.99.99" },
    hooks: { compile_goal: hook, enrich_context: hook, verifiers: hook, compose_result: hook },
    contracts: { imports: [], exports: ["contract://delivery/task-graph@1"] },
    store_access: "core-api-only",
    capabilities: [{ id: "workspace", kind: "workspace", required: true }],
    external_action_policy: "ask",
    created_at: "2026-11-30T11:00:02Z",
  };
  const actions = { discover: "discover", create_top_level_task: "create", read_task: "read" };
  const kinds: [kind: string, contribution: unknown][] = [
    ["mcp", { servers: { a: { type: "stdio", command: "server" }, b: { type: "http", url: "https://x" } } }],
    ["memory", { hooks: { compile: "compile", rerank: "rerank" } }],
    ["team", { teams: ["teams/review"] }],
    ["workflow", workflow],
    ["host", { name: "codex_app", actions, task_tool: "codex_app__create_thread" }],
  ];
  for (
    const [kind, contribution] of [["skills", ["skills/review"]], ["commands", [
      "commands/review.md",
    ]]] as const
  ) {
    const { entry: _none, ...rest } = { ...SAMPLE, ...withKind(kind, contribution) };
    assert.equal(parseManifest(JSON.stringify(rest), "sample").entry, undefined, "text needs no module");
  }
  for (const [kind, contribution] of kinds) {
    const line = refusal(withKind(kind, contribution), "plugin.no_engine");
    assert.match(line, new RegExp(`^Pack "sample": it contributes "${kind}", and this Lumina has no engine`));
  }
});

Deno.test("a tool cannot claim to do less than its capabilities let it", () => {
  const asks = (kind: unknown, tool: Record<string, unknown>) => ({
    capabilities: [kind],
    ...withTool(tool),
  });
  assert.match(
    refusal(asks("run", { capabilities: ["run"] })),
    /effect must be run: Look may start programs/,
  );
  assert.match(refusal(asks("fs.write", { capabilities: ["fs.write"] })), /effect must be write or run/);
  assert.match(
    refusal(asks({ kind: "net", hosts: ["x.org"] }, { capabilities: ["net"], effect: "none" })),
    /effect must be net, write or run/,
  );
  assert.match(refusal(withTool({ programs: ["rg"] })), /capabilities must have run: Look names programs/);
  const run = { kind: "run", programs: ["git"] };
  assert.match(
    refusal(asks(run, { capabilities: ["run"], effect: "run", programs: ["rg"] })),
    /programs names "rg", which is not among the programs that the plugin asks for$/,
  );
  const own = asks({ kind: "fs.write", paths: ["data"] }, { capabilities: ["fs.write"], effect: "none" });
  parseManifest(JSON.stringify({ ...SAMPLE, ...own }), "sample");
});

Deno.test("a hook is an export, with what it uses of what its pack asks for", () => {
  const hooks = (hook: Record<string, unknown>, capabilities: unknown[] = [], event = "PreToolUse") => ({
    kinds: ["hooks"],
    capabilities,
    contributes: { hooks: { [event]: [{ handler: "guard", ...hook }] } },
  });
  const run = { kind: "run", programs: ["git"] };
  const good = hooks({ matcher: "Bash|Write", capabilities: ["run"], programs: ["git"], timeout_ms: 500 }, [
    run,
  ]);
  const [hook] = packHooks(parseManifest(JSON.stringify({ ...SAMPLE, ...good }), "sample"));
  assert.deepEqual(hook, {
    event: "PreToolUse",
    matcher: "Bash|Write",
    handler: "guard",
    capabilities: ["run"],
    programs: ["git"],
    timeout_ms: 500,
  });
  const [plain] = packHooks(parseManifest(JSON.stringify({ ...SAMPLE, ...hooks({}) }), "sample"));
  assert.deepEqual([plain?.capabilities, plain?.programs, plain?.timeout_ms], [[], [], 30_000]);
  const wrong: [change: Record<string, unknown>, says: RegExp][] = [
    [hooks({}, [], "BeforeTool"), /contributes\.hooks.*BeforeTool/],
    [hooks({ handler: "src/guard.ts" }), /PreToolUse\[0\]\.handler must be the name of an export/],
    [hooks({ matcher: "Bash(" }), /PreToolUse\[0\]\.matcher must be \*, names with \| between, or a regular/],
    [hooks({ capabilities: ["net"] }), /PreToolUse\[0\]\.capabilities has "net", which the plugin itself/],
    [hooks({ programs: ["git"] }), /hooks\.PreToolUse: capabilities must have run: guard names programs/],
    [hooks({ capabilities: ["run"], programs: ["rg"] }, [run]), /PreToolUse: programs names "rg"/],
    [
      { kinds: ["hooks"], contributes: { hooks: {} } },
      /contributes\.hooks is missing, and "kinds" names hooks/,
    ],
  ];
  for (const [change, says] of wrong) assert.match(refusal(change), says);
});

Deno.test("a schema that no input could be checked with is refused with its place", () => {
  const tool = withTool({ input_schema: { type: "object", properties: { a: { pattern: "(" } } } });
  assert.match(
    refusal(tool),
    /^Pack "sample": manifest\.json: contributes\.tools\[0\]\.input_schema\.properties\.a\.pattern is no regular/,
  );
  const config = { type: "object", properties: { a: { $ref: "#/none" } } };
  assert.match(
    refusal({ config }),
    /manifest\.json: config has a \$ref to "#\/none", and there is no such schema/,
  );
});

Deno.test("a pack's tool cannot have a name under which the host itself asks or judges", () => {
  for (
    const name of ["AskUserQuestion", "askuserquestion", "WebFetch", "web_fetch", "NotebookEdit"]
  ) {
    assert.match(refusal(withTool({ name })), /contributes\.tools\[0\]\.name must not be .*under that name$/);
    assert.match(refusal(withTool({ aliases: ["fine", name] })), /must not be /);
  }
});

Deno.test("a tool that starts programs or reaches the network is not judged by a line or a path alone", () => {
  const command = { kind: "command", param: "line" };
  const run = {
    ...withTool({ effect: "run", capabilities: ["run"], subject: command }),
    capabilities: ["run"],
  };
  assert.match(refusal(run), /subject must not be a command: Look starts programs itself/);
  const path = { kind: "path", param: "file" };
  const net = {
    ...withTool({ effect: "write", capabilities: ["net"], subject: path }),
    capabilities: ["net"],
  };
  assert.match(refusal(net), /effect must be net or run: Look may reach the network/);
});
