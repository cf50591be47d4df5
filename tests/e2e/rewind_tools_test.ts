// Edits by the file tools and by commands, captured as a run captures them, in one process.
import assert from "node:assert/strict";
import fc from "fast-check";
import { systemWorld } from "../../core/base/mod.ts";
import type { JsonObject } from "../../core/plugin_api/mod.ts";
import {
  planRewind,
  rewindTarget,
  RunRecorder,
  runSteps,
  SnapshotStore,
  TreeRestore,
  Workspace,
} from "../../core/rewind/mod.ts";
import type { FileMoment } from "../../core/rewind/mod.ts";
import { TestWorkspace } from "../../plugins/tools_fs/test_workspace.ts";

const NEVER = new AbortController().signal;

type Step =
  | { kind: "tool"; name: string; input: JsonObject & { file_path: string } }
  | { kind: "command"; command: string }
  | { kind: "run" };

const path = fc.constantFrom("a.txt", "dir/b.txt", "dir/sub/c.txt", "new/d/e.txt", "old/f.txt");
const tool = (name: string, rest: fc.Arbitrary<JsonObject>): fc.Arbitrary<Step> =>
  fc.tuple(path, rest).map(([file_path, more]) => ({
    kind: "tool" as const,
    name,
    input: { file_path, ...more },
  }));
const word = fc.constantFrom("one", "two", "three");
const step: fc.Arbitrary<Step> = fc.oneof(
  tool("Write", word.map((content) => ({ content: `${content}\n` }))),
  tool("Edit", fc.tuple(word, word).map(([old_string, new_string]) => ({ old_string, new_string }))),
  tool(
    "MultiEdit",
    fc.tuple(word, word).map(([old_string, new_string]) => ({ edits: [{ old_string, new_string }] })),
  ),
  fc.constantFrom(
    "rm -rf dir",
    "mkdir -p new/empty; chmod 700 new",
    "rm -rf dir; echo file > dir",
    "rm -f dir; mkdir -p dir/sub; echo one > dir/b.txt",
    "ln -sfn a.txt link",
    "chmod 600 a.txt",
    "mv a.txt old 2>/dev/null || mv old new",
    "truncate -s 0 dir/b.txt",
    "printf 'x' > $'raw\\xfe'; rm -rf new",
    "rm -rf old; ln -s dir old",
  ).map((command): Step => ({ kind: "command", command })),
  fc.constant<Step>({ kind: "run" }),
);

Deno.test("edits by tools and commands over several runs: every moment can be gone back to", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 12 }), fc.nat(), holds),
    { numRuns: Number(Deno.env.get("LUMINA_PROPERTY_RUNS") ?? 25) },
  );
});

async function holds(steps: Step[], pick: number): Promise<void> {
  await using test = await TestWorkspace.open();
  await bash(test.cwd, "mkdir -p dir/sub old; echo one > a.txt; echo one > dir/b.txt; echo one > old/f.txt");
  const store = SnapshotStore.open(test.path("../rewind.sqlite"), { create: true });
  try {
    const workspace = new Workspace(store, {
      root: test.cwd,
      session_id: "s",
      exclude: [],
      limits: { max_file_bytes: 1e6, max_store_bytes: 1e8 },
      world: systemWorld,
    });
    const recorder = new RunRecorder(test.cwd, () => workspace);
    const moments: FileMoment[] = [];
    /** The tree before each step; a step has the number of its message. */
    const trees: string[] = [];
    const note = (seq: number, kind: FileMoment["kind"], captured: { snapshot: string } | undefined) => {
      if (captured !== undefined) moments.push({ seq: seq + 0.5, kind, snapshot: captured.snapshot });
    };
    recorder.begin();
    for (const [seq, step] of steps.entries()) {
      trees.push(await listing(test.cwd));
      if (step.kind === "run") {
        note(seq, "left", await recorder.end(NEVER));
        recorder.begin();
      } else if (step.kind === "command") {
        note(seq, "before", await recorder.beforeCommand(NEVER));
        await bash(test.cwd, `( ${step.command} ) 2>/dev/null || true`);
      } else {
        note(seq, "before", await recorder.beforeWrite([await resolved(test, step.input.file_path)], NEVER));
        await test.call("Read", { file_path: step.input.file_path });
        await test.call(step.name, step.input);
      }
    }
    note(steps.length, "left", await recorder.end(NEVER));
    const at = pick % steps.length;
    const target = rewindTarget(moments, at);
    const present = await workspace.capture({ known: [target.left] });
    if (target.snapshot !== undefined) {
      const { changes, conflicts } = planRewind(store, present.snapshot, target.snapshot, target);
      assert.deepEqual([...conflicts], [], "nobody but the agent was at work");
      const restore = new TreeRestore(test.cwd, store, systemWorld.uuid);
      assert.deepEqual((await runSteps(restore.run(changes, []), systemWorld, NEVER)).failed, []);
    }
    assert.equal(await listing(test.cwd), trees[at], JSON.stringify(steps));
  } finally {
    store.close();
  }
}

/** Where a path leads, as the permission kernel tells it. */
async function resolved(test: TestWorkspace, name: string): Promise<string> {
  const parts = test.path(name).split("/");
  for (let length = parts.length; length > 0; length--) {
    try {
      const real = await Deno.realPath(parts.slice(0, length).join("/"));
      return [real, ...parts.slice(length)].join("/");
    } catch {
      // not there: its folder tells
    }
  }
  return test.path(name);
}

async function bash(cwd: string, script: string): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command("bash", { args: ["-c", script], cwd }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

async function listing(cwd: string): Promise<string> {
  return await bash(
    cwd,
    "find . -printf '%p %y %m %l\\n' | LC_ALL=C sort | od -An -c; find . -type f -print0 | LC_ALL=C sort -z | xargs -0 -r sha256sum",
  );
}
