import assert from "node:assert/strict";
import { readJsonRules } from "./json_rule_file.ts";
import { translateClaude } from "./translate_claude.ts";

const PLACE = {
  base_dir: "/home/u/.claude",
  home: "/home/u",
  our_base_dir: "/home/u/.lumina/config",
  known: (tool: string) => ["Bash", "Read", "Edit"].includes(tool),
};

Deno.test("rules stay as they are, but for paths that start at the file, names without a tool and what cannot be read", async () => {
  const file = await readJsonRules(
    `{
  // mine
  "permissions": {
    "allow": ["Bash(git log:*)", "Edit(/notes/**)", "Write(/x)", "*", "Wish(granted)", "Bash(", 7],
    "deny": ["Read(./.env)", "Bash(", "mcp__mail", "("],
    "defaultMode": "acceptEdits",
    "additionalDirectories": ["~/other", "../beside"],
    "disableBypassPermissionsMode": "disable",
    "sometimes": []
  },
  "hooks": {},
  "spinner": true,
}`,
    "settings.json",
  );
  const entries = translateClaude(file, PLACE);
  assert.deepEqual(
    entries.flatMap(({ rules }) => rules.map(({ list, rule }) => `${list} ${rule}`)),
    [
      "allow Bash(git log:*)",
      "allow Edit(//home/u/.claude/notes/**)",
      "allow Wish(granted)",
      "deny Read(./.env)",
      "ask Bash",
      "deny mcp__mail",
    ],
  );
  const told = entries.map(({ source, line, outcome }) => `${line} ${source} ${outcome}`);
  for (
    const each of [
      "4 allow Write(/x) not taken",
      "4 allow * not taken",
      "4 allow Bash( not taken",
      "4 allow 7 unknown",
      "5 deny ( not taken",
      '6 defaultMode "acceptEdits" mode',
      "9 permissions.sometimes unknown",
      "11 hooks not taken",
      "12 spinner unknown",
    ]
  ) assert.ok(told.includes(each), `${each} in\n${told.join("\n")}`);
  assert.deepEqual(entries.flatMap(({ directories }) => directories ?? []), [
    "/home/u/other",
    "/home/u/beside",
  ]);
  assert.deepEqual(entries.flatMap(({ mode }) => mode ?? []), ["accept-edits"]);
  assert.equal(entries.filter(({ no_yolo }) => no_yolo).length, 1);
  assert.match(entries.find(({ source }) => source.includes("Wish"))?.note ?? "", /no tool Wish/);
});

Deno.test("a file that is no JSON is named with its line", async () => {
  await assert.rejects(
    readJsonRules('{\n  "permissions": {\n    "allow" ["x"]\n', "s.json"),
    /^LuminaError: s\.json:3: /,
  );
  await assert.rejects(readJsonRules("[]", "s.json"), /s\.json:1: it is no JSON object/);
});
