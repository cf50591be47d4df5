import assert from "node:assert/strict";
import { AgentProject, payload, resultOf, userLine } from "../support/agent_project.ts";
import type { Line } from "../support/agent_project.ts";
import { processesWith } from "../support/run_calls.ts";

const ID = "7c1d1f0e-5a2b-4d3c-9e4f-a1b2c3d4e5f6";
const YOLO = ["--permission-mode", "yolo"];

/** Resolves when the file has content. */
async function written(project: AgentProject, name: string): Promise<void> {
  const watcher = Deno.watchFs(project.dir.path);
  const there = () => Deno.stat(project.dir.join(name)).then(({ size }) => size > 0, () => false);
  try {
    if (await there()) return;
    for await (const _ of watcher) if (await there()) return;
  } finally {
    watcher.close();
  }
}

/** Runs the resumed session with a person who answers each question; gives the questions and the result. */
async function consenting(project: AgentProject, behavior: "allow" | "deny") {
  const formats = ["--input-format", "stream-json", "--output-format", "stream-json"];
  const args = ["-p", ...formats, "--permission-prompt", "stdio", "--resume", ID, ...YOLO];
  await using run = await project.start(args);
  await run.write(`${JSON.stringify(userLine("again"))}\n`);
  const questions: Line[] = [];
  let result: Line | undefined;
  for await (const text of run.lines()) {
    const line: Line = JSON.parse(text);
    if (line["type"] === "result") {
      result = line;
      await run.closeInput();
    }
    if (line["request"]?.subtype !== "can_use_tool") continue;
    questions.push(line["request"]);
    const answer = { subtype: "success", request_id: line["request_id"], response: { behavior } };
    await run.write(`${JSON.stringify({ type: "control_response", response: answer })}\n`);
  }
  const { stderr } = await run.finished;
  return { questions, result, stderr };
}

Deno.test("a command whose outcome is unknown is told, and runs again only with a person's consent", async () => {
  const mark = `stop-${crypto.randomUUID()}`;
  const command = `echo x >> log; while ! test -e ${mark}; do sleep 0.05; done`;
  const call = { tool_calls: [{ name: "Bash", input: { command } }] };
  await using project = await AgentProject.open({
    turns: [call, call, { text: "refused" }, call, call, { text: "ran" }, { text: "quiet" }],
  });
  const first = await project.start(["-p", "do it", "--session-id", ID, ...YOLO]);
  await using _first = first;
  await first.closeInput();
  await written(project, "log");
  first.kill("SIGKILL");
  await first.finished;
  await project.dir.write(mark, "");
  for (const pid of processesWith(mark)) {
    try {
      Deno.kill(pid, "SIGKILL");
    } catch {
      // it saw the mark and ended
    }
  }

  const resumed = await project.stream("go on", ["--resume", ID, ...YOLO]);
  assert.equal(resumed.code, 0, resumed.stderr);
  assert.equal(await project.dir.read("log"), "x\n", "not a second time by itself");
  assert.match(
    resumed.stderr,
    /^lumina: The outcome of Bash\("echo x >> log; [^\n]*\) is unknown: [^\n]*Check what it did\n/,
  );
  const result = resultOf(resumed.lines);
  assert.deepEqual(result["permission_denials"].map((denial: Line) => denial["tool_input"]), [{ command }]);
  const events = await project.journal(ID);
  const interrupted = events.find((event) => event.type === "tool.interrupted");
  assert.equal(payload(interrupted!)["unknown_outcome"], true);
  const denied = events.findLast((event) => event.type === "permission.decided");
  assert.deepEqual(
    [payload(denied!)["behavior"], payload(denied!)["by"], payload(denied!)["source"]],
    ["deny", "headless", "recovery"],
  );
  const told = JSON.stringify(project.provider.requests[1]?.body);
  assert.match(told, /its outcome is unknown. Check .* needs a person's consent/);

  const { questions, result: ran, stderr } = await consenting(project, "allow");
  assert.equal(ran?.["result"], "ran", stderr);
  assert.equal(questions.length, 1, "asked once: then its outcome is known and yolo stands");
  assert.match(questions[0]?.["decision_reason"], /outcome is unknown.*twice/);
  assert.equal(await project.dir.read("log"), "x\nx\nx\n");
  const later = await project.run(["-p", "later", "--resume", ID]);
  assert.deepEqual([later.stdout, later.stderr], ["quiet\n", ""]);
});
