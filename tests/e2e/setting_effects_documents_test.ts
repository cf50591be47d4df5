import assert from "node:assert/strict";
import { startScriptedProvider } from "../../core/model/scripted/mod.ts";
import type { RecordedRequest } from "../../core/model/scripted/mod.ts";
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
      prepare: (workspace) => workspace.write("AGENTS.md", `mark-first ${"x".repeat(2_000)} mark-last`),
    });
  const [whole, cut, small] = [
    await start({}),
    await start({ project_doc_max_bytes: 1_000 }),
    await start({ context_window: 4_000 }),
  ];
  assert.deepEqual(provider.requests.map(marks), [["mark-first", "mark-last"], ["mark-first"], [
    "mark-first",
  ]]);
  assert.equal(whole.stderr, "");
  assert.match(cut.stderr, /AGENTS\.md was cut from 2021 to 1000 bytes: .*project_doc_max_bytes/);
  assert.match(small.stderr, /AGENTS\.md was cut from 2021 to 1600 bytes: .*window/);
});
