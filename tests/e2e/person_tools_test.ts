import assert from "node:assert/strict";
import { PNG } from "../../plugins/tools_fs/media_testing.ts";
import { AgentProject, sentResults } from "../support/agent_project.ts";
import type { Line } from "../support/agent_project.ts";
import { converse } from "../support/converse.ts";
import { tempDir } from "../support/temp_dir.ts";

const IMAGE = {
  type: "image",
  source: { type: "base64", media_type: "image/png", data: btoa(String.fromCharCode(...PNG)) },
};
const CREATE = [
  { name: "TaskCreate", input: { subject: "Look" } },
  { name: "TaskCreate", input: { subject: "Tell", blockedBy: ["1"] } },
];

Deno.test("a prompt with a picture reaches the model, and picture and tasks are there again when the session is resumed", async () => {
  await using project = await AgentProject.open({
    turns: [
      { tool_calls: CREATE },
      { tool_calls: [{ name: "TaskUpdate", input: { taskId: "1", status: "completed" } }] },
      { text: "a dot" },
      { tool_calls: [{ name: "TaskList", input: {} }] },
      { text: "one is left" },
    ],
  });
  const settings = { MODEL_IMAGES: "on" };
  const prompt = {
    type: "user",
    message: { role: "user", content: [IMAGE, { type: "text", text: "What is it?" }] },
  };
  const first = await project.converse([prompt], ["--replay-user-messages"], { settings });
  assert.equal(first.code, 0, first.stderr);
  const echo = first.lines.find((line) => line["isReplay"] === true);
  assert.deepEqual(echo?.["message"].content, [{ type: "text", text: "What is it?" }, IMAGE]);
  const sent = (request: number) =>
    (project.provider.requests[request]?.body["messages"] as Line[])[0]?.["content"];
  assert.deepEqual(sent(0).filter(({ type }: Line) => type === "image"), [IMAGE]);
  const again = await project.stream("What is left?", ["--resume", first.session_id], { settings });
  assert.equal(again.code, 0, again.stderr);
  assert.deepEqual(sent(3), sent(0));
  const [list] = sentResults(project.provider.requests[4]);
  assert.equal(list?.content, "#1 [completed] Look\n#2 [pending] Tell");
  // a run without a person who could approve has no plan to hand in
  const tools = (project.provider.requests[3]?.body["tools"] as { name: string }[]).map(({ name }) => name);
  assert.ok(tools.includes("AskUserQuestion") && !tools.includes("ExitPlanMode"), tools.join(" "));
  const exported = await project.run(["session", "export", first.session_id, "--format", "md"]);
  assert.match(exported.stdout, /What is it\?\n+\[image, image\/png, 1 kB\]/);
  const events = await project.journal(first.session_id);
  assert.deepEqual(
    events.filter(({ type }) => type.startsWith("task.")).map(({ type, payload }) => [
      type,
      (payload as Line)["task_id"],
      (payload as Line)["status"],
    ]),
    [["task.created", "1", "pending"], ["task.created", "2", "pending"], ["task.updated", "1", "completed"]],
  );
});

Deno.test("questions and plans go to the client of the control protocol, and an approved plan may be carried out", async () => {
  await using ws = await tempDir();
  await using app = await tempDir();
  const write = { name: "Write", input: { file_path: "made.txt", content: "made" } };
  const questions = [{
    question: "Which colour?",
    options: [{ label: "Red" }, { label: "Blue" }],
    multiSelect: false,
  }];
  const { questions: asked, results, code, stderr } = await converse(
    { cwd: ws.path, app_root: app.path },
    [
      { name: "AskUserQuestion", input: { questions } },
      { name: "EnterPlanMode", input: {} },
      write,
      { name: "ExitPlanMode", input: { plan: "1. write" } },
      write,
    ],
    [
      ({ input }) => ({
        behavior: "allow",
        updatedInput: { ...input, answers: { "Which colour?": "Blue" } },
      }),
      () => ({ behavior: "allow" }),
      () => ({
        behavior: "allow",
        updatedPermissions: [{ type: "setMode", mode: "acceptEdits", destination: "session" }],
      }),
    ],
  );
  assert.equal(code, 0, stderr);
  assert.deepEqual(asked.map(({ tool_name }) => tool_name), [
    "AskUserQuestion",
    "EnterPlanMode",
    "ExitPlanMode",
  ]);
  assert.deepEqual(results.map(({ is_error }) => is_error), [false, false, true, false, false]);
  assert.equal(results[0]?.content, "Which colour?: Blue");
  assert.match(results[2]?.content ?? "", /mode plan changes no file/);
  assert.match(results[3]?.content ?? "", /approved the plan\. The mode is accept-edits/);
  assert.equal(await ws.read("made.txt"), "made");
});
