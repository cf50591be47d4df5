import assert from "node:assert/strict";
import { STAGE_ORDER } from "../../core/agent/mod.ts";
import { assertStageOrder, traceStages } from "../support/stage_trace.ts";

const HOOKS = ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"];
const settings = {
  hooks: Object.fromEntries(
    HOOKS.map((event) => [event, [{ hooks: [{ type: "command", command: "true" }] }]]),
  ),
};
const write = { name: "Write", input: { file_path: "a.txt", content: "x" } };

/** The loop's own parts, which every run has. */
const OWN = ["hooks", "permission", "capture"];
const own = (trace: readonly string[]) => trace.filter((line) => OWN.includes(line.split(":")[1] ?? ""));

Deno.test("who takes part in a run comes at his stage, in the order of the data", async () => {
  const [trace = []] = await traceStages(
    { turns: [{ tool_calls: [write] }, { text: "done" }] },
    ["--permission-mode", "yolo"],
    settings,
  );
  assertStageOrder(trace);
  assert.deepEqual(own(trace), [
    "session_start:hooks",
    "prompt:hooks",
    "before_tool:permission",
    "before_tool:capture",
    "after_tool:hooks",
    "end:hooks",
  ]);
  assert.equal(STAGE_ORDER.before_tool[0], "permission", "nobody comes before a call is allowed");
});
