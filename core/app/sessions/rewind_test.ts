import assert from "node:assert/strict";
import { appRootPaths } from "../../app_root/mod.ts";
import { systemWorld as world } from "../../base/mod.ts";
import type { RewindDecision, RewindReport } from "../../cli/mod.ts";
import { openJournal } from "../../journal/mod.ts";
import { SnapshotStore, Workspace } from "../../rewind/mod.ts";
import { readSummary, Session } from "../../session/mod.ts";
import { tempDir } from "../../../tests/support/temp_dir.ts";
import { snapshotFile } from "./capture_hook.ts";
import { rewindPort } from "./rewind.ts";
import { SessionStore } from "./session_store.ts";

const SETTINGS = { rewind: true, rewind_max_file_bytes: 1_000_000, rewind_max_store_bytes: 100_000_000 };

/** A session whose one run has changed `a` from `start` to `agent`, in a workspace of its own. */
async function saved(root: string) {
  const app_root = appRootPaths(`${root}/app`);
  const cwd = `${await Deno.realPath(root)}/ws`;
  await Deno.mkdir(cwd);
  await Deno.writeTextFile(`${cwd}/a`, "start");
  const store = new SessionStore(app_root, world);
  const place = store.at("s-one");
  await Deno.mkdir(place.directory, { recursive: true });
  await Deno.mkdir(app_root.projectDir("p"), { recursive: true });
  const journal = await openJournal(place.journal_file, { create: true, world });
  const session = await Session.open(journal, () => world.now());
  const snapshots = SnapshotStore.open(snapshotFile(app_root, "p"), { create: true });
  const limits = { max_file_bytes: 1_000_000, max_store_bytes: 100_000_000 };
  const workspace = new Workspace(snapshots, { root: cwd, session_id: "s-one", exclude: [], limits, world });
  const note = async (moment: "command" | "end") =>
    await session.execute({ type: "note_capture", moment, ...await workspace.capture({}) });
  const ids = { session_id: "s-one", project_id: "p", cwd, lumina_version: "0" };
  await session.execute({ type: "create", system: "", origin: "headless", ...ids });
  const asked = { prompt: "go", context: "", model: "m", mode: "yolo", tools: [] };
  await session.execute({ type: "start_run", run_id: "r", step_id: "r-1", ...asked });
  const to = session.state.origins[0]!;
  await note("command");
  await Deno.writeTextFile(`${cwd}/a`, "agent");
  await note("end");
  await session.execute({ type: "finish_run", status: "success", denials: 0, duration_ms: 1 });
  await journal.close();
  snapshots.close();
  await Deno.writeTextFile(`${place.directory}/meta.json`, "{}");
  const port = rewindPort({ store, app_root, world, settings: () => Promise.resolve(SETTINGS) });
  return {
    cwd,
    store,
    place,
    read: (name: string) => Deno.readTextFile(`${cwd}/${name}`),
    rewind: (decide: (plan: RewindReport) => Promise<RewindDecision>, target: number | "undo" = to) =>
      port.rewind({ id: "s-one", to: target, scope: "files", dry_run: false }, decide),
  };
}

Deno.test("what a person writes while the rewind waits for the answer is asked about, and can be brought back", async () => {
  await using dir = await tempDir();
  const { cwd, read, rewind } = await saved(dir.path);
  const plans: (readonly [string, boolean])[][] = [];
  const decide = async (plan: RewindReport): Promise<RewindDecision> => {
    plans.push(plan.changes.map(({ path, conflict }) => [path, conflict] as const));
    if (plans.length === 1) {
      await Deno.writeTextFile(`${cwd}/a`, "person");
      await Deno.writeTextFile(`${cwd}/mine`, "person");
    }
    if (plans.length === 2) await Deno.writeTextFile(`${cwd}/a`, "the same person, of a file that was shown");
    return "overwrite";
  };
  const { outcome } = await rewind(decide);
  assert.deepEqual(plans, [[["a", false]], [["a", true], ["mine", true]]]);
  assert.deepEqual([outcome, await read("a")], ["done", "start"]);
  await rewind(() => Promise.resolve("overwrite"), "undo");
  assert.equal(await read("a"), "the same person, of a file that was shown");
  assert.equal(await read("mine"), "person");
});

Deno.test("what was kept is kept as it was when the answer came", async () => {
  await using dir = await tempDir();
  const { cwd, read, rewind } = await saved(dir.path);
  let asked = 0;
  const { kept } = await rewind(async () => {
    if (++asked === 1) await Deno.writeTextFile(`${cwd}/a`, "person");
    return "keep";
  });
  assert.deepEqual([asked, kept, await read("a")], [2, ["a"], "person"]);
});

Deno.test("a workspace in which files go on appearing is left as it is, in one line", async () => {
  await using dir = await tempDir();
  const { cwd, read, rewind } = await saved(dir.path);
  let asked = 0;
  const busy = rewind(async () => {
    await Deno.writeTextFile(`${cwd}/new-${++asked}`, "");
    return "overwrite";
  });
  await assert.rejects(busy, { code: "session.workspace_busy", exit: 5 });
  assert.equal(await read("a"), "agent");
});

Deno.test("a session that has lost its last events is not rewound: nothing is written over what a repair may find", async () => {
  await using dir = await tempDir();
  const { place, store, read, rewind } = await saved(dir.path);
  const { seq } = await store.state(place);
  await rewind(() => Promise.resolve("cancel"));
  const summary = { ...readSummary(place.directory), seq: seq + 3 };
  await Deno.writeTextFile(`${place.directory}/meta.json`, JSON.stringify(summary));
  await assert.rejects(rewind(() => Promise.resolve("overwrite")), { code: "session.damaged" });
  assert.deepEqual([(await store.state(place)).seq, await read("a")], [seq, "agent"]);
});
