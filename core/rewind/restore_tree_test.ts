import assert from "node:assert/strict";
import { systemWorld } from "../base/mod.ts";
import { diffTrees } from "./diff_trees.ts";
import { TreeRestore } from "./restore_tree.ts";
import { TestWorkspace } from "./rewind_testing.ts";
import { onlyWhere } from "../../tests/support/skip.ts";

Deno.test("a restore follows no link out of the workspace, also not one that took a folder's place meanwhile", async () => {
  await using test = await TestWorkspace.make();
  await test.bash("mkdir -p d/e ../outside; echo in > d/e/f; echo in > d/new; echo out > ../outside/f");
  const workspace = test.open();
  const { snapshot } = await workspace.capture({});
  await test.bash("rm d/e/f d/new; echo extra > d/e/g");
  const present = await workspace.capture({});
  const changes = diffTrees(workspace.store, present.snapshot, snapshot);
  await test.bash("rm -r d/e; ln -s ../../outside d/e; echo out > ../outside/g");
  const steps = new TreeRestore(test.root, workspace.store, systemWorld.uuid).run(changes, []);
  let step = steps.next();
  while (!step.done) step = steps.next();
  assert.deepEqual(step.value.changed, ["d/new"]);
  assert.deepEqual(step.value.failed.map(({ path }) => path), ["d/e/g", "d/e/f"]);
  await test.bash("test $(cat ../outside/f) = out; test $(cat ../outside/g) = out");
});

Deno.test("a restore that was cut short is finished by the next one, and leaves no temporary file", async () => {
  await using test = await TestWorkspace.make();
  await test.bash(
    "for f in $(seq 20); do echo one > $f; done; mkdir -m 500 closed; mkdir gone; echo x > gone/x",
  );
  const workspace = test.open();
  const before = await test.listing();
  const { snapshot } = await workspace.capture({});
  await test.bash(
    "for f in $(seq 20); do echo two > $f; done; chmod 755 closed; rm -r gone; mkdir more; echo y > more/y",
  );
  const present = await workspace.capture({});
  const changes = diffTrees(workspace.store, present.snapshot, snapshot);
  const steps = new TreeRestore(test.root, workspace.store, systemWorld.uuid).run(changes, []);
  for (let step = 0; step < 12; step++) steps.next();
  await test.bash("echo half > .lumina-rewind-1234.tmp");
  assert.notDeepEqual(await test.listing(), before);
  assert.deepEqual((await test.restore(test.open(), snapshot)).failed, []);
  assert.deepEqual(await test.listing(), before);
});

Deno.test("a folder that holds what is not captured stays, and is named", async () => {
  await using test = await TestWorkspace.make();
  const workspace = test.open();
  const { snapshot } = await workspace.capture({});
  await test.bash("mkdir cloned; git init -q cloned; echo f > cloned/f; mkfifo cloned/pipe");
  const restored = await test.restore(workspace, snapshot);
  assert.deepEqual(restored.left, ["cloned"]);
  await test.bash("test ! -e cloned/f; test -p cloned/pipe; test -d cloned/.git");
});

Deno.test({
  ...onlyWhere(
    "files and folders that their owner has closed are taken back with their contents",
    Deno.uid() !== 0,
    "nothing is closed to root",
  ),
  fn: async () => {
    await using test = await TestWorkspace.make();
    await test.bash("mkdir -p d/e; echo one > d/e/f; echo one > g");
    const before = await test.listing();
    const workspace = test.open();
    const { snapshot } = await workspace.capture({});
    await test.bash("echo two > d/e/f; chmod 000 d/e; chmod 500 d; echo two > g; chmod 000 g");
    assert.deepEqual((await test.restore(workspace, snapshot)).failed, []);
    assert.deepEqual(await test.listing(), before);
  },
});
