import assert from "node:assert/strict";
import { buildPack, newPack, stopBundler } from "../../core/plugin_host/author/mod.ts";
import { counterPack, makeSamplePack, notesPack, PACK_TEMPLATES } from "../support/sample_packs.ts";
import type { SampleEdit } from "../support/sample_packs.ts";
import { tempDir } from "../support/temp_dir.ts";
import { packSuite, runPackSuite } from "./pack_suite.ts";

packSuite("what plugin new writes", async (directory) => {
  await newPack({ kind: "tools", name: "words", directory, ...PACK_TEMPLATES, toolOwner: () => undefined });
});
packSuite("what plugin new writes of kind hooks", async (directory) => {
  await newPack({ kind: "hooks", name: "guard", directory, ...PACK_TEMPLATES, toolOwner: () => undefined });
});
packSuite("a pack that streams", (directory) => makeSamplePack("counter", directory, counterPack()));
// nothing listens there: an error that the tool reports is an answer too
packSuite(
  "a pack of files and network",
  (directory) => makeSamplePack("notes", directory, notesPack("127.0.0.1:1")),
);

const INPUT = {
  type: "object",
  properties: { text: { type: "string" } },
  required: ["text"],
  additionalProperties: false,
};

/** A pack whose one tool `Bad` is this. */
function bad(handler: string, edit: Partial<SampleEdit> & { before?: string } = {}): SampleEdit {
  return {
    source: `${edit.before ?? ""}\nexport default { tools: { Bad: ${handler} } };\n`,
    test: "",
    capabilities: edit.capabilities ?? [],
    tool: { input_schema: INPUT, repeat: "mark", ...edit.tool },
  };
}

const FAULTS: { name: string; edit: SampleEdit; check: string; says: RegExp }[] = [
  {
    name: "asks for a permission while it is loaded",
    edit: bad("async () => ({ content: '' })", { before: "Deno.readTextFileSync('/etc/hostname');" }),
    check: "loads",
    says: /read access.*belongs into a tool or a hook, not beside it/,
  },
  {
    name: "has no handler for a tool of its manifest",
    edit: { ...bad("1"), source: "export default { tools: {} };\n" },
    check: "loads",
    says: /no tool Bad/,
  },
  {
    name: "returns the wrong shape",
    edit: bad("async () => 'text'"),
    check: "answers",
    says: /a result that is no object/,
  },
  {
    name: "ends itself",
    edit: bad("async () => { Deno.exit(3); }"),
    check: "answers",
    says: /Deno\.exit/,
  },
  {
    name: "gives more than a result may hold",
    edit: bad("async () => ({ content: 'x'.repeat(5_000_000) })"),
    check: "answers",
    says: /result_bytes|bytes/,
  },
  {
    name: "does not heed its signal",
    edit: bad("() => new Promise((resolve) => setTimeout(() => resolve({ content: '' }), 1_500))", {
      tool: { timeout_ms: 60_000 },
    }),
    check: "can be cancelled",
    says: /heed context\.signal/,
  },
  {
    name: "takes keys that its schema does not name",
    edit: bad("async () => ({ content: '' })", {
      tool: { input_schema: { ...INPUT, additionalProperties: true } },
    }),
    check: "refuses bad input",
    says: /"additionalProperties": false/,
  },
  {
    name: "has an input that nobody can guess",
    edit: bad("async () => ({ content: '' })", {
      tool: { input_schema: { ...INPUT, properties: { text: { type: "string", pattern: "^[A-Z]{3}-7$" } } } },
    }),
    check: "input schema",
    says: /"examples"/,
  },
  {
    name: "has the name of a bundled tool",
    edit: {
      ...bad(""),
      source: "export default { tools: { Read: async () => ({ content: '' }) } };\n",
      tool: { name: "Read", input_schema: INPUT },
    },
    check: "manifest",
    says: /tools_fs has a tool Read/,
  },
];

Deno.test("the check names what is wrong with a pack that", async (t) => {
  await using dir = await tempDir();
  for (const { name, edit, check, says } of FAULTS) {
    await t.step(name, async () => {
      const directory = dir.join(name.replaceAll(" ", "-"));
      await makeSamplePack("bad", directory, edit);
      assert.deepEqual((await buildPack({ directory })).problems, []);
      const rows = await runPackSuite(directory);
      const failed = rows.filter(({ ok }) => !ok);
      assert.deepEqual(failed.map((row) => row.check), [check], JSON.stringify(rows));
      assert.match(failed[0]!.detail, says);
    });
  }
  await t.step("was changed after it was built", async () => {
    const directory = dir.join("changed");
    await makeSamplePack("counter", directory, counterPack());
    await buildPack({ directory });
    await dir.write("changed/src/extra.ts", "");
    const source = await dir.read("changed/src/mod.ts");
    await dir.write("changed/src/mod.ts", source.replace("done", "over"));
    const rows = await runPackSuite(directory);
    assert.deepEqual(rows.filter(({ ok }) => !ok).map((row) => row.check), ["up to date"]);
    await dir.write("changed/dist/mod.js", "export default { tools: {} };");
    const [, files] = await runPackSuite(directory);
    assert.match(files!.detail, /mod\.js was changed after the build/);
  });
  await stopBundler();
});

Deno.test("the check names what is wrong with each hook, by its name and event", async () => {
  await using dir = await tempDir();
  const directory = dir.join("hooks");
  await newPack({ kind: "hooks", name: "hooks", directory, ...PACK_TEMPLATES, toolOwner: () => undefined });
  const of = (handler: string, more = {}) => ({ handler, timeout_ms: 1_000, ...more });
  const manifest = JSON.parse(await dir.read("hooks/manifest.json"));
  manifest.contributes.hooks = {
    PreToolUse: ["fine", "text", "throws", "misplaced", "odd", "word", "late"].map((handler) => of(handler)),
    UserPromptSubmit: [of("other")],
    PostToolUse: [of("mcp", { matcher: "mcp__x__.*" })],
    Stop: [of("deaf", { timeout_ms: 30_000 })],
    TeammateIdle: [of("fine")],
  };
  await dir.write("hooks/manifest.json", JSON.stringify(manifest));
  await dir.write(
    "hooks/src/mod.ts",
    `export const fine = () => undefined;
export const text = () => "text";
export const throws = ({ tool_name }: { tool_name: string }) => { throw new Error("no luck with " + tool_name); };
export const misplaced = () => ({ permissionDecision: "deny" });
export const odd = () => ({ hookSpecificOutput: { permissionDecision: "deny", color: "red" } });
export const word = () => ({ decision: "perhaps" });
export const late = () => new Promise(() => {});
export const other = () => ({ hookSpecificOutput: { hookEventName: "PreToolUse", additionalContext: "x" } });
export const mcp = ({ tool_name }: { tool_name: string }) => ({ systemMessage: tool_name });
export const deaf = () => new Promise<void>((resolve) => setTimeout(resolve, 700));
`,
  );
  assert.deepEqual((await buildPack({ directory })).problems, []);
  const rows = await runPackSuite(directory);
  const failed = rows.filter(({ ok }) => !ok).map(({ tool, check, detail }) =>
    `${tool}: ${check}: ${detail}`
  );
  const expected = [
    /^other \(UserPromptSubmit\): answer is understood: .*is for "PreToolUse" and not for UserPromptSubmit$/,
    /^text \(PreToolUse\): answers: its hook text answered with a string.* for Bash$/,
    /^throws \(PreToolUse\): answers: no luck with Bash for Bash$/,
    /^misplaced \(PreToolUse\): answer is understood: permissionDecision belongs into hookSpecificOutput for Bash$/,
    /^odd \(PreToolUse\): answer is understood: no hookSpecificOutput has "color" for Bash$/,
    /^word \(PreToolUse\): answer is understood: the decision "perhaps" is none that there is for Bash$/,
    /^late \(PreToolUse\): answers: Pack "hooks": its hook late did not end within 1 s for Bash$/,
    /^deaf \(Stop\): can be cancelled: it had to be ended: heed context\.signal/,
  ];
  assert.equal(failed.length, expected.length, failed.join("\n"));
  expected.forEach((says, index) => assert.match(failed[index]!, says));
  const [idle] = rows.filter(({ tool }) => tool === "fine (TeammateIdle)");
  assert.match(idle?.detail ?? "", /no session of this version comes to this event/);
  manifest.contributes.hooks = { Stop: [of("fines")] };
  await dir.write("hooks/manifest.json", JSON.stringify(manifest));
  assert.deepEqual((await buildPack({ directory })).problems, [
    "src/mod.ts: it does not export fines, a hook of manifest.json; did you mean fine?",
  ]);
  await stopBundler();
});
