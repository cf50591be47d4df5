import assert from "node:assert/strict";
import type { RunScope, StageParticipant } from "../../agent/mod.ts";
import { tempDir } from "../../../tests/support/temp_dir.ts";
import { instructionsFeature } from "./instructions_feature.ts";
import type { FeatureScope } from "./session_feature.ts";

Deno.test("instructions of a folder come once, again when they change, go when their file goes; a compaction repeats what has changed", async () => {
  await using dir = await tempDir();
  await dir.write("AGENTS.md", "root rules");
  await dir.write("sub/AGENTS.md", "sub rules");
  const root = await Deno.realPath(dir.path);
  const at = participant(root, [{ path: `${root}/AGENTS.md`, text: "root rules" }]);
  const state = { messages: [] as unknown[], origins: [], compactions: [] as unknown[], thought: {} };
  const run = { session: { state }, emit: () => {} } as unknown as RunScope;
  const prompt = async () => {
    const context: string[] = [];
    await at.prompt?.({ prompt: "go", context }, run);
    return context.join("\n");
  };
  const touch = async () => {
    const paths = [{ resolved: `${root}/sub/a.ts` }];
    await at.after_tool?.({ verdict: { paths } } as unknown as AfterTool, run);
    const notes: string[] = [];
    await at.context?.({ notes, step: 1 }, run);
    const text = notes.join("\n");
    if (text !== "") state.messages.push({ role: "user", content: [{ type: "text", text }] });
    return text;
  };
  const compacted = async () => {
    const notes: string[] = [];
    await at.after_compaction?.({ trigger: "auto", notes }, run);
    return notes.join("\n");
  };

  assert.equal(await prompt(), "");
  assert.match(await touch(), /sub\/AGENTS\.md">\nsub rules\n/);
  assert.equal(await touch(), "");
  assert.equal(await compacted(), "");

  await dir.write("sub/AGENTS.md", "other sub rules");
  const changed = await prompt();
  assert.match(changed, /changed since[^]*sub\/AGENTS\.md">\nother sub rules\n/);
  assert.doesNotMatch(changed, /root rules/);
  assert.equal(await prompt(), "");

  await dir.write("AGENTS.md", "new root rules");
  await Deno.remove(`${root}/sub/AGENTS.md`);
  assert.match(await prompt(), /new root rules[^]*sub\/AGENTS\.md">\nThis file is gone\./);
  assert.match(await compacted(), /new root rules/);
});

type AfterTool = Parameters<NonNullable<StageParticipant["at"]["after_tool"]>>[0];

function participant(root: string, instructions: { path: string; text: string }[]): StageParticipant["at"] {
  const settings = {
    project_root_markers: [".git"],
    project_doc_filenames: ["AGENTS.md"],
    project_doc_max_bytes: 10_000,
    project_doc_import_dirs: [],
  };
  const parts = {
    flags: { bare: false },
    instructions,
    located: { project: { root } },
    app_root: { instructionsDir: `${root}/none` },
    home: `${root}/none`,
    watch: { current: { settings } },
  };
  const scope = { parts, session: { model: { window: 100_000 } } } as unknown as FeatureScope;
  const made = instructionsFeature(scope)?.participant;
  assert.ok(made !== undefined);
  return made.at;
}
