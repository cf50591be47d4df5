import assert from "node:assert/strict";
import { STAGE_ORDER } from "../../core/agent/mod.ts";
import { assertStageOrder, stageNames, traceStages } from "../support/stage_trace.ts";

const HOOKS = ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SubagentStop"];
const settings = {
  hooks: Object.fromEntries(
    HOOKS.map((event) => [event, [{ hooks: [{ type: "command", command: "true" }] }]]),
  ),
};
const write = (file_path: string) => ({ name: "Write", input: { file_path, content: "x" } });
const delegate = {
  name: "Agent",
  input: { description: "Writes", prompt: "write", subagent_type: "general-purpose" },
};

/** The loop's own parts, which every run has. */
const OWN = ["hooks", "permission", "capture"];
const own = (trace: readonly string[]) => trace.filter((line) => OWN.includes(line.split(":")[1] ?? ""));
const CALL = ["before_tool:permission", "before_tool:capture", "after_tool:hooks"];

Deno.test("who takes part in a run comes at his stage in the order of the data, the same in a sub-agent's run", async () => {
  const turns = [
    { tool_calls: [delegate] },
    { tool_calls: [write("a.txt")] },
    { text: "written" },
    { tool_calls: [write("b.txt")] },
    { text: "done" },
  ];
  const traces = await traceStages({ turns }, ["--permission-mode", "yolo"], settings);
  assert.equal(traces.length, 2);
  const [main = [], agent = []] = traces;
  for (const trace of traces) assertStageOrder(trace);
  assert.deepEqual(own(main), ["session_start:hooks", "prompt:hooks", ...CALL, ...CALL, "end:hooks"]);
  // a prompt that a model wrote is none of a person
  assert.deepEqual(own(agent), [...CALL, "end:hooks"]);
  const all = stageNames(main);
  for (const [stage, names] of stageNames(agent)) {
    assert.deepEqual(names, all.get(stage)?.filter((name) => names.includes(name)), stage);
  }
  assert.deepEqual(
    [...stageNames(agent).keys()],
    [...all.keys()].filter((stage) => stage !== "session_start"),
  );
  assert.equal(STAGE_ORDER.before_tool[0], "permission", "nobody comes before a call is allowed");
});
