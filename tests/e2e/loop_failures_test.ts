import assert from "node:assert/strict";
import { startScriptedProvider } from "../../core/model/scripted/mod.ts";
import type { ProviderScriptInput } from "../../core/model/scripted/mod.ts";
import { AgentProject, payload, resultOf, sentResults, WIRES } from "../support/agent_project.ts";
import type { Line } from "../support/agent_project.ts";

type Turn = ProviderScriptInput["turns"][number];
const bash = (command: string): Turn => ({ tool_calls: [{ name: "Bash", input: { command } }] });
const overloaded: Turn = { fault: { http: "overloaded", retry_after: "0" } };

Deno.test("the fallback model answers only after the retries are used up and never after visible output; both errors are named", async () => {
  await Promise.all(WIRES.map(async (wire) => {
    await using project = await AgentProject.open({
      turns: [
        overloaded,
        overloaded,
        { text: ["visible", " text"], fault: { cut_after_frames: wire === "anthropic" ? 4 : 3 } },
        overloaded,
        overloaded,
        overloaded,
        { fault: { http: "bad_request" } },
      ],
    });
    await using second = await startScriptedProvider({
      turns: [{ text: "from the fallback" }, overloaded, overloaded],
    });
    const other = wire === "anthropic" ? "openai_compatible" : "anthropic";
    const run = await project.converse(["falls back", "was visible", "both fail", "will not pass"], [], {
      wire,
      settings: {
        API_MAX_ATTEMPTS: "2",
        FALLBACK_API_ENABLED: "true",
        FALLBACK_API_MODEL: "second-model",
        FALLBACK_API_TYPE: other,
        FALLBACK_API_BASE_URL: second.url,
        FALLBACK_API_KEY: "sk-second",
      },
    });
    const [falls_back, was_visible, both_fail, will_not_pass] = run.prompts.map((lines) => resultOf(lines));
    assert.equal(falls_back?.["result"], "from the fallback");
    assert.deepEqual(Object.keys(falls_back?.["modelUsage"]), ["second-model"]);
    const told = run.prompts[0]?.filter((line) => line["type"] === "system").map((line) => line["subtype"]);
    assert.deepEqual(told, ["init", "api_retry", "informational"]);

    assert.equal(was_visible?.["is_error"], true, "text had been shown");
    assert.match(
      both_fail?.["errors"][0],
      /scripted-model at .*; then the fallback failed: second-model at /,
    );
    assert.equal(will_not_pass?.["error_code"], "model.invalid_request");
    assert.equal(second.requests.length, 3);
    assert.deepEqual(second.requests.map((request) => request.body["model"]), Array(3).fill("second-model"));

    const events = await project.journal(run.session_id);
    const fell = events.filter((event) => event.type === "model.fell_back");
    assert.equal(fell.length, 2);
    assert.deepEqual([payload(fell[0])["from"], payload(fell[0])["to"]], ["scripted-model", "second-model"]);
  }));
});

Deno.test("a wrong key ends the run with the provider's words, exit 1 and exactly one request", async () => {
  await Promise.all(WIRES.map(async (wire) => {
    await using project = await AgentProject.open({ api_key: "sk-right", turns: [{ text: "never" }] });
    const run = await project.run(["-p", "hi"], { wire });
    assert.deepEqual([run.code, run.stdout], [1, ""]);
    assert.match(run.stderr, /^lumina: .*(invalid x-api-key|Incorrect API key provided).*\n$/);
    assert.doesNotMatch(run.stderr, /sk-scripted/);
    assert.equal(project.provider.requests.length, 1);
  }));
});

Deno.test("a full window is named as such on both wires and is not tried again", async () => {
  await Promise.all(WIRES.map(async (wire) => {
    await using project = await AgentProject.open({
      turns: [{ fault: { http: "overflow" } }, { fault: { http: "not_found" } }],
    });
    const run = await project.converse(["too long", "no such model"], [], { wire });
    const [overflow, missing] = run.prompts.map((lines) => resultOf(lines));
    assert.equal(overflow?.["error_code"], "model.window_overflow");
    assert.match(overflow?.["errors"][0], /prompt is too long|maximum context length/);
    assert.equal(missing?.["error_code"], "model.model_not_found");
    assert.equal(project.provider.requests.length, 2);
  }));
});

Deno.test("headless, a refused call is an error for the model, the run goes on and permission_denials names it", async () => {
  await Promise.all(WIRES.map(async (wire) => {
    await using project = await AgentProject.open({
      turns: [
        bash("touch made.txt"),
        { tool_calls: [{ name: "Write", input: { file_path: "made.txt", content: "x" } }] },
        bash("sh ok.sh"),
        bash("rm ok.sh"),
        { text: "I could not" },
      ],
    });
    await project.dir.write("ok.sh", "echo allowed by rule\n");
    const flags = ["--allowed-tools", "Bash(sh ok.sh)", "--disallowed-tools", "Bash(rm *)"];
    const run = await project.stream("go", flags, { wire });
    assert.equal(run.code, 0, run.stdout);
    const result = resultOf(run.lines);
    assert.equal(result["result"], "I could not");
    const denials = result["permission_denials"] as Line[];
    assert.deepEqual(denials.map((denial) => [denial["tool_name"], denial["tool_input"]]), [
      ["Bash", { command: "touch made.txt" }],
      ["Write", { file_path: "made.txt", content: "x" }],
      ["Bash", { command: "rm ok.sh" }],
    ]);
    const asked = run.lines.filter((line) => line["type"] === "assistant").flatMap((line) =>
      (line["message"].content as Line[]).filter((block) => block["type"] === "tool_use")
    );
    assert.deepEqual(
      denials.map((denial) => denial["tool_use_id"]),
      [asked[0]?.["id"], asked[1]?.["id"], asked[3]?.["id"]],
    );
    const told = run.lines.filter((line) => line["subtype"] === "permission_denied");
    assert.deepEqual(told.map((line) => line["tool_use_id"]), denials.map((denial) => denial["tool_use_id"]));

    const { requests } = project.provider;
    const sent = requests.slice(1).map((request) => sentResults(request)[0]);
    assert.deepEqual(sent.map((result) => result?.is_error), [true, true, false, true]);
    assert.match(sent[0]?.content ?? "", /Permission needed for Bash/);
    assert.match(sent[2]?.content ?? "", /allowed by rule/);
    assert.match(sent[3]?.content ?? "", /Permission denied for Bash/);
    await assert.rejects(Deno.stat(project.dir.join("made.txt")), Deno.errors.NotFound);
    assert.ok((await Deno.stat(project.dir.join("ok.sh"))).isFile);
    const events = await project.journal(run.session_id);
    const decided = events.filter((event) => event.type === "permission.decided").map((event) =>
      payload(event)
    );
    assert.deepEqual(decided.map((decision) => [decision["behavior"], decision["by"]]), [
      ["deny", "headless"],
      ["deny", "headless"],
      ["allow", "policy"],
      ["deny", "policy"],
    ]);
    assert.equal(
      events.filter((event) => event.type === "tool.started").length,
      1,
      "nothing refused had begun",
    );
  }));
});

Deno.test("five refusals in a row end the run with exit 3, a permitted call between starts the count anew", async () => {
  const denied = (at: number): Turn => bash(`touch file${at}`);
  await using project = await AgentProject.open({
    turns: [
      ...[1, 2, 3, 4].map(denied),
      { tool_calls: [{ name: "List", input: {} }] },
      ...[5, 6, 7, 8, 9].map(denied),
      { text: "never" },
    ],
  });
  const run = await project.stream("go");
  assert.equal(run.code, 3);
  const result = resultOf(run.lines);
  assert.deepEqual([result["error_code"], result["terminal_reason"]], ["agent.denied", "blocked"]);
  assert.equal(result["permission_denials"].length, 9);
  assert.equal(project.provider.requests.length, 10);
  assert.deepEqual(await Array.fromAsync(Deno.readDir(project.dir.path)), []);

  const again = await project.run(["-p", "go on", "--resume", run.session_id]);
  assert.deepEqual([again.code, again.stdout], [0, "never\n"], "a blocked session can go on");
});

Deno.test("--fail-on-denial ends the run with exit 3 at the first refusal", async () => {
  await using project = await AgentProject.open({ turns: [bash("touch file"), { text: "never" }] });
  const run = await project.run(["-p", "go", "--fail-on-denial"]);
  assert.deepEqual([run.code, run.stdout], [3, ""]);
  assert.match(run.stderr, /^lumina: Bash was refused: .*\n$/);
  assert.equal(project.provider.requests.length, 1);
});

Deno.test("text output tells of refused calls in one line on standard error, however the answer reads", async () => {
  await using project = await AgentProject.open({ turns: [bash("touch file"), { text: "Done." }] });
  const run = await project.run(["-p", "go"]);
  assert.deepEqual([run.code, run.stdout], [0, "Done.\n"]);
  assert.match(run.stderr, /^lumina: 1 call was refused \(Bash\): [^\n]*--permission-mode[^\n]*\n$/);
});

Deno.test("a rule of a flag for a tool that does not exist is told, with the nearest name, and the run goes on", async () => {
  await using project = await AgentProject.open({ turns: [{ text: "Done." }] });
  const rules = ["--allowed-tools", "Read,Bash(ls *)", "--disallowed-tools", "Bsh(rm *)"];
  const run = await project.run(["-p", "go", ...rules]);
  assert.deepEqual([run.code, run.stdout], [0, "Done.\n"]);
  assert.equal(
    run.stderr,
    'lumina: "--disallowed-tools" names "Bsh", and there is no such tool; did you mean "Bash"?\n',
  );
});

Deno.test("without a model or a key the run ends at once with exit 2 and one line that says what to set", async () => {
  await using project = await AgentProject.open({ turns: [] });
  const no_model = await project.run(["-p", "hi"], { settings: { API_MODEL: "" } });
  assert.equal(no_model.code, 2);
  assert.match(no_model.stderr, /^lumina: No model is configured: set LUMINA_API_MODEL[^\n]*\n$/);
  const no_key = await project.run(["-p", "hi"], {
    settings: { API_KEY: "", API_BASE_URL: "https://provider.invalid" },
  });
  assert.equal(no_key.code, 2);
  assert.match(no_key.stderr, /^lumina: No API key is configured: set LUMINA_API_KEY[^\n]*\n$/);
  const list = await project.run(["--list", "--json"]);
  assert.deepEqual(JSON.parse(list.stdout), [], "no session was begun");
});
