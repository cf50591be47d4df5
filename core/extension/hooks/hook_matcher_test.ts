import assert from "node:assert/strict";
import { hookMatcher } from "./hook_matcher.ts";

Deno.test("no matcher, an empty one and * fit everything", () => {
  for (const text of [undefined, "", "  ", "*"]) assert.ok(hookMatcher(text)(["Bash"]), text);
});

Deno.test("letters, digits, _ - , | and spaces are exact names; anything else is an unanchored expression", () => {
  const fits = (matcher: string, ...subjects: string[]) => hookMatcher(matcher)(subjects);
  assert.ok(fits("Bash", "Bash"));
  assert.ok(!fits("Bash", "BashOutput"));
  assert.ok(!fits("bash", "Bash"));
  assert.ok(fits("Edit|Write", "Write"));
  assert.ok(fits("Edit, Write", "Write"));
  assert.ok(fits("read_file", "Read", "read_file"), "an alias counts");
  assert.ok(fits("Bash.*", "BashOutput"));
  assert.ok(fits("ash(Out)", "BashOutput"));
  assert.ok(!fits("^ash.", "Bash"));
  assert.ok(fits("mcp__.*__write", "mcp__disk__write"));
  assert.ok(fits("anything"), "a moment without a subject fits every matcher");
});

Deno.test("a matcher that is no regular expression is an error that quotes it", () => {
  assert.throws(() => hookMatcher("Bash("), /the matcher "Bash\(" is no regular expression/);
});
