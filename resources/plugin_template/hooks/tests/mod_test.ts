import assert from "node:assert/strict";
import test from "node:test";
import { guardPushes, isForcedPush, remindOfRules } from "../src/mod.ts";
import { callHook } from "./call_hook.ts";

const bash = (command: string) =>
  callHook(guardPushes, "PreToolUse", {
    tool_name: "Bash",
    tool_input: { command },
  });

test("isForcedPush() finds the push wherever in the line it stands", () => {
  for (
    const line of [
      "git push --force",
      "git push -f",
      "cd x && git -C y push origin +main",
    ]
  ) {
    assert.ok(isForcedPush(line), line);
  }
  for (
    const line of [
      "git push",
      "git push origin main",
      "git fetch --force; git push",
      "git push --force-with-lease",
    ]
  ) {
    assert.ok(!isForcedPush(line), line);
  }
});

test("a forced push is refused with a reason; about any other command the hook has nothing to say", async () => {
  const output = await bash("git push --force origin main");
  assert.equal(output?.hookSpecificOutput?.permissionDecision, "deny");
  assert.match(
    output?.hookSpecificOutput?.permissionDecisionReason ?? "",
    /push without --force/,
  );
  assert.equal(await bash("git status"), undefined);
});

test("a prompt about commits gets the rules, any other stays as it is", async () => {
  const output = await callHook(remindOfRules, "UserPromptSubmit", {
    prompt: "Commit this",
  });
  assert.match(
    output?.hookSpecificOutput?.additionalContext ?? "",
    /present tense/,
  );
  assert.equal(
    await callHook(remindOfRules, "UserPromptSubmit", {
      prompt: "Explain this",
    }),
    undefined,
  );
});
