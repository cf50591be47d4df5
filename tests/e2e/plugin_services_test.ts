import assert from "node:assert/strict";
import type { ProviderScriptInput } from "../../core/model/scripted/mod.ts";
import type { CapabilityRequest } from "../../core/plugin_api/mod.ts";
import type { JsonObject } from "../../core/types/mod.ts";
import { AgentProject, payload, resultOf, toolResults } from "../support/agent_project.ts";
import type { AgentRun, Line } from "../support/agent_project.ts";
import { writeServicePack } from "../support/service_pack.ts";
import type { ServiceStep, StepResult } from "../support/service_pack.ts";

const EVERYTHING: CapabilityRequest[] = [
  { kind: "fs.read", paths: [] },
  { kind: "fs.write", paths: [] },
  { kind: "net", hosts: [] },
  "model",
  "artifact",
  "ask",
  "session.read",
  "tasks",
  "journal.emit",
];

/** A project in which the pack is installed with all that it asks for. */
async function withPack(
  turns: ProviderScriptInput["turns"],
  capabilities = EVERYTHING,
  manifest: JsonObject = {},
): Promise<AgentProject> {
  const project = await AgentProject.open({ turns });
  await writeServicePack(
    project.dir.join("..", `${project.dir.path.split("/").at(-1)}-pack`),
    capabilities,
    manifest,
  );
  const source = `${project.dir.path}-pack`;
  try {
    const installed = await project.run(["plugin", "install", source, "--yes"]);
    assert.equal(installed.code, 0, installed.stderr);
  } finally {
    await Deno.remove(source, { recursive: true });
  }
  return project;
}

/** The turns of a model that has the pack ask for these things and then is done. */
function asking(...rounds: ServiceStep[][]): ProviderScriptInput["turns"] {
  const calls = rounds.map((steps) => ({
    tool_calls: [{ name: "Ask", input: { steps } as unknown as JsonObject }],
  }));
  return [...calls, { text: "done" }];
}

/** What came of each request, round after round. */
function results(run: AgentRun | Line[]): StepResult[][] {
  return toolResults(Array.isArray(run) ? run : run.lines).map(({ content, is_error }) => {
    assert.equal(is_error, false, content);
    return JSON.parse(content);
  });
}

const ALLOWED = ["--allowed-tools", "Ask", "--permission-mode", "accept-edits"];

Deno.test("a pack's files, artifacts, records, lines and reads of the conversation go through the host", async () => {
  const web = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    (request) => new Response(`${request.method} ${new URL(request.url).pathname}`),
  );
  const address = `http://127.0.0.1:${web.addr.port}`;
  await using project = await withPack(
    [
      ...asking(
        [
          ["fs.write", "made/by_pack.txt", "one\n"],
          ["fs.read", "made/by_pack.txt"],
          ["fs.list", "made"],
          ["fs.read", "/etc/hostname"],
          ["fs.read", ".secret"],
          ["artifact.put", "report.txt", "kept"],
          ["artifact.put", "../report.txt", "kept"],
          ["artifact.list"],
          ["session.messages"],
          ["journal.emit", "step.done", { count: 1 }],
          ["log.write", "warning", "look\u001b[2J\nhere"],
          ["net.fetch", `${address}/page`],
          ["net.fetch", "http://169.254.169.254/latest/meta-data/"],
          ["ask.question", "Which one?"],
          ["tasks.create", { subject: "from a pack" }],
          ["config.get"],
        ] as ServiceStep[],
        [["artifact.get", "report.txt"]],
      ) ?? [],
    ],
  );
  await project.dir.write(".secret", "hidden");
  const run = await project.stream("The password is sk-live-0123456789abcdef01", [
    ...ALLOWED.slice(2),
    "--allowed-tools",
    "Ask,WebFetch(domain:127.0.0.1)",
    "--disallowed-tools",
    "Read(.secret)",
  ]);
  await web.shutdown();
  assert.equal(run.code, 0, run.stderr);
  const [first = [], second = []] = results(run);
  const [
    write,
    read,
    list,
    outside,
    denied,
    put,
    escape,
    artifacts,
    messages,
    emit,
    log,
    page,
    metadata,
    ask,
    tasks,
    config,
  ] = first;
  assert.deepEqual(write, { value: null });
  assert.equal(await project.dir.read("made/by_pack.txt"), "one\n");
  assert.deepEqual(read, { value: "one\n" });
  assert.deepEqual(list, { value: [{ name: "by_pack.txt", kind: "file" }] });
  assert.equal((outside as { code: string }).code, "unavailable");
  assert.equal((denied as { code: string }).code, "denied");
  assert.deepEqual(put, { value: { name: "report.txt", bytes: 4 } });
  assert.equal((escape as { code: string }).code, "invalid");
  assert.deepEqual(artifacts, { value: [{ name: "report.txt", bytes: 4 }] });
  assert.deepEqual(messages, { value: [{ role: "user", text: "The password is [masked]" }] });
  assert.deepEqual([emit, log], [{ value: null }, { value: null }]);
  const { status, body } = (page as { value: { status: number; body: string } }).value;
  assert.deepEqual([status, body], [200, "GET /page"]);
  assert.equal((metadata as { code: string }).code, "unavailable");
  assert.equal((ask as { code: string }).code, "unavailable");
  assert.equal((tasks as { value: { task_id: string } }).value.task_id, "1");
  assert.deepEqual(config, { value: {} });
  assert.deepEqual(second, [{ value: "kept" }]);

  const events = await project.journal(run.session_id);
  const emitted = events.filter(({ type }) => type === "plugin.emitted").map(payload);
  assert.deepEqual(emitted.map(({ pack, name, data }) => ({ pack, name, data })), [
    { pack: "asker", name: "step.done", data: { count: 1 } },
  ]);
  const warnings = events.filter(({ type }) => type === "warning.raised").map((event) =>
    payload(event)["text"]
  );
  assert.deepEqual(warnings.filter((text) => text.includes("look")), ["Plugin asker: look [2J here"]);
  const asked = events.filter(({ type }) => type === "permission.decided").map(payload)
    .filter(({ pack }) => pack === "asker").map(({ tool, behavior }) => `${tool} ${behavior}`);
  assert.deepEqual(asked, ["Write allow", "Read deny", "Read deny", "WebFetch allow", "WebFetch deny"]);
  // what was refused to the pack during its call is no refused call of the model
  assert.deepEqual(resultOf(run.lines)["permission_denials"], []);
  // the workspace was captured before the pack wrote: a rewind takes that back like anything else
  const prompt = events.find(({ type }) => type === "run.started")?.seq ?? 0;
  const rewound = await project.run([
    "session",
    "rewind",
    run.session_id,
    "--to",
    `${prompt}`,
    "--files",
    "--yes",
  ]);
  assert.equal(rewound.code, 0, rewound.stderr);
  await assert.rejects(Deno.stat(project.dir.join("made/by_pack.txt")), Deno.errors.NotFound);
});

Deno.test("what a pack asks of the model is within plugin_model_tokens, recorded as its own and part of the totals", async () => {
  const rounds: ServiceStep[][] = [
    [["model.complete", { prompt: "Say a word", system: "You are a pack.", max_tokens: 50 }]],
    [["model.complete", { prompt: "x".repeat(8_000) }]],
  ];
  const [first, second, last] = asking(...rounds) ?? [];
  await using project = await withPack([
    first!,
    { match: "Say a word", text: "word", usage: { input: 11, output: 3 } },
    second!,
    last!,
  ]);
  const run = await project.stream("go", ALLOWED, { settings: { PLUGIN_MODEL_TOKENS: "1000" } });
  assert.equal(run.code, 0, run.stderr);
  const [[answer] = [], [beyond] = []] = results(run);
  assert.deepEqual(answer, { value: { text: "word" } });
  assert.equal((beyond as { code: string }).code, "quota");
  assert.equal(project.provider.requests.length, 4, "what goes beyond is not sent");
  const sent = project.provider.requests[1]?.body as { max_tokens: number; tools?: unknown };
  assert.equal(sent.max_tokens, 50);
  const used = (await project.journal(run.session_id)).filter(({ type }) => type === "usage.recorded").map(
    payload,
  );
  assert.deepEqual(used.map(({ chain }) => chain ?? "main"), ["main", "plugin", "main", "main"]);
  const total = used.reduce((sum, { usage }) => sum + usage.input + usage.output, 0);
  const result = resultOf(run.lines);
  assert.equal(result["usage"].input_tokens + result["usage"].output_tokens, total);
  assert.equal(result["num_turns"], 3);
  // the session as it is played again says the same
  const replayed = await project.run(["session", "replay", run.session_id, "--output-format", "stream-json"]);
  assert.equal(replayed.code, 0, replayed.stderr);
  const again = resultOf(replayed.stdout.trim().split("\n").map((line) => JSON.parse(line)));
  assert.deepEqual([again["usage"], again["num_turns"]], [result["usage"], 3]);
});

Deno.test("a pack's settings are checked against its schema, come from the user alone, and a question gets its answer", async () => {
  const config = {
    type: "object",
    properties: { level: { type: "integer", minimum: 1, default: 2 }, name: { type: "string" } },
    additionalProperties: false,
  };
  const steps: ServiceStep[][] = [[["config.get"], ["ask.question", "Which one?", ["left", "right"]]]];
  const [call] = asking(...steps) ?? [];
  await using project = await withPack([{ ...call!, repeat: false }, { text: "done" }], ["ask"], { config });
  await Deno.writeTextFile(
    `${project.app_root}/config/settings.json`,
    JSON.stringify({ plugins: { asker: { name: "mine" }, other: { name: "not its own" } } }),
  );
  await project.dir.write(
    ".Lumina/CONFIG/defaults.json",
    JSON.stringify({ plugins: { asker: { level: 9 } } }),
  );
  const args = [
    "-p",
    "--input-format",
    "stream-json",
    "--output-format",
    "stream-json",
    "--permission-prompt",
    "stdio",
  ];
  await using process = await project.start([...args, "--trust-project", "--allowed-tools", "Ask"]);
  await process.write(`${JSON.stringify({ type: "user", message: { role: "user", content: "go" } })}\n`);
  const lines: Line[] = [];
  for await (const text of process.lines()) {
    const line: Line = JSON.parse(text);
    lines.push(line);
    if (line["type"] === "control_request") {
      assert.equal(line["request"].tool_name, "AskUserQuestion");
      assert.deepEqual(line["request"].input, {
        question: "Which one?",
        options: ["left", "right"],
        plugin: "asker",
      });
      const response = { behavior: "allow", updatedInput: { answer: "left" } };
      await process.write(
        `${
          JSON.stringify({
            type: "control_response",
            response: { subtype: "success", request_id: line["request_id"], response },
          })
        }\n`,
      );
    }
    if (line["type"] === "result") await process.closeInput();
  }
  const { code, stderr } = await process.finished;
  assert.equal(code, 0, stderr);
  assert.deepEqual(results(lines), [[{ value: { level: 2, name: "mine" } }, { value: "left" }]]);
  assert.match(JSON.stringify(lines) + stderr, /plugins.* is ignored: a project's file cannot set it/);
});
