import assert from "node:assert/strict";
import type { ExecutedCall } from "./execute_tool.ts";
import { StopRules } from "./stop_rules.ts";

function executed(
  name: string,
  content: string,
  options: Partial<ExecutedCall> & { error?: boolean } = {},
): ExecutedCall {
  return {
    block: { type: "tool_use", call_id: "c", wire_id: "w", name, input: { path: "x" } },
    outcome: { content, is_error: options.error ?? false },
    ran: true,
    stop: options.stop ?? false,
    ...(options.denial === undefined ? {} : { denial: options.denial }),
  };
}
const denied = (name = "Bash") =>
  executed(name, "no", { error: true, denial: { tool_name: name, call_id: "c", tool_input: {} } });
const rules = (max_denials = 5, fail_on_denial = false) => new StopRules({ max_denials, fail_on_denial });

Deno.test("the same call with the same result is noted at the third time and stops the run at the sixth", () => {
  const watch = rules();
  const verdicts = Array.from({ length: 6 }, () => watch.observe([executed("Read", "same")]));
  assert.deepEqual(verdicts.map(({ note, stop }) => [note !== undefined, stop?.code]), [
    [false, undefined],
    [false, undefined],
    [true, undefined],
    [true, undefined],
    [true, undefined],
    [false, "agent.no_progress"],
  ]);
});

Deno.test("a result that changes is progress, also for the same call", () => {
  const watch = rules();
  for (let i = 0; i < 20; i++) assert.deepEqual(watch.observe([executed("BashOutput", `line ${i}`)]), {});
});

Deno.test("twelve failures in a row stop the run; one success begins the count anew", () => {
  const watch = rules();
  for (let i = 0; i < 11; i++) {
    assert.equal(watch.observe([executed("Edit", `e${i}`, { error: true })]).stop, undefined);
  }
  watch.observe([executed("Read", "ok")]);
  for (let i = 0; i < 11; i++) {
    assert.equal(watch.observe([executed("Edit", `f${i}`, { error: true })]).stop, undefined);
  }
  assert.equal(watch.observe([executed("Edit", "last", { error: true })]).stop?.code, "agent.no_progress");
});

Deno.test("five refusals in a row block the run; a permitted call between begins the count anew", () => {
  const watch = rules();
  for (let i = 0; i < 4; i++) assert.equal(watch.observe([denied()]).stop, undefined);
  watch.observe([executed("Read", "ok")]);
  for (let i = 0; i < 4; i++) assert.equal(watch.observe([denied()]).stop, undefined);
  assert.equal(watch.observe([denied()]).stop?.code, "agent.denied");
});

Deno.test("with fail_on_denial the first refusal blocks the run", () => {
  assert.equal(rules(5, true).observe([denied()]).stop?.code, "agent.denied");
});
