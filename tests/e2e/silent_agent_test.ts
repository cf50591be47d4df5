import assert from "node:assert/strict";
import { AgentProject, resultOf, sentResults } from "../support/agent_project.ts";

Deno.test("a sub-agent whose model falls silent ends by the idle limit, and its parent reads that failure and goes on", async () => {
  const input = { description: "wait", prompt: "fall silent", subagent_type: "general-purpose" };
  await using project = await AgentProject.open({
    turns: [
      { tool_calls: [{ name: "Agent", input }] },
      { match: "fall silent", text: "never seen as a whole", fault: { stall_after_frames: 1 } },
      { text: "told" },
    ],
  });
  const run = await project.stream("delegate", [], {
    settings: { API_STREAM_IDLE_TIMEOUT_SECONDS: "1", API_MAX_ATTEMPTS: "1" },
  });
  assert.equal(resultOf(run.lines)["result"], "told", run.stderr);
  const last = project.provider.requests.at(-1)!;
  const [result] = sentResults(last);
  assert.equal(result?.is_error, true);
  assert.match(result?.content ?? "", /no data|silent|idle|timed? ?out/i);
});
