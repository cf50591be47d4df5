import assert from "node:assert/strict";
import { parseRuleUpdates, suggestedUpdates } from "./rule_update.ts";

Deno.test("what a question suggests can be sent back as it is", () => {
  const rules = ["Bash(git commit *)", "Edit(./a(b).ts)", "Grep"];
  assert.deepEqual(parseRuleUpdates(suggestedUpdates(rules)), [{ list: "allow", rules, keep: "project" }]);
  assert.deepEqual(suggestedUpdates([]), []);
});

Deno.test("parseRuleUpdates() takes rules of the session apart and leaves out what it does not know", () => {
  const rule = { toolName: "Bash", ruleContent: "ls *" };
  assert.deepEqual(
    parseRuleUpdates([
      { type: "addRules", behavior: "deny", destination: "session", rules: [rule, 5, {}] },
      { type: "setMode", mode: "yolo" },
      { type: "addRules", behavior: "grant", rules: [rule] },
      { type: "addRules", behavior: "ask", rules: [] },
    ]),
    [{ list: "deny", rules: ["Bash(ls *)"], keep: "session" }],
  );
  assert.deepEqual(parseRuleUpdates("all"), []);
});
