import assert from "node:assert/strict";
import { dirname } from "node:path";
import { appRootPaths } from "../../core/app_root/mod.ts";
import { AgentProject, resultOf } from "../support/agent_project.ts";
import type { Line } from "../support/agent_project.ts";
import { Typist } from "../support/typist.ts";

const STREAM = ["-p", "--yolo", "--input-format", "stream-json", "--output-format", "stream-json"];
const ECHO = [...STREAM, "--replay-user-messages"];
const bash = (command: string) => ({ tool_calls: [{ name: "Bash", input: { command } }] });
/** A command that waits until the test lets it end. */
const WAITS = "until [ -e go ]; do sleep 0.05; done";

const message = (text: string, more: Line = {}): Line => ({
  type: "user",
  message: { role: "user", content: text },
  ...more,
});

/** The texts of the user's last message in a request. */
function lastSaid(project: AgentProject, request: number): string {
  const messages = project.provider.requests[request]?.body["messages"] as Line[];
  return JSON.stringify(messages.at(-1)?.["content"]);
}

Deno.test("a message typed while a tool runs reaches the model with its result, once, and is part of the conversation", async () => {
  await using project = await AgentProject.open({
    turns: [bash(WAITS), { text: "all done" }, { text: "again" }],
  });
  const typist = new Typist(await project.start(ECHO));
  await using _run = typist.run;
  await typist.say("build it");
  await typist.until((line) => line["type"] === "assistant");
  const steered = message("and use tabs", { uuid: "11111111-0000-4000-8000-000000000001" });
  await typist.say(steered, steered, message("what is next?", { priority: "later" }));
  await typist.read();
  await Deno.writeTextFile(project.dir.join("go"), "");
  assert.equal((await typist.result())["result"], "all done");
  assert.equal((await typist.result())["result"], "again");
  const run = await typist.end();
  assert.equal(run.code, 0, run.stderr);
  assert.match(lastSaid(project, 1), /and use tabs/);
  const asked = JSON.stringify(project.provider.requests[1]?.body["messages"]);
  assert.match(asked, /tool_result.*and use tabs/);
  assert.equal(asked.split("and use tabs").length, 2, "the same uuid is told once");
  assert.match(lastSaid(project, 2), /what is next\?/);
  const echoes = run.lines.filter((line) => line["isReplay"] === true);
  assert.deepEqual(
    echoes.map((line) => [line["message"].content, line["uuid"]]).slice(1, 3),
    [["and use tabs", steered["uuid"]], ["and use tabs", steered["uuid"]]],
  );
  const events = await project.journal(run.session_id);
  assert.deepEqual(
    events.filter(({ type }) => type === "run.steered").map(({ payload }) => (payload as Line)["text"]),
    ["and use tabs"],
  );

  // a person reads it, finds it, and goes back to it
  const exported = await project.run(["session", "export", run.session_id, "--format", "md"]);
  assert.match(exported.stdout, /build it[^]*and use tabs[^]*all done[^]*what is next\?/);
  const at = events.find(({ type }) => type === "run.steered")?.seq;
  const rewound = await project.run([
    "session",
    "rewind",
    run.session_id,
    "--to",
    String(at),
    "--conversation",
    "--yes",
  ], { cwd: project.app_root });
  assert.equal(rewound.code, 0, rewound.stderr);
  const shown = await project.run(["session", "show", run.session_id]);
  assert.doesNotMatch(shown.stdout, /use tabs|all done/);
});

Deno.test("a run that would end goes on with a message that waits; one typed after it begins the next run", async () => {
  await using project = await AgentProject.open({
    turns: [
      { text: ["first ", "answer"], hold: { name: "typing", after_frames: 4 } },
      { text: "second answer" },
      { text: "third answer" },
    ],
  });
  const typist = new Typist(await project.start(STREAM));
  await using _run = typist.run;
  await typist.say("one");
  await project.provider.waitForRequest(1);
  await typist.until((line) => line["subtype"] === "init");
  await typist.say("two");
  await typist.read();
  project.provider.release("typing");
  assert.equal((await typist.result())["result"], "second answer");
  await typist.say(message("three", { priority: "next" }));
  assert.equal((await typist.result())["result"], "third answer");
  const run = await typist.end();
  assert.equal(run.code, 0, run.stderr);
  assert.match(lastSaid(project, 1), /two/);
  assert.deepEqual(run.prompts.map((lines) => resultOf(lines)["num_turns"]), [2, 1]);
});

Deno.test("priority now interrupts the run and begins the next one; another word is an error in one line", async () => {
  await using project = await AgentProject.open({ turns: [bash("sleep 600"), { text: "at once" }] });
  const typist = new Typist(await project.start(STREAM));
  await using _run = typist.run;
  await typist.say("work");
  await typist.until((line) => line["type"] === "assistant");
  await typist.say(message("stop that", { priority: "now" }));
  assert.equal((await typist.result())["terminal_reason"], "interrupted");
  assert.equal((await typist.result())["result"], "at once");
  await typist.say(message("x", { priority: "soon" }));
  const run = await typist.end();
  assert.equal(run.code, 6);
  assert.match(run.stderr, /Line 3 on standard input: "priority" is "soon", must be now, next or later/);
});

Deno.test("a message that a hook blocks is told as a warning and never reaches the model", async () => {
  await using project = await AgentProject.open({ turns: [bash(WAITS), { text: "done" }] });
  const hook = `case $(cat) in *forbidden*) echo 'not that word' >&2; exit 2;; esac`;
  const file = appRootPaths(project.app_root).settingsFile;
  await Deno.mkdir(dirname(file), { recursive: true });
  await Deno.writeTextFile(
    file,
    JSON.stringify({ hooks: { UserPromptSubmit: [{ hooks: [{ type: "command", command: hook }] }] } }),
  );
  const typist = new Typist(await project.start(STREAM));
  await using _run = typist.run;
  await typist.say("work");
  await typist.until((line) => line["type"] === "assistant");
  await typist.say("a forbidden word");
  await typist.read();
  await Deno.writeTextFile(project.dir.join("go"), "");
  assert.equal((await typist.result())["result"], "done");
  const run = await typist.end();
  assert.ok(
    run.lines.some((line) => /A hook blocked the message.*not that word/.test(String(line["content"]))),
  );
  assert.doesNotMatch(lastSaid(project, 1), /forbidden/);
});
