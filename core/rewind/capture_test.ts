import assert from "node:assert/strict";
import { systemWorld } from "../base/mod.ts";
import { entryAt } from "./diff_trees.ts";
import { collectGarbage } from "./collect_garbage.ts";
import { TestWorkspace } from "./rewind_testing.ts";
import { RunRecorder } from "./run_recorder.ts";
import { SnapshotStore } from "./snapshot_store.ts";

const never = new AbortController().signal;

Deno.test("capture() leaves out .git at any depth, ignored folders, large files and sockets, and names what it skips", async () => {
  await using test = await TestWorkspace.make();
  await test.bash(
    "git init -q .; git init -q sub; echo s > sub/file; printf 'out/\\n*.env\\n*.log\\n' > .gitignore; " +
      "mkdir out; echo o > out/o; echo secret > a.env; head -c 2000000 /dev/zero > big.log; " +
      "head -c 600 /dev/zero > large; mkfifo pipe",
  );
  const workspace = test.open({ max_file_bytes: 500 });
  const { snapshot, skipped } = await workspace.capture({});
  assert.deepEqual(skipped.sort(), ["big.log", "large", "pipe"]);
  const types = ["sub/file", "a.env", ".git", "sub/.git", "out", "large", "pipe"].map((path) =>
    entryAt(workspace.store, snapshot, path)?.type
  );
  assert.deepEqual(types, ["file", "file", undefined, undefined, "opaque", "opaque", "opaque"]);
});

Deno.test("what was captured once stays captured when it is ignored or large later, and is given back", async () => {
  await using test = await TestWorkspace.make();
  await test.bash("mkdir src; echo one > src/a; echo x > grows");
  const workspace = test.open({ max_file_bytes: 500 });
  const { snapshot } = await workspace.capture({});
  await test.bash("echo src/ > .gitignore; echo two > src/a; head -c 5000 /dev/urandom > grows");
  const { failed, left } = await test.restore(workspace, snapshot);
  assert.deepEqual({ failed, left }, { failed: [], left: [] });
  assert.equal(await Deno.readTextFile(`${test.root}/src/a`), "one\n");
  assert.equal(await Deno.readTextFile(`${test.root}/grows`), "x\n");
});

Deno.test("what was ignored then is left alone when it is ignored no longer", async () => {
  await using test = await TestWorkspace.make();
  await test.bash("echo dep/ > .gitignore; mkdir dep; echo d > dep/d");
  const workspace = test.open();
  const { snapshot } = await workspace.capture({});
  await test.bash("rm .gitignore; echo more > dep/more");
  await test.restore(workspace, snapshot);
  assert.equal(await Deno.readTextFile(`${test.root}/dep/more`), "more\n");
});

Deno.test("a change that keeps size and times is seen", async () => {
  await using test = await TestWorkspace.make();
  await test.bash("echo one > a; touch -d 2001-01-01 a");
  const workspace = test.open();
  const before = await workspace.capture({});
  await test.bash("echo two > a; touch -d 2001-01-01 a");
  assert.notEqual((await workspace.capture({})).snapshot, before.snapshot);
  assert.notEqual((await test.open().capture({})).snapshot, before.snapshot, "in a new process too");
});

Deno.test("a capture that is aborted leaves no snapshot, and the next one is whole", async () => {
  await using test = await TestWorkspace.make();
  await test.bash("for d in $(seq 60); do mkdir $d; for f in $(seq 10); do echo $d$f > $d/$f; done; done");
  const stop = new AbortController();
  let looks = 0;
  // a clock that makes each step a slice of its own
  const world = {
    ...systemWorld,
    mono: () => (looks++ === 40 && stop.abort(new Error("stop")), looks * 100),
  };
  const workspace = test.open({}, world);
  await assert.rejects(workspace.capture({ signal: stop.signal }), /stop/);
  assert.deepEqual(workspace.store.snapshots(), []);
  const whole = await workspace.capture({});
  assert.equal(whole.snapshot, (await test.open().capture({})).snapshot);
});

Deno.test("between file tools only the named paths are looked at; a command makes the next look a whole one", async () => {
  await using test = await TestWorkspace.make();
  await test.bash("mkdir -p a/b; echo 1 > a/b/c; echo 1 > d");
  const workspace = test.open();
  const recorder = new RunRecorder(test.root, () => workspace);
  recorder.begin();
  const at = (path: string) => `${test.root}/${path}`;
  const content = (snapshot: string, path: string) => {
    const entry = entryAt(workspace.store, snapshot, path);
    return entry?.type === "file" ? new TextDecoder().decode(workspace.store.read(entry.hash)) : entry?.type;
  };
  assert.equal(await recorder.end(never), undefined, "nothing was written");
  const first = await recorder.beforeWrite([at("a/b/c")], never);
  await test.bash("echo 2 > a/b/c; mkdir -p n/m; echo 2 > n/m/o; echo unseen > d");
  const second = await recorder.beforeWrite([at("n/m/o")], never);
  assert.deepEqual(["a/b/c", "n/m/o", "d"].map((path) => content(second!.snapshot, path)), [
    "2\n",
    "2\n",
    "1\n",
  ]);
  assert.equal(content(first!.snapshot, "a/b/c"), "1\n");
  await test.bash("rm -r n");
  const third = await recorder.beforeWrite([at("n/m/o/p")], never);
  assert.equal(content(third!.snapshot, "n"), undefined);
  const fourth = await recorder.beforeCommand(never);
  assert.equal(content(fourth.snapshot, "d"), "1\n", "the last look was at paths");
  await test.bash("echo 3 > d");
  const fifth = await recorder.beforeWrite([at("a/b/c")], never);
  assert.equal(content(fifth!.snapshot, "d"), "3\n");
  const end = await recorder.end(never);
  assert.equal(end?.snapshot, (await test.open().capture({})).snapshot);
  assert.equal(await recorder.beforeWrite(["/elsewhere/x"], never), undefined);
});

Deno.test("collectGarbage() deletes what no session needs, and captures go on beside it", async () => {
  await using test = await TestWorkspace.make();
  const one = test.open({}, systemWorld, "one");
  const other = test.open({}, systemWorld, "other");
  await test.bash("head -c 200000 /dev/urandom > a; echo shared > s");
  const first = await one.capture({});
  await test.bash("head -c 200000 /dev/urandom > a");
  const second = await other.capture({});
  const options = { keeps: (id: string) => id === "other", world: systemWorld };
  const would = await collectGarbage(test.store_file, { ...options, dry_run: true });
  assert.ok(one.store.has(first.snapshot));
  assert.deepEqual(await collectGarbage(test.store_file, options), would);
  assert.equal(would.snapshots, 1);
  assert.equal(would.objects, 3, "the file, its folder and the snapshot");
  assert.ok(would.bytes > 200_000);
  assert.ok(!one.store.has(first.snapshot));
  await test.restore(other, second.snapshot);
  await test.bash("head -c 200000 /dev/urandom > b");
  const third = await one.capture({});
  await test.bash("rm -r *");
  assert.deepEqual((await test.restore(test.open(), third.snapshot)).failed, []);

  const limited = { keeps: () => true, max_bytes: 300_000, world: systemWorld };
  assert.ok((await collectGarbage(test.store_file, limited)).snapshots > 0);
  assert.ok(one.store.has((await one.capture({})).snapshot));
  assert.deepEqual(await collectGarbage(`${test.store_file}-none`, options), {
    snapshots: 0,
    objects: 0,
    bytes: 0,
  });
});

Deno.test("a store that is damaged or no store at all is refused in one line", async () => {
  await using test = await TestWorkspace.make();
  const file = `${test.root}/foreign`;
  await Deno.writeTextFile(file, "not a database, but long enough to be looked at as one".repeat(40));
  assert.throws(() => SnapshotStore.open(file, { create: true }), {
    code: "rewind.store",
    message: /not a database; move it away, and a new one is begun$/,
  });
  assert.throws(() => SnapshotStore.open(`${file}-none`, { create: false }), { code: "rewind.missing" });
});

Deno.test("a workspace that is too large is not read at all, and leaves nothing in the store", async () => {
  await using test = await TestWorkspace.make();
  await test.bash(
    "echo ignored/ > .gitignore; mkdir ignored; head -c 900000 /dev/urandom > ignored/x; head -c 90000 /dev/urandom > a",
  );
  const { store } = await (async () => {
    const workspace = test.open({ max_store_bytes: 50_000 });
    await assert.rejects(workspace.capture({}), { code: "rewind.too_large" });
    return workspace;
  })();
  assert.deepEqual(store.objects(), []);
  const fits = await test.open({ max_store_bytes: 100_000 }).capture({});
  assert.ok(store.has(fits.snapshot));
});

Deno.test("a session goes on capturing when another one has cleaned up the state that it captured last", async () => {
  await using test = await TestWorkspace.make();
  await test.bash("echo dep/ > .gitignore; mkdir dep; echo d > dep/d; echo 1 > a");
  const recorder = new RunRecorder(test.root, () => mine);
  const mine = test.open({}, systemWorld, "mine");
  await recorder.beforeCommand(never);
  await test.bash("echo 2 > a");
  const last = await recorder.end(never);
  await test.bash("echo 3 > a");
  await test.open({}, systemWorld, "other").capture({});
  await collectGarbage(test.store_file, { keeps: () => true, max_bytes: 1, world: systemWorld });
  assert.ok(!mine.store.has(last!.snapshot));
  recorder.begin();
  const { snapshot } = await recorder.beforeCommand(never);
  await test.bash("echo 4 > a");
  assert.deepEqual((await test.restore(mine, snapshot)).failed, []);
  assert.equal(await Deno.readTextFile(`${test.root}/a`), "3\n");
});
