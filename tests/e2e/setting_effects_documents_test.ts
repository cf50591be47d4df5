import assert from "node:assert/strict";
import { startScriptedProvider } from "../../core/model/scripted/mod.ts";
import type { RecordedRequest } from "../../core/model/scripted/mod.ts";
import { AgentProject } from "../support/agent_project.ts";
import { tempDir } from "../support/temp_dir.ts";
import type { TempDir } from "../support/temp_dir.ts";
import { reach, runOnce } from "./setting_effects_support.ts";

/** The marks that a request's system prompt holds, in their order. */
function marks(request: RecordedRequest | undefined): string[] {
  return JSON.stringify(request?.body["system"] ?? null).match(/mark-\w+/g) ?? [];
}

async function prepare(workspace: TempDir): Promise<void> {
  await workspace.write(".top/keep", "");
  await workspace.write("RULES.md", "mark-outer");
  await workspace.write("sub/RULES.md", "mark-rules");
  await workspace.write("sub/MORE.md", "mark-more");
  await workspace.write("sub/AGENTS.md", "mark-agents");
}

Deno.test("project_doc_filenames and project_root_markers decide which files are read, the first name last", async () => {
  await using provider = await startScriptedProvider({ turns: [{ text: "ok", repeat: true }] });
  const names = { project_doc_filenames: ["RULES.md", "MORE.md"] };
  const markers = { project_root_markers: [".top"] };
  for (const settings of [{}, names, { ...names, ...markers }]) {
    const run = await runOnce({ settings: reach(provider, settings), cwd: "sub", prepare });
    assert.equal(run.code, 0, run.stderr);
  }
  assert.deepEqual(provider.requests.map(marks), [
    ["mark-agents"],
    ["mark-more", "mark-rules"],
    ["mark-outer", "mark-more", "mark-rules"],
  ]);
});

Deno.test("project_doc_max_bytes and a tenth of context_window bound the instructions, and every cut is named", async () => {
  await using provider = await startScriptedProvider({ turns: [{ text: "ok", repeat: true }] });
  const start = (settings: Record<string, number>) =>
    runOnce({
      settings: reach(provider, settings),
      prepare: (workspace) => workspace.write("AGENTS.md", `mark-first ${"x".repeat(9_000)} mark-last`),
    });
  const [whole, cut, small] = [
    await start({}),
    await start({ project_doc_max_bytes: 1_000 }),
    await start({ context_window: 20_000 }),
  ];
  assert.deepEqual(provider.requests.map(marks), [["mark-first", "mark-last"], ["mark-first"], [
    "mark-first",
  ]]);
  assert.equal(whole.stderr, "");
  assert.match(cut.stderr, /AGENTS\.md was cut from 9021 to 1000 bytes: .*project_doc_max_bytes/);
  assert.match(small.stderr, /AGENTS\.md was cut from 9021 to 8000 bytes: .*window/);
});

Deno.test("imports are followed in the project and in project_doc_import_dirs; CLAUDE.md counts when it is named; a folder's own file comes with the first touch, a changed one with the next prompt", async () => {
  await using outside = await tempDir();
  await outside.write("shared.md", "mark-outside");
  await using project = await AgentProject.open({
    turns: [
      { tool_calls: [{ name: "Read", input: { file_path: "deep/er/code.ts" } }] },
      { text: "read" },
      { tool_calls: [{ name: "Bash", input: { command: "printf mark-new > CLAUDE.md" } }] },
      { text: "changed" },
      { text: "third", repeat: true },
    ],
  });
  const { dir } = project;
  await dir.write("CLAUDE.md", `mark-main @docs/style.md @${outside.path}/shared.md \`@not/read.md\``);
  await dir.write("CLAUDE.local.md", "mark-local");
  await dir.write("docs/style.md", "mark-style @../CLAUDE.md");
  await dir.write("not/read.md", "mark-code");
  await dir.write("deep/CLAUDE.md", "mark-deep");
  await dir.write("deep/er/code.ts", "1");
  const told: string[] = [];
  const settings = (more: Record<string, unknown>) =>
    Deno.writeTextFile(
      `${project.app_root}/config/settings.json`,
      JSON.stringify({ project_doc_filenames: ["CLAUDE.md"], ...more }),
    );
  await Deno.mkdir(`${project.app_root}/config`, { recursive: true });
  await settings({});
  const first = await project.converse(["one", "two", "three"], ["--permission-mode", "yolo"]);
  assert.equal(first.code, 0, first.stderr);
  told.push(first.stderr, first.stdout);
  const { requests } = project.provider;
  assert.deepEqual(marks(requests[0]), ["mark-style", "mark-main", "mark-local"]);
  const said = (at: number): string[] =>
    JSON.stringify(requests[at]?.body["messages"]).match(/mark-\w+/g) ?? [];
  assert.deepEqual(said(0), []);
  assert.deepEqual(said(1), ["mark-deep"]);
  assert.ok(said(4).includes("mark-new"), "the third prompt brings the changed file");
  assert.ok(
    requests.every((request) => marks(request).join() === marks(requests[0]).join()),
    "a stable prompt",
  );
  assert.match(
    told.join("\n"),
    /shared\.md, which lies outside the project: add its folder to project_doc_import_dirs/,
  );
  assert.match(told.join("\n"), /imports it again: it counts once/);
  await dir.write("CLAUDE.md", `mark-main @${outside.path}/shared.md`);
  await settings({ project_doc_import_dirs: [outside.path] });
  const second = await project.run(["-p", "again"]);
  assert.equal(second.code, 0, second.stderr);
  assert.deepEqual(marks(requests.at(-1)), ["mark-outside", "mark-main", "mark-local"]);
});
