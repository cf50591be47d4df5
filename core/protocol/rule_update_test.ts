import assert from "node:assert/strict";
import { parseUpdates, suggestedUpdates } from "./rule_update.ts";

Deno.test("what a question suggests can be sent back as it is", () => {
  const rules = ["Bash(git commit *)", "Edit(./a(b).ts)", "Grep"];
  assert.deepEqual(parseUpdates(suggestedUpdates(rules, ["Read(//srv/data/**)"])), {
    updates: [
      { list: "allow", rules, keep: "project" },
      { list: "allow", rules: ["Read(//srv/data/**)"], keep: "session" },
    ],
    problems: [],
  });
  assert.deepEqual(suggestedUpdates([]), []);
});

Deno.test("parseUpdates() tells destinations apart, takes folders and modes, and names what it leaves out", () => {
  const rules = [{ toolName: "Bash", ruleContent: "ls *" }];
  const add = (destination: string) => ({ type: "addRules", behavior: "deny", destination, rules });
  assert.deepEqual(
    parseUpdates([
      ...["session", "cliArg", "userSettings", "projectSettings", "localSettings"].map(add),
      { type: "addDirectories", directories: ["/srv"], destination: "session" },
      { type: "setMode", mode: "acceptEdits", destination: "session" },
    ]),
    {
      updates: [
        ...["session", "session", "user", "project", "project"].map((keep) => ({
          list: "deny",
          rules: ["Bash(ls *)"],
          keep,
        })),
        { directories: ["/srv"], keep: "session" },
        { mode: "accept-edits" },
      ],
      problems: [],
    },
  );
  const destination = "session";
  const bad = [
    { type: "addRules", behavior: "grant", rules, destination },
    { type: "addRules", behavior: "ask", rules: [], destination },
    { type: "addRules", behavior: "ask", rules: [...rules, 5], destination },
    { type: "removeRules", rules, destination },
    { type: "addDirectories", directories: [5], destination },
    { type: "setMode", mode: "fast" },
    { type: "setMode", mode: ["yolo"] },
    // what cannot be understood is never taken for more than was meant
    ...[7, "", ["ls"], {}].map((ruleContent) => ({
      type: "addRules",
      behavior: "allow",
      rules: [{ toolName: "Bash", ruleContent }],
      destination,
    })),
    ...[undefined, null, "sesion", 7, "toString"].map((destination) => ({
      type: "addRules",
      behavior: "allow",
      rules,
      destination: destination as string,
    })),
    { type: "addDirectories", directories: ["/srv"] },
    7,
  ];
  const { updates, problems } = parseUpdates(bad);
  assert.deepEqual(updates, []);
  assert.equal(problems.length, bad.length);
  assert.match(problems[3] ?? "", /"removeRules" is not carried out/);
  const whole = [{
    type: "addRules",
    behavior: "deny",
    destination,
    rules: [{ toolName: "Bash", ruleContent: null }],
  }];
  assert.deepEqual(parseUpdates(whole).updates, [{ list: "deny", rules: ["Bash"], keep: "session" }]);
  assert.equal(parseUpdates("all").problems.length, 1);
  assert.deepEqual(parseUpdates(undefined), { updates: [], problems: [] });
});
