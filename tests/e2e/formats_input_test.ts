import assert from "node:assert/strict";
import { AgentProject, readRun, resultOf, toolResults, userLine } from "../support/agent_project.ts";
import { tempDir } from "../support/temp_dir.ts";
import type { AgentRun, Line, RunSettings } from "../support/agent_project.ts";
import type { LuminaProcess } from "../support/run_lumina.ts";
import { onlyWhere } from "../support/skip.ts";

const FORMATS = ["-p", "--input-format", "stream-json", "--output-format", "stream-json"];
const ASKING = ["--permission-prompt", "stdio"];
const bash = (command: string) => ({ tool_calls: [{ name: "Bash", input: { command } }] });

/** A program that drives the agent over its standard streams, as an editor would. */
class Client {
  readonly lines: Line[] = [];
  readonly run: LuminaProcess;
  #next: AsyncIterator<string>;

  private constructor(run: LuminaProcess) {
    this.run = run;
    this.#next = run.lines()[Symbol.asyncIterator]();
  }

  static async start(
    project: AgentProject,
    args: readonly string[],
    settings: RunSettings = {},
  ): Promise<Client> {
    return new Client(await project.start([...FORMATS, ...args], settings));
  }

  send(...lines: (string | Line)[]): Promise<void> {
    return this.run.write(lines.map((line) => `${JSON.stringify(userLine(line))}\n`).join(""));
  }

  control(request_id: string, request: Line): Promise<void> {
    return this.send({ type: "control_request", request_id, request });
  }

  answer(question: Line, response: Line): Promise<void> {
    const { request_id } = question;
    return this.send({ type: "control_response", response: { subtype: "success", request_id, response } });
  }

  /** Reads on to the next line that fits. */
  async until(what: string, fits: (line: Line) => boolean): Promise<Line> {
    while (true) {
      const { done, value } = await this.#next.next();
      if (done) throw new Error(`no ${what} among ${JSON.stringify(this.lines)}`);
      const line: Line = JSON.parse(value);
      this.lines.push(line);
      if (fits(line)) return line;
    }
  }

  result(): Promise<Line> {
    return this.until("result", (line) => line["type"] === "result");
  }

  question(): Promise<Line> {
    return this.until("question", (line) => line["request"]?.subtype === "can_use_tool");
  }

  reply(request_id: string): Promise<Line> {
    const fits = (line: Line) =>
      line["type"] === "control_response" && line["response"].request_id === request_id;
    return this.until(`reply to ${request_id}`, fits);
  }

  /** Ends the input and gives everything that was printed. */
  async end(): Promise<AgentRun> {
    await this.run.closeInput();
    return readRun(await this.run.finished);
  }
}

Deno.test("several prompts in one process are one session, in order, and are echoed when asked for", async () => {
  await using project = await AgentProject.open({ turns: [{ text: "1" }, { text: "2" }, { text: "3" }] });
  const blocks = { type: "user", message: { role: "user", content: [{ type: "text", text: "three" }] } };
  const run = await project.converse(["one", { type: "keep_alive" }, "two", blocks], [
    "--replay-user-messages",
  ]);
  assert.equal(run.code, 0, run.stderr);
  assert.deepEqual(run.prompts.map((lines) => resultOf(lines)["result"]), ["1", "2", "3"]);
  assert.equal(new Set(run.lines.map((line) => line["session_id"])).size, 1, "also on the echoes");
  const echoes = run.lines.filter((line) => line["isReplay"] === true);
  assert.deepEqual(echoes.map((line) => line["message"].content), ["one", "two", "three"]);
  const said = (project.provider.requests[2]?.body["messages"] as Line[]).map((message) => message["role"]);
  assert.deepEqual(said, ["user", "assistant", "user", "assistant", "user"]);
});

Deno.test("control requests: initialize, set_permission_mode, set_model, interrupt, and a clear error for the rest", async () => {
  await using project = await AgentProject.open({
    turns: [
      bash("touch refused"),
      { text: "was refused" },
      bash("touch made"),
      { text: "was made" },
      { text: ["never", " ending"], hold: { name: "never", after_frames: 4 } },
      { text: "goes on" },
    ],
  });
  const client = await Client.start(project, []);
  await using _run = client.run;
  await client.control("c1", { subtype: "initialize" });
  const hello = await client.reply("c1");
  assert.equal(hello["response"].subtype, "success");
  assert.match(hello["response"].response.session_id, /^[0-9a-f-]{36}$/);
  const bad: Line[] = [
    { subtype: "set_permission_mode", mode: "sudo" },
    { subtype: "set_model", model: "" },
    { subtype: "frobnicate" },
    {},
  ];
  for (const [at, request] of bad.entries()) {
    await client.control(`bad${at}`, request);
    const { response } = await client.reply(`bad${at}`);
    assert.deepEqual([response.subtype, typeof response.error], ["error", "string"], JSON.stringify(request));
  }
  await client.control("idle", { subtype: "interrupt" });
  assert.equal((await client.reply("idle"))["response"].subtype, "success", "nothing runs: nothing to do");

  await client.send("one");
  assert.equal((await client.result())["permission_denials"].length, 1);
  await client.control("c2", { subtype: "set_permission_mode", mode: "bypassPermissions" });
  assert.equal((await client.reply("c2"))["response"].subtype, "success");
  await client.control("c3", { subtype: "set_model", model: "another-model" });
  await client.reply("c3");
  await client.send("two");
  const init = await client.until("init", (line) => line["subtype"] === "init");
  assert.deepEqual([init["model"], init["permissionMode"]], ["another-model", "bypassPermissions"]);
  assert.equal((await client.result())["result"], "was made");
  assert.ok((await Deno.stat(project.dir.join("made"))).isFile);
  assert.equal(project.provider.requests[2]?.body["model"], "another-model");

  await client.send("three");
  await project.provider.waitForRequest(5);
  await client.control("c4", { subtype: "interrupt" });
  const interrupted = await client.result();
  assert.deepEqual([interrupted["is_error"], interrupted["terminal_reason"]], [true, "interrupted"]);
  await client.send("four");
  assert.equal((await client.result())["result"], "goes on");
  const run = await client.end();
  assert.equal(run.code, 0, run.stderr);
  const events = await project.journal(run.session_id);
  assert.equal(events.filter((event) => event.type === "run.interrupted").length, 1);
});

Deno.test("set_permission_mode during a run holds from the next call on", async () => {
  await using project = await AgentProject.open({
    turns: [
      bash("echo 1 >> log"),
      { ...bash("echo 2 >> log"), hold: { name: "plan" } },
      { ...bash("echo 3 >> log"), hold: { name: "yolo" } },
      { text: "done" },
    ],
  });
  const client = await Client.start(project, ["--permission-mode", "yolo"]);
  await using _run = client.run;
  await client.send("go");
  for (const [at, mode] of (["plan", "yolo"] as const).entries()) {
    await project.provider.waitForRequest(at + 2);
    await client.control(mode, { subtype: "set_permission_mode", mode });
    await client.reply(mode);
    project.provider.release(mode);
  }
  assert.equal((await client.result())["permission_denials"].length, 1);
  assert.equal(await project.dir.read("log"), "1\n3\n");
  await client.end();
});

Deno.test("set_model during a run leaves that run its model and connection, and the next one has the new model", async () => {
  await using project = await AgentProject.open({
    turns: [
      { text: ["slow", " answer"], hold: { name: "first", after_frames: 4 } },
      bash("echo slow"),
      { text: "whole" },
      { text: "second" },
    ].map((turn, at) => at === 0 ? { ...turn, tool_calls: [{ name: "List", input: {} }] } : turn),
  });
  const client = await Client.start(project, []);
  await using _run = client.run;
  await client.send("one");
  await project.provider.waitForRequest(1);
  await client.control("m", { subtype: "set_model", model: "new-model" });
  await client.reply("m");
  project.provider.release("first");
  assert.equal((await client.result())["result"], "whole");
  await client.send("two");
  assert.equal((await client.result())["result"], "second");
  const run = await client.end();
  assert.equal(run.code, 0, run.stderr);
  assert.equal(run.lines.some((line) => line["subtype"] === "api_retry"), false);
  const models = project.provider.requests.map((request) => request.body["model"]);
  assert.deepEqual(models, ["scripted-model", "scripted-model", "scripted-model", "new-model"]);
});

Deno.test("can_use_tool: allow, changed input, deny with a message, deny with an end, and an error are all heeded", async () => {
  await using project = await AgentProject.open({
    turns: [
      bash("echo a >> log"),
      bash("echo b >> log"),
      bash("echo c >> log"),
      bash("echo d >> log"),
      { text: "done" },
      bash("echo e >> log"),
      { text: "never" },
    ],
  });
  const client = await Client.start(project, ASKING);
  await using _run = client.run;
  await client.send("go");
  const first = await client.question();
  const { request } = first;
  assert.deepEqual([request.tool_name, request.input], ["Bash", { command: "echo a >> log" }]);
  const call = client.lines.findLast((line) => line["type"] === "assistant")?.["message"].content[0];
  assert.equal(request.tool_use_id, call.id);
  assert.equal(typeof request.decision_reason, "string");
  assert.ok(Array.isArray(request.permission_suggestions));
  await assert.rejects(Deno.stat(project.dir.join("log")), "nothing has begun while the question is open");
  await client.answer(first, { behavior: "allow" });
  const second = await client.question();
  await client.answer(second, { behavior: "allow", updatedInput: { command: "echo B >> log" } });
  await client.answer(await client.question(), { behavior: "deny", message: "use the other file" });
  const fourth = await client.question();
  await client.send({
    type: "control_response",
    response: { subtype: "error", request_id: fourth["request_id"], error: "no window open" },
  });
  await client.answer(second, { behavior: "deny", message: "too late: this was answered" });
  assert.equal((await client.result())["result"], "done");
  assert.equal(await project.dir.read("log"), "a\nB\n");
  const results = toolResults(client.lines);
  assert.deepEqual(results.map(({ is_error }) => is_error), [false, false, true, true]);
  assert.match(results[2]?.content ?? "", /use the other file/);
  assert.match(results[3]?.content ?? "", /no window open/);

  await client.send("once more");
  await client.answer(await client.question(), { behavior: "deny", message: "stop it", interrupt: true });
  const stopped = await client.result();
  assert.deepEqual([stopped["is_error"], stopped["terminal_reason"]], [true, "blocked"]);
  const run = await client.end();
  assert.equal(run.code, 3);
  assert.equal(await project.dir.read("log"), "a\nB\n");
  assert.equal(project.provider.requests.length, 6);
});

Deno.test("changed input is judged again: what a deny rule forbids stays forbidden", async () => {
  await using project = await AgentProject.open({ turns: [bash("touch a"), { text: "done" }] });
  await project.dir.write("keep", "x");
  const client = await Client.start(project, [...ASKING, "--disallowed-tools", "Bash(rm *)"]);
  await using _run = client.run;
  await client.send("go");
  await client.answer(await client.question(), { behavior: "allow", updatedInput: { command: "rm keep" } });
  assert.equal((await client.result())["permission_denials"].length, 1);
  assert.ok((await Deno.stat(project.dir.join("keep"))).isFile);
  await client.end();
});

Deno.test("input that ends while a question is open is a no; an interrupt withdraws the question", async () => {
  await using project = await AgentProject.open({
    turns: [bash("touch a"), bash("touch b"), { text: "nobody there" }],
  });
  const client = await Client.start(project, ASKING);
  await using _run = client.run;
  await client.send("one");
  const question = await client.question();
  await client.control("i", { subtype: "interrupt" });
  const cancel = await client.until("cancel", (line) => line["type"] === "control_cancel_request");
  assert.equal(cancel["request_id"], question["request_id"]);
  assert.equal((await client.result())["terminal_reason"], "interrupted");
  await client.send("two");
  await client.question();
  const run = await client.end();
  assert.equal(run.code, 0, run.stderr);
  const last = resultOf(run.lines);
  assert.equal(last["result"], "nobody there");
  assert.equal(last["permission_denials"].length, 1);
  assert.deepEqual(await Array.fromAsync(Deno.readDir(project.dir.path)), []);
});

Deno.test("a line that cannot be understood ends the process with exit 6 and closes the run that goes on", async () => {
  await using project = await AgentProject.open({
    turns: [{ text: ["a", "b"], hold: { name: "never", after_frames: 4 } }, { text: "after" }],
  });
  const idle = await project.run([...FORMATS], { stdin: '\n{"type":"unheard"}\n' });
  assert.equal(idle.code, 6);
  assert.match(idle.stderr, /^lumina: Line 2 on standard input: unknown type "unheard"\n$/);
  const client = await Client.start(project, []);
  await using _run = client.run;
  await client.send("go");
  const init = await client.until("init", (line) => line["subtype"] === "init");
  await project.provider.waitForRequest(1);
  await client.run.write("broken\n");
  const run = readRun(await client.run.finished);
  assert.equal(run.code, 6, run.stderr);
  const events = await project.journal(init["session_id"]);
  assert.equal(events.at(-1)?.type, "run.interrupted");
  const again = await project.stream("next", ["--resume", init["session_id"]]);
  assert.equal(resultOf(again.lines)["result"], "after");
});

Deno.test("--permission-prompt stdio in text mode asks on stderr and reads one line for each question", async () => {
  await using project = await AgentProject.open({
    turns: [bash("echo a >> log"), bash("echo b >> log; : '\u202e'"), bash("echo c >> log"), {
      text: "done",
    }],
  });
  const run = await project.run(["-p", "go", ...ASKING], { stdin: "y\nno\n" });
  assert.deepEqual([run.code, run.stdout], [0, "done\n"]);
  assert.equal(await project.dir.read("log"), "a\n", "the second was refused, the third had no answer");
  const questions = run.stderr.split("Allow? [y]es once").length - 1;
  assert.equal(questions, 3);
  assert.match(run.stderr, /Permission needed for Bash: .*echo a/);
  assert.ok(!run.stderr.includes("\u202e"), "characters that hide text are shown as escapes");
});

Deno.test({
  ...onlyWhere(
    "a signal ends the wait for an answer and for a prompt at once",
    Deno.build.os === "linux",
    "only Linux shows caught signals in /proc",
  ),
  async fn() {
    await using project = await AgentProject.open({ turns: [bash("touch a"), { text: "never" }] });
    const id = crypto.randomUUID();
    const asking = await project.start(["-p", "go", "--session-id", id, ...ASKING]);
    await using _asking = asking;
    let said = "";
    for await (const part of asking.errors()) {
      said += part;
      if (said.includes("[N]o: ")) break;
    }
    asking.kill("SIGINT");
    assert.equal((await asking.finished).code, 130);
    const types = (await project.journal(id)).map((event) => event.type);
    assert.deepEqual(types.slice(-3), ["tool.interrupted", "run.step_interrupted", "run.interrupted"]);

    const waiting = await project.start(["-p"]);
    await using _waiting = waiting;
    await untilCaught(waiting.pid, 15);
    waiting.kill("SIGTERM");
    const { code, stdout } = await waiting.finished;
    assert.deepEqual([code, stdout], [143, ""]);
    const list = await project.run(["--list", "--json"]);
    assert.equal(JSON.parse(list.stdout).length, 1, "a prompt that never came leaves no session");
  },
});

Deno.test("a prompt that the settings no longer allow ends the session at once, with the reason, though the input is open", async () => {
  await using project = await AgentProject.open({ turns: [{ text: "one" }] });
  await using added = await tempDir();
  const gone = await added.write("sub/file", "x").then(() => added.join("sub"));
  const client = await Client.start(project, ["--add-dir", gone]);
  await using _run = client.run;
  await client.send("one");
  assert.equal((await client.result())["result"], "one");
  await Deno.remove(gone, { recursive: true });
  await client.send("two");
  const { code, stderr } = await client.run.finished;
  assert.deepEqual([code, stderr], [2, `lumina: --add-dir ${gone} is not a directory that exists\n`]);
});

/** Waits until a process has a handler for a signal. */
async function untilCaught(pid: number, signal: number): Promise<void> {
  while (true) {
    const status = await Deno.readTextFile(`/proc/${pid}/status`);
    const caught = BigInt(`0x${/^SigCgt:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? "0"}`);
    if ((caught & (1n << BigInt(signal - 1))) !== 0n) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
