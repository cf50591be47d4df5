import assert from "node:assert/strict";
import { LuminaError } from "../base/mod.ts";
import { nearestRule, parseRule, splitRuleList } from "./rule.ts";

const SOURCE = { origin: "user" as const, file: "settings.json", base_dir: "/base" };

Deno.test("parseRule() reads a tool alone and a tool with a specifier", () => {
  assert.deepEqual(parseRule("Bash", SOURCE), { text: "Bash", tool: "Bash", source: SOURCE });
  assert.deepEqual(parseRule(" Bash(*) ", SOURCE), { text: "Bash(*)", tool: "Bash", source: SOURCE });
  assert.equal(parseRule("Bash(git commit -m (x))", SOURCE).specifier, "git commit -m (x)");
  assert.equal(parseRule("mcp__a-b__c", SOURCE).tool, "mcp__a-b__c");
  assert.equal(parseRule("WebFetch(domain:x.y)", SOURCE).specifier, "domain:x.y");
});

Deno.test("parseRule() names the text, the file and what is wrong", () => {
  for (
    const [text, what] of [
      ["", /is empty/],
      ["Bash(ls", /closing bracket/],
      ["Bash()", /nothing between/],
      ["Bash( )", /nothing between/],
      ["(ls)", /tool name/],
      ["git push", /tool name/],
      ["Bash(a) b", /closing bracket/],
      ["WebFetch(https://x)", /domain:|names no host/],
      ["Read(!x)", /begins with !/],
      ["Bash(a\nb)", /line break/],
      ["Bash(rm *))", /closing bracket without/],
      ["Bash(rm *),Read(.env)", /closing bracket without/],
      ["Bash(rm *) Edit(src/**)", /closing bracket without/],
      ["Bash(rm\u00a0*)", /only looks like a space/],
      ["Bash(\u200brm *)", /nobody sees/],
      ["Read(\u202e.env)", /nobody sees/],
      ["Read(.e[nv)", /\[ without its partner/],
      ["WebFetch(domain:https://x.y)", /names no host/],
    ] as const
  ) {
    assert.throws(() => parseRule(text, SOURCE), (error: unknown) => {
      assert.ok(error instanceof LuminaError, text);
      assert.equal(error.code, "permission.rule");
      assert.match(error.message, what);
      assert.ok(error.message.includes(JSON.stringify(text)) && error.message.includes("settings.json"));
      return true;
    });
  }
});

Deno.test("parseRule() takes brackets of commands, names of files in any script, and the older names of tools", () => {
  for (
    const [text, tool, specifier] of [
      ["Bash(awk '{print $1) x}')", "Bash", "awk '{print $1) x}'"],
      ["Bash(python -c 'f(1), Foo(2)')", "Bash", "python -c 'f(1), Foo(2)'"],
      [
        "Read(./a\u202fb \u{1f468}\u200d\u{1f469} (1).png)",
        "Read",
        "./a\u202fb \u{1f468}\u200d\u{1f469} (1).png",
      ],
      ["Edit(app/[id]/[!a-z]/\\[x)", "Edit", "app/[id]/[!a-z]/\\[x"],
      ["read_file(.env)", "Read", ".env"],
      ["edit_file(src/**)", "Edit", "src/**"],
      ["run_shell(ls *)", "run_shell", "ls *"],
    ] as const
  ) {
    const { text: kept, tool: named, specifier: inner } = parseRule(text, SOURCE);
    assert.deepEqual([kept, named, inner], [text, tool, specifier]);
  }
});

Deno.test("nearestRule() gives a rule that can be read, or says how one looks", () => {
  for (
    const [text, near] of [
      ["Bash(git log", "Bash(git log)"],
      ["Bash git push *", "Bash(git push *)"],
      ["Bash[npm test]", "Bash(npm test)"],
      ["Bash(a) b", "Bash(a b)"],
      ["Bash()", "Bash"],
      ['"Bash(ls *)"', "Bash(ls *)"],
      ["Bash: git log", "Bash(git log)"],
      ["Bash(a\nb)", "Bash(a b)"],
      ["WebFetch(https://example.com/x)", "WebFetch(domain:example.com)"],
      ["Read(!x)", "Read(x)"],
      ["(ls)", "Tool(ls)"],
      ["Bash(rm *))", "Bash(rm *)"],
      ["Bash(rm\u00a0*)", "Bash(rm *)"],
      ["WebFetch(domain:https://x.y/z)", "WebFetch(domain:x.y)"],
      [`Bash(${")".repeat(100_000)}`, "Tool or Tool(specifier)"],
      ["", "Tool or Tool(specifier)"],
      ["((", "Tool or Tool(specifier)"],
    ]
  ) assert.equal(nearestRule(text ?? ""), near, text);
});

Deno.test("splitRuleList() splits at commas and blanks outside brackets", () => {
  assert.deepEqual(splitRuleList("Bash(git log *), Edit Read,WebFetch(domain:a)"), [
    "Bash(git log *)",
    "Edit",
    "Read",
    "WebFetch(domain:a)",
  ]);
  assert.deepEqual(splitRuleList(" Bash(echo (a, b)) "), ["Bash(echo (a, b))"]);
  assert.deepEqual(splitRuleList(""), []);
  for (const text of ["Bash(a", "Bash a)"]) assert.throws(() => splitRuleList(text), LuminaError);
});
