import assert from "node:assert/strict";
import fc from "fast-check";
import { buildPolicy } from "./policy.ts";
import { rulePattern } from "./policy.ts";
import { parseRule } from "./rule.ts";
import { hasPathRules, hasSpecific, pathRules, toolRules } from "./rule_index.ts";
import { matchesParam, namesPathFamily, namesTool } from "./tool_match.ts";
import type { ToolFacts } from "./tool_match.ts";
import { HOLE, INNER_SPACE, matchCommand } from "./wildcard.ts";

const BASH: ToolFacts = {
  name: "Bash",
  aliases: ["bash"],
  effect: "run",
  subject: { kind: "command", param: "command" },
};
const source = { origin: "user" as const, base_dir: "/ws" };

const piece = fc.constantFrom(
  "git",
  "gi",
  "t",
  " ",
  " ",
  "*",
  "*",
  "log",
  "-x",
  ":*",
  "'a b'",
  "rm",
  "npm run",
  ".",
);
const specifier = fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join(""));
const tool = fc.constantFrom("Bash", "bash", "B*", "*", "Read", "Edit", "mcp__x");
const text = fc.oneof(fc.tuple(tool, specifier).map(([name, inside]) => `${name}(${inside})`), tool);
const line = fc.array(
  fc.constantFrom("git", "gi", "t", " ", " ", "log", "-x", HOLE, `a${INNER_SPACE}b`, "rm", "npm run", "."),
  { maxLength: 6 },
).map((pieces) => pieces.join(""));

function rulesOf(texts: readonly string[]) {
  return texts.flatMap((one) => {
    try {
      return [parseRule(one, source)];
    } catch {
      return []; // most texts are rules, and the others are none of this test
    }
  });
}

Deno.test("the index of a list gives every rule that may match a command line, in the list's order", () => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 30 }), fc.array(line, { maxLength: 4 }), (texts, lines) => {
      const list = rulesOf(texts);
      const matching = (rules: typeof list) =>
        rules.filter((rule) => lines.some((one) => matchCommand(rule.specifier ?? "", one) !== "no"));
      const named = list.filter((rule) => namesTool(rule, BASH));
      const index = toolRules(list, BASH);
      assert.deepEqual(
        matching([...index.candidates(lines)]),
        matching(named.filter((rule) => rule.specifier !== undefined)),
      );
      for (const input of [{}, { command: "x" }, { git: 1, rm: "a" }]) {
        const holds = ({ specifier }: (typeof list)[number]) =>
          specifier === undefined || matchesParam(specifier, input);
        assert.deepEqual(index.general(input).filter(holds), named.filter(holds));
      }
      assert.equal(index.whole, named.find((rule) => rule.specifier === undefined));
      assert.equal(hasSpecific(list), list.some((rule) => rule.specifier !== undefined));
      assert.equal(
        hasPathRules(list),
        list.some((rule) => /^(Read|Edit)$/.test(rule.tool) && rule.specifier !== undefined),
      );
    }),
    { numRuns: 2000 },
  );
});

const name = fc.constantFrom("src", "a", "é", "e\u0301", "SRC", ".env", "*", "**", "b*", "x y", "[ab]");
const pattern = fc.tuple(
  fc.constantFrom("", "/", "//", "./", "~/"),
  fc.array(name, { minLength: 1, maxLength: 3 }),
)
  .map(([anchor, names]) => `Read(${anchor}${names.join("/")})`);
const path = fc.array(fc.constantFrom("ws", "src", "a", "é", "e\u0301", "SRC", ".env", "bb", "x y", "home"), {
  maxLength: 4,
})
  .map((names) => `/${names.join("/")}`);

Deno.test("paths that no rule of a list matches are known by one look, and only those", () => {
  fc.assert(
    fc.property(
      fc.array(pattern, { maxLength: 8 }),
      path,
      fc.boolean(),
      fc.boolean(),
      (texts, one, is_dir, folds_case) => {
        const { policy } = buildPolicy({
          mode: "ask",
          layers: [{ source, deny: texts, allow: texts }],
          workspace: "/ws",
          home: "/home",
          folds_case,
        });
        for (const list of ["deny", "allow"] as const) {
          const plain = policy[list].some((rule) =>
            namesPathFamily(rule, "read") && rulePattern(rule, policy, list).matches(one, is_dir)
          );
          assert.equal(pathRules(policy, list, "read").mayMatch([one], is_dir), plain);
        }
      },
    ),
    { numRuns: 500 },
  );
});

Deno.test("a list that grows is read anew", () => {
  const list = rulesOf(["Bash(git log)"]);
  assert.equal(toolRules(list, BASH).candidates(["rm x"]).length, 0);
  list.push(...rulesOf(["Bash(rm *)"]));
  assert.equal(toolRules(list, BASH).candidates(["rm x"]).length, 1);
});
