import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { systemWorld } from "../../base/mod.ts";
import { PackRecords } from "../packs/mod.ts";
import { tempDir } from "../../../tests/support/temp_dir.ts";
import type { TempDir } from "../../../tests/support/temp_dir.ts";
import { changePack, finishPackChange } from "./pack_change.ts";
import type { PackPlace } from "./pack_change.ts";
import { withPackLock } from "./pack_lock.ts";

const CHILD = fileURLToPath(new URL("./pack_change_testing.ts", import.meta.url));
const PLACES = ["copied", "decided", "moved_aside", "placed", "recorded", "tidied"];

async function setup(dir: TempDir): Promise<{ place: PackPlace; state_dir: string }> {
  for (const version of ["1.0.0", "2.0.0"]) {
    await dir.write(`${version}/mod.js`, version);
    await dir.write(`${version}/data/${version}`, version);
  }
  for (const folder of ["root/config", "root/state", "root/data/plugins/sample/data"]) {
    await Deno.mkdir(dir.join(folder), { recursive: true });
  }
  const place: PackPlace = {
    scope: "user",
    plugins_dir: dir.join("root/config/plugins"),
    record_file: dir.join("root/config/plugins.json"),
    keep: [dir.join("root/config"), dir.join("root/data")],
  };
  return { place, state_dir: dir.join("root/state") };
}

function record(version: string) {
  return {
    version,
    source: { kind: "path" as const, value: "/somewhere" },
    files: {},
    stamps: {},
    manifest_hash: "",
    granted: [],
    enabled: true,
    installed_at: "2026-01-01T00:00:00.000Z",
    checked_by: "0",
  };
}

async function tree(root: string, below = ""): Promise<string[]> {
  const paths: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(`${root}/${below}`)) {
    const path = below === "" ? name : `${below}/${name}`;
    paths.push(path, ...(isDirectory ? await tree(root, path) : []));
  }
  return paths.sort();
}

/** Version of the pack that is in place, by its files and by its record, which must agree. */
async function versionThere(dir: TempDir, place: PackPlace): Promise<string | undefined> {
  const recorded = new PackRecords(place.record_file).read().packs.get("sample")?.version;
  const files = (await tree(dir.join("root"))).filter((path) => path.startsWith("config/plugins/sample/"));
  const version = files.length === 0 ? undefined : await dir.read("root/config/plugins/sample/mod.js");
  assert.equal(version, recorded, "files and record");
  if (version !== undefined) {
    const own = ["data", `data/${version}`, "mod.js"].map((path) => `config/plugins/sample/${path}`);
    assert.deepEqual(files, own, "no file of the other version");
  }
  return version;
}

async function killedAt(
  at: string,
  options: {
    state_dir: string;
    place: PackPlace;
    directory: string | null;
    version: string;
    remove: string[];
  },
): Promise<void> {
  const { signal, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", "--no-check", CHILD, JSON.stringify({ ...options, at: `plugin.${at}` })],
    stdout: "null",
    stderr: "piped",
  }).output();
  assert.equal(signal, "SIGKILL", `${at}: ${new TextDecoder().decode(stderr)}`);
}

Deno.test("killed anywhere, an update leaves the old pack with its record or the new one with its record, and nothing else", async () => {
  for (const at of PLACES) {
    await using dir = await tempDir();
    const { place, state_dir } = await setup(dir);
    const first = { directory: dir.join("1.0.0"), record: () => record("1.0.0") };
    changePack(state_dir, systemWorld, { id: "sample", place, next: first, remove: [] });
    const before = await tree(dir.join("root"));
    await killedAt(at, { state_dir, place, directory: dir.join("2.0.0"), version: "2.0.0", remove: [] });
    finishPackChange(state_dir, systemWorld);
    assert.equal(await versionThere(dir, place), at === "copied" ? "1.0.0" : "2.0.0", at);
    // what a copy that was never decided has left goes with the next change
    const second = { directory: dir.join("2.0.0"), record: () => record("2.0.0") };
    changePack(state_dir, systemWorld, { id: "sample", place, next: second, remove: [] });
    assert.deepEqual(
      await tree(dir.join("root")),
      before.map((path) => path.replace("data/1.0.0", "data/2.0.0")),
      at,
    );
  }
});

Deno.test("killed anywhere, a first install leaves a whole pack or none, and a removal leaves no trace in the end", async () => {
  for (const at of PLACES) {
    await using dir = await tempDir();
    const { place, state_dir } = await setup(dir);
    const data = dir.join("root/data/plugins/sample");
    await killedAt(at, { state_dir, place, directory: dir.join("1.0.0"), version: "1.0.0", remove: [] });
    finishPackChange(state_dir, systemWorld);
    assert.equal(await versionThere(dir, place), at === "copied" ? undefined : "1.0.0", at);
    const first = { directory: dir.join("1.0.0"), record: () => record("1.0.0") };
    changePack(state_dir, systemWorld, { id: "sample", place, next: first, remove: [] });
    if (at === "copied") continue; // a removal copies nothing
    await killedAt(at, { state_dir, place, directory: null, version: "", remove: [data] });
    finishPackChange(state_dir, systemWorld);
    assert.deepEqual(await tree(dir.join("root")), ["config", "data", "state"], at);
  }
});

Deno.test("a change that fails puts back what was there", async () => {
  await using dir = await tempDir();
  const { place, state_dir } = await setup(dir);
  const first = { directory: dir.join("1.0.0"), record: () => record("1.0.0") };
  changePack(state_dir, systemWorld, { id: "sample", place, next: first, remove: [] });
  const before = await tree(dir.join("root"));
  for (const at of PLACES.slice(0, 5)) {
    const world = {
      ...systemWorld,
      failpoint(name: string) {
        if (name === `plugin.${at}`) throw new Error("the disk is full");
      },
    };
    const next = { directory: dir.join("2.0.0"), record: () => record("2.0.0") };
    if (at === "decided" || at === "recorded") continue; // decided and done: there is no step that could fail there
    assert.throws(
      () => changePack(state_dir, world, { id: "sample", place, next, remove: [] }),
      /disk is full/,
    );
    assert.deepEqual(await tree(dir.join("root")), before, at);
    assert.equal(await versionThere(dir, place), "1.0.0", at);
  }
});

Deno.test("the lock of changes is held by one at a time and leaves no file", async () => {
  await using dir = await tempDir();
  withPackLock(dir.path, () => {
    using other = Deno.openSync(dir.join("plugin_change.lock"), { write: true });
    assert.equal(other.tryLockSync(true), false);
  });
  assert.deepEqual(await tree(dir.path), []);
  assert.throws(() =>
    withPackLock(dir.path, () => {
      throw new Error("x");
    }), /x/);
  assert.deepEqual(await tree(dir.path), []);
});
