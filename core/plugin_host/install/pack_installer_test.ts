import assert from "node:assert/strict";
import { join } from "node:path";
import { tar, tgz, zip } from "../../../tests/support/pack_archives.ts";
import { sha256 } from "../../base/mod.ts";
import { InstallBench, manifestOf, packFiles } from "../../../tests/support/install_bench.ts";

const tarOf = (files: Record<string, string>) =>
  Object.entries(files).map(([path, body]) => ({ path, body }));
const zipOf = (files: Record<string, string>) =>
  Object.entries(files).map(([name, data]) => ({ name, data }));
const NET = (hosts: string[]) => ({ kind: "net" as const, hosts });

Deno.test("a folder and each kind of archive are installed with their record; removing leaves no trace", async () => {
  await using bench = await InstallBench.open();
  const before = bench.tree();
  const files = packFiles({ capabilities: [NET(["api.example.org"])] });
  await bench.files("pack", {
    ...files,
    "data/x.txt": "x",
    "node_modules/left/index.js": "",
    ".git/HEAD": "",
  });
  const packed = {
    "pack.tar": tar(tarOf(files)),
    "pack.tgz": tgz(tarOf(files)),
    "pack.zip": zip(zipOf(files)),
  };
  await bench.files(".", packed);
  for (
    const [source, kind] of [["pack", "path"], ["pack.tar", "archive"], ["pack.tgz", "archive"], [
      "pack.zip",
      "archive",
    ]]
  ) {
    const outcome = await bench.install(`./${source}`);
    assert.equal(outcome.status, "installed");
    assert.deepEqual(bench.asked.asks, [NET(["api.example.org"])]);
    const { installed_at: _, stamps: __, ...record } = bench.record();
    const data = kind === "path" ? { "data/x.txt": sha256("x") } : {};
    assert.deepEqual(record, {
      version: "1.0.0",
      source: { kind, value: bench.dir.join(source!) },
      files: {
        ...data,
        "manifest.json": sha256(files["manifest.json"]!),
        "mod.js": sha256(files["mod.js"]!),
      },
      manifest_hash: sha256(files["manifest.json"]!),
      granted: [NET(["api.example.org"])],
      enabled: true,
      checked_by: "0.0.0",
    });
    assert.equal(outcome.directory, join(bench.app_root.userPluginsDir, "sample"));
    const kept = join(bench.app_root.dataDir, "plugins/sample/data/state.json");
    await Deno.mkdir(join(kept, ".."), { recursive: true });
    await Deno.writeTextFile(kept, "{}");
    assert.equal(bench.installer().planRemoval("sample").data_dir, join(kept, ".."));
    bench.installer().remove("sample", true);
    assert.ok(bench.tree().includes("data/plugins/sample/data/state.json"), "kept when asked to");
    await bench.install(`./${source}`);
    bench.installer().remove("sample", false);
    assert.deepEqual(bench.tree(), before, source);
  }
  assert.equal(bench.asked.questions.length, 8);
});

Deno.test("a no changes nothing", async () => {
  await using bench = await InstallBench.open();
  await bench.files("pack", packFiles());
  const before = bench.tree();
  bench.asked.answer = false;
  assert.equal((await bench.install("pack")).status, "declined");
  assert.deepEqual(bench.tree(), before);
});

Deno.test("an update asks for exactly what is new, keeps the grant otherwise, and says when it goes back", async () => {
  await using bench = await InstallBench.open();
  const pack = (version: string, capabilities: unknown[], files: Record<string, string> = {}) =>
    bench.files("pack", { ...packFiles({ version, capabilities }), ...files });
  await pack("1.0.0", [NET(["a.example.org"])]);
  await bench.install("pack");
  assert.equal((await bench.update()).status, "unchanged");
  assert.equal((await bench.install("pack")).status, "unchanged");
  await pack("1.0.1", [NET(["a.example.org"])]);
  const kept = await bench.update();
  assert.deepEqual([kept.status, kept.from, kept.version, kept.downgrade], [
    "updated",
    "1.0.0",
    "1.0.1",
    false,
  ]);
  assert.equal(bench.asked.questions.length, 1, "the grant holds");
  const more = [NET(["a.example.org", "b.example.org"]), "ask"];
  await pack("2.0.0", more);
  bench.asked.answer = false;
  assert.equal((await bench.update()).status, "declined");
  assert.equal(bench.record()["version"], "1.0.1");
  bench.asked.answer = true;
  assert.equal((await bench.update()).status, "updated");
  const question = bench.asked.questions.at(-1);
  assert.deepEqual(question?.asks, [NET(["b.example.org"]), "ask"]);
  assert.deepEqual(question?.granted, [NET(["a.example.org"])]);
  assert.deepEqual(question?.replaces, { version: "1.0.1", source: bench.dir.join("pack") });
  assert.deepEqual(bench.record()["granted"], more);
  await pack("1.5.0", [], { "data/old": "x" });
  const back = await bench.update();
  assert.equal(back.downgrade, true);
  assert.deepEqual(bench.record()["granted"], [], "what is no longer asked for is no longer granted");
  // another source is another author: all is asked
  await bench.files("other", packFiles({ version: "1.5.0" }));
  await bench.install("other");
  assert.equal(bench.asked.questions.at(-1)?.replaces?.source, bench.dir.join("pack"));
  assert.ok(!bench.tree().includes("config/plugins/sample/data"), "nothing of the old version stays");
});

Deno.test("an update with a hook that nobody has let yet asks, though it asks for no capability", async () => {
  await using bench = await InstallBench.open();
  const hooks = { PreToolUse: [{ matcher: "Bash", handler: "guard" }] };
  const pack = (version: string, hooks: Record<string, unknown>) =>
    bench.files("pack", packFiles({ version, kinds: ["hooks"], contributes: { hooks } }));
  await pack("1.0.0", hooks);
  await bench.install("pack");
  assert.deepEqual(bench.asked.questions[0]?.hooks.map(({ event, matcher }) => [event, matcher]), [
    ["PreToolUse", "Bash"],
  ]);
  await pack("1.0.1", { PreToolUse: [{ matcher: "Bash", handler: "renamed", timeout_ms: 100 }] });
  assert.equal((await bench.update()).status, "updated");
  assert.equal(bench.asked.questions.length, 1, "what was let holds");
  const more = { ...hooks, UserPromptSubmit: [{ handler: "guard" }] };
  await pack("1.1.0", more);
  bench.asked.answer = false;
  assert.equal((await bench.update()).status, "declined");
  bench.asked.answer = true;
  await bench.update();
  const question = bench.asked.questions.at(-1);
  assert.deepEqual(question?.hooks.map(({ event }) => event), ["UserPromptSubmit"]);
  assert.deepEqual(question?.known_hooks.map(({ event }) => event), ["PreToolUse"]);
  assert.equal((await bench.update()).status, "unchanged");
});

Deno.test("a pack whose installed bytes were meddled with is put in place again; one that is switched off stays so", async () => {
  await using bench = await InstallBench.open();
  await bench.files("pack", packFiles());
  const { directory } = await bench.install("pack");
  await Deno.writeTextFile(join(directory, "mod.js"), "evil");
  assert.equal((await bench.update()).status, "updated");
  assert.equal(await Deno.readTextFile(join(directory, "mod.js")), packFiles()["mod.js"]);
  const file = join(bench.app_root.configDir, "plugins.json");
  await Deno.writeTextFile(
    file,
    (await Deno.readTextFile(file)).replace('"enabled": true', '"enabled": false'),
  );
  await bench.files("pack", packFiles({ version: "1.1.0" }));
  await bench.update();
  assert.equal(bench.record()["enabled"], false);
  await bench.install("pack");
  assert.equal(bench.record()["enabled"], true);
});

Deno.test("what cannot be a pack is refused in one line that names it, and nothing changes", async () => {
  await using bench = await InstallBench.open();
  const refused = async (more: Record<string, unknown>, files: Record<string, string> = {}) => {
    await bench.files("bad", { ...packFiles(more), ...files });
    const message = await bench.refusal(() => bench.install("bad"));
    await Deno.remove(bench.dir.join("bad"), { recursive: true });
    assert.match(message, /^Pack "/, message);
    return message;
  };
  assert.match(await refused({ capabilities: ["fly"] }), /"sample".*"fly"/);
  assert.match(await refused({ api: 2 }), /"sample".*API 2/);
  assert.match(await refused({ wrong: 1 }), /"sample".*wrong/);
  assert.match(await refused({ kinds: ["tools", "hooks"], contributes: { hooks: {} } }), /"sample"/);
  assert.match(await refused({}, { "manifest.json": "{" }), /not valid JSON/);
  assert.match(await refused({ entry: "other.js" }), /"sample": it has no file "other.js"/);
  assert.match(await refused({}, { "mod.js": "" }), /"sample": its entry "mod.js" is empty/);
  assert.match(await refused({}, { "mod.js": "\0\x01" }), /no JavaScript/);
  assert.match(await refused({ entry: "mod.ts" }), /lumina plugin build/);
  assert.match(await refused({ entry: "../mod.js" }), /entry/);
  const right = sha256(packFiles()["mod.js"]!);
  const integrity = { "mod.js": right };
  assert.match(
    await refused({ integrity }, { "mod.js": "export default 1" }),
    /"mod.js" is not the one that was built/,
  );
  assert.match(
    await refused({ integrity: { ...integrity, "data/x": right } }),
    /no file "data\/x", which its integrity/,
  );
  assert.match(await refused({ integrity: {} }), /does not name its entry/);
  await bench.files("empty", {});
  assert.match(await bench.refusal(() => bench.install("empty")), /empty": it is empty/);
  await bench.files(".", { "text.zip": "hello" });
  assert.match(await bench.refusal(() => bench.install("text.zip")), /text.zip": it is no archive/);
  assert.match(await bench.refusal(() => bench.install("nowhere"), 4), /nowhere": there is no such folder/);
  await bench.files("good", packFiles());
  const conflict = () => "that is the id of a plugin of Lumina itself";
  assert.match(await bench.refusal(() => bench.install("good", { conflict }), 5), /"sample": that is the id/);
  assert.match(await bench.refusal(() => bench.update("none"), 4), /no installed pack "none"/);
  await bench.install("good");
  await bench.files("good", { "manifest.json": manifestOf({ id: "other" }) });
  assert.match(await bench.refusal(() => bench.update(), 5), /"sample".*another pack now, "other"/);
  await Deno.remove(bench.dir.join("good"), { recursive: true });
  assert.match(await bench.refusal(() => bench.update(), 4), /"sample": there is no such folder/);
});

Deno.test("files that a pack's integrity does not name are left out and told", async () => {
  await using bench = await InstallBench.open();
  const files = packFiles({ integrity: { "mod.js": sha256(packFiles()["mod.js"]!) } });
  await bench.files("pack", { ...files, "src/mod.ts": "source", "README.md": "read" });
  const { left_out } = await bench.install("pack");
  assert.deepEqual(left_out, ["README.md", "src/mod.ts"]);
  assert.deepEqual(Object.keys(bench.record()["files"] as object), ["manifest.json", "mod.js"]);
});

Deno.test("an AppRoot that cannot be written is one line that names the pack", async () => {
  await using bench = await InstallBench.open();
  await bench.files("pack", packFiles());
  await Deno.writeTextFile(bench.app_root.userPluginsDir, "a file in the way");
  assert.match(
    await bench.refusal(() => bench.install("pack")),
    /^Pack "sample": cannot install it: .*nothing was changed$/,
  );
});
