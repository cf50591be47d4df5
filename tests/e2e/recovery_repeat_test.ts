import assert from "node:assert/strict";
import { AgentProject, resultOf, userLine } from "../support/agent_project.ts";

const ID = "3a9c2f10-77de-4f0b-b1a2-c3d4e5f60718";

Deno.test("a prompt whose run died is not run again under its uuid: the answer says that it was interrupted", async () => {
  await using project = await AgentProject.open({
    turns: [{ text: ["half ", "answer"], hold: { name: "never", after_frames: 4 } }, { text: "whole" }],
  });
  const line = { ...userLine("do it"), uuid: "u-1" };
  const formats = ["--input-format", "stream-json", "--output-format", "stream-json"];
  const run = await project.start(["-p", ...formats, "--session-id", ID]);
  await using _run = run;
  await run.write(`${JSON.stringify(line)}\n`);
  await project.provider.waitForRequest(1);
  run.kill("SIGKILL");
  await run.finished;

  const again = await project.converse([line, { ...line, uuid: "u-2" }], ["--resume", ID]);
  const [repeated, anew] = again.prompts.map((lines) => resultOf(lines));
  assert.equal(repeated?.["is_error"], true);
  assert.equal(repeated?.["error_code"], "agent.interrupted");
  assert.match(JSON.stringify(repeated), /process ended before the run did.*another uuid/);
  assert.equal(anew?.["result"], "whole");
  assert.equal(project.provider.requests.length, 2, "the repeat asked nothing");
});
