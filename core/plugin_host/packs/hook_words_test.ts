import assert from "node:assert/strict";
import { hookApproval, hookWords, newHooks } from "./hook_words.ts";
import type { PackHook } from "./pack_hook.ts";

const hook = (change: Partial<PackHook>): PackHook => ({
  event: "PreToolUse",
  handler: "guard",
  capabilities: [],
  programs: [],
  timeout_ms: 1_000,
  ...change,
});

Deno.test("hookWords() says what a hook sees and may do, and of a project's pack that it never allows", () => {
  assert.equal(
    hookWords(hook({}), false),
    "sees every tool call before it runs and may refuse it, change it, or allow what the mode would ask about",
  );
  assert.equal(
    hookWords(hook({}), true),
    "sees every tool call before it runs and may refuse it or change it",
  );
  assert.equal(
    hookWords(hook({ matcher: "Bash|\u202eWrite", capabilities: ["net"] }), true),
    'sees every tool call that fits "Bash|\\u{202e}Write" before it runs and may refuse it or change it; ' +
      "it uses net without a question each time",
  );
  assert.equal(
    hookWords(hook({ event: "SessionStart", matcher: "resume" }), false),
    'runs when a session starts that fits "resume" and may tell the model something',
  );
  assert.equal(hookWords(hook({ event: "TeammateIdle" }), false), "runs at TeammateIdle");
  // nothing of a long matcher is hidden from who decides
  assert.ok(hookWords(hook({ matcher: `${"a".repeat(490)}|.*` }), false).includes('a|.*"'));
});

Deno.test("newHooks() gives what was not approved as it is: another event, matcher, capability or program", () => {
  const before = hook({ matcher: "Bash", capabilities: ["net", "ask"], programs: [] });
  const approved = [hookApproval(before), hookApproval(hook({ event: "Stop" }))];
  const same = { ...before, capabilities: ["ask", "net"] as const, handler: "other", timeout_ms: 5 };
  assert.deepEqual(newHooks([same, hook({ event: "Stop", matcher: "*" })], approved), []);
  const more = [
    hook({ matcher: "Bash|Write", capabilities: ["net", "ask"] }),
    hook({ matcher: "Bash", capabilities: ["net", "ask", "run"] }),
    hook({ matcher: "Bash", capabilities: ["net", "ask"], programs: ["git"] }),
    hook({ event: "SessionEnd" }),
  ];
  assert.deepEqual(newHooks(more, approved), more);
  assert.equal(newHooks(more).length, 4);
});
