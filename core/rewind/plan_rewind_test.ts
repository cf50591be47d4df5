import assert from "node:assert/strict";
import { planRewind } from "./plan_rewind.ts";
import { TestWorkspace } from "./rewind_testing.ts";

Deno.test("what was not captured and is new is no part of a plan: an ignored folder stays silently, a large file by name", async () => {
  await using test = await TestWorkspace.make();
  await test.bash("git init -q .; echo build/ > .gitignore");
  const workspace = test.open({ max_file_bytes: 1000 });
  const { snapshot } = await workspace.capture({});
  await test.bash("mkdir build; echo x > build/out; head -c 2000 /dev/zero > large; echo small > small");
  const present = (await workspace.capture({ known: [snapshot] })).snapshot;
  const plan = planRewind(workspace.store, present, snapshot, { left: snapshot, between: [] });
  assert.deepEqual(plan.changes.map(({ path }) => path), ["small"]);
  assert.deepEqual([...plan.conflicts], ["small"]);
  assert.deepEqual(plan.stays, ["large"]);
});
