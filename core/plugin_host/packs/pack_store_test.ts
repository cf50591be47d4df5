import assert from "node:assert/strict";
import { join } from "node:path";
import { appRootPaths, projectIdentity } from "../../app_root/mod.ts";
import { ToolCatalog } from "../catalog.ts";
import { packEntry } from "./pack_entry.ts";
import { approvedRecord, reviewPack } from "./pack_review.ts";
import { PackStore } from "./pack_store.ts";
import { parseManifest } from "./parse_manifest.ts";

const manifest = (id: string, change: Record<string, unknown> = {}) => ({
  id,
  version: "1.0.0",
  api: 1,
  title: id,
  kinds: ["tools"],
  entry: "mod.js",
  capabilities: ["fs.read"],
  contributes: {
    tools: [{ name: `look_${id}`, description: "Looks", input_schema: { type: "object" }, effect: "read" }],
  },
  ...change,
});

class Place implements Disposable {
  readonly root = Deno.realPathSync(Deno.makeTempDirSync());
  readonly app_root = appRootPaths(join(this.root, "app"));
  readonly user = this.app_root.userPluginsDir;
  readonly workspace = join(this.root, "ws");
  readonly project_packs = join(this.workspace, ".Lumina", "plugins");
  readonly store: PackStore;

  constructor() {
    Deno.mkdirSync(this.workspace);
    this.store = this.open("1.0.0");
  }

  open(version: string): PackStore {
    return new PackStore({
      app_root: this.app_root,
      project: projectIdentity(this.workspace),
      bundled: [parseManifest(JSON.stringify(manifest("own")), "own")],
      bundled_dir: "/program/plugins",
      version,
    });
  }

  write(folder: string, id: string, change: Record<string, unknown> = {}): string {
    const directory = join(folder, id);
    Deno.mkdirSync(directory, { recursive: true });
    Deno.writeTextFileSync(join(directory, "manifest.json"), JSON.stringify(manifest(id, change)));
    Deno.writeTextFileSync(join(directory, "mod.js"), `export default { tools: {} }; // ${id}`);
    return directory;
  }

  async approve(id: string, scope: "user" | "project" = "user"): Promise<void> {
    const directory = join(this.store.directory(scope) ?? "", id);
    const records = this.store.records(scope);
    const review = await reviewPack(directory, id, records.read().packs.get(id));
    records.update((packs) =>
      packs.set(id, approvedRecord(review, { kind: "path", value: directory }, 0, "1.0.0"))
    );
  }

  /** Its line, or how it stands. */
  state(id: string, trusted = true): string | undefined {
    const pack = this.store.discover({ trusted }).packs.findLast((pack) => pack.id === id);
    return pack?.problem ?? (pack?.enabled ? "on" : pack?.shadowed_by ?? "off");
  }

  [Symbol.dispose](): void {
    Deno.removeSync(this.root, { recursive: true });
  }
}

Deno.test("a pack runs once it is approved, and what it is granted is what it asked for", async () => {
  using place = new Place();
  place.write(place.user, "a");
  assert.match(
    place.state("a") ?? "",
    /^Pack "a": nobody has granted .* lumina plugin trust a shows it and asks$/,
  );
  await place.approve("a");
  assert.equal(place.state("a"), "on");
  const pack = place.store.discover({ trusted: false }).packs.find(({ id }) => id === "a");
  assert.deepEqual(pack?.grant, ["fs.read"]);
  assert.equal(pack?.data_dir, join(place.app_root.dataDir, "plugins", "a", "data"));
  assert.match(new TextDecoder().decode(await packEntry(pack!)), /^export default .* a$/);
  assert.equal((await Deno.stat(place.store.records("user").file)).mode! & 0o777, 0o600);
});

Deno.test("bytes that changed switch a pack off, and the line names the file", async () => {
  using place = new Place();
  const directory = place.write(place.user, "a");
  await Deno.mkdir(join(directory, "data"));
  await Deno.writeTextFile(join(directory, "data", "words.txt"), "one");
  await place.approve("a");
  await Deno.writeTextFile(join(directory, "mod.js"), "evil");
  assert.match(
    place.state("a") ?? "",
    /^Pack "a": mod.js has changed since it was approved: lumina plugin trust a /,
  );
  place.write(place.user, "a");
  assert.equal(place.state("a"), "on", "the approved bytes again");
  await Deno.writeTextFile(join(directory, "more.js"), "");
  assert.match(place.state("a") ?? "", /more.js is new since/);
  await Deno.remove(join(directory, "more.js"));
  await Deno.remove(join(directory, "data", "words.txt"));
  assert.match(place.state("a") ?? "", /data\/words.txt is missing since/);
  place.write(place.user, "a", { title: "other" });
  assert.match(place.state("a") ?? "", /is missing \(and 1 more\) since|manifest.json has changed/);
  place.write(place.user, "a", { capabilities: ["fs.read", "ask"] });
  assert.match(place.state("a") ?? "", /it asks for other capabilities than were granted/);
  await Deno.symlink("/etc/hostname", join(directory, "link"));
  assert.match(place.state("a") ?? "", /^Pack "a": link is a link, and a pack holds plain files only$/);
});

Deno.test("a module whose bytes change behind an equal look does not run", async () => {
  using place = new Place();
  const directory = place.write(place.user, "a");
  await place.approve("a");
  const found = place.store.discover({ trusted: true }).packs.find(({ id }) => id === "a")!;
  await Deno.writeTextFile(join(directory, "mod.js"), "export default { tools: {} }; // b");
  await assert.rejects(packEntry(found), {
    code: "plugin.changed",
    message: /mod.js is not what was approved/,
  });
});

Deno.test("equal bytes with another look are read once, and the next start need not", async () => {
  using place = new Place();
  const directory = place.write(place.user, "a");
  await place.approve("a");
  await Deno.utime(join(directory, "mod.js"), 1, 1);
  const before = place.store.records("user").read().packs.get("a")?.stamps;
  assert.equal(place.state("a"), "on");
  const after = place.store.records("user").read().packs.get("a")?.stamps;
  assert.notDeepEqual(after, before);
  // a file that looks new beside one that has changed vouches for nothing
  place.write(place.user, "a");
  await Deno.writeTextFile(join(directory, "mod.js"), "evil");
  for (let start = 0; start < 2; start++) assert.match(place.state("a") ?? "", /mod.js has changed/);
  place.write(place.user, "a");
  place.open("2.0.0").discover({ trusted: true });
  assert.equal(place.store.records("user").read().packs.get("a")?.checked_by, "2.0.0");
});

Deno.test("bundled, then user, then project: the first one of an id is used, the others say who stands before them", async () => {
  using place = new Place();
  place.write(place.user, "own");
  place.write(place.user, "both");
  place.write(place.project_packs, "both");
  place.write(place.project_packs, "here");
  await place.approve("both");
  await place.approve("here", "project");
  const { packs, problems } = place.store.discover({ trusted: true });
  assert.deepEqual(
    packs.map(({ id, scope, enabled, shadowed_by }) => [id, scope, enabled, shadowed_by]),
    [
      ["own", "bundled", true, undefined],
      ["both", "user", true, undefined],
      ["own", "user", false, "bundled"],
      ["both", "project", false, "user"],
      ["here", "project", true, undefined],
    ],
  );
  assert.deepEqual(problems, []);
  const here = packs.at(-1);
  assert.equal(
    here?.data_dir.startsWith(place.app_root.projectDir(projectIdentity(place.workspace).id)),
    true,
  );
});

Deno.test("packs of a project that is not trusted do not run", async () => {
  using place = new Place();
  place.write(place.project_packs, "here");
  await place.approve("here", "project");
  assert.match(place.state("here", false) ?? "", /^Pack "here": the project is not trusted: lumina trust /);
  assert.equal(place.state("here", true), "on");
  const outside = place.write(place.root, "elsewhere");
  await Deno.symlink(outside, join(place.project_packs, "elsewhere"));
  const { problems } = place.store.discover({ trusted: true });
  assert.match(problems[0]?.message ?? "", /^Pack "elsewhere": .* is a link: lumina plugin install PATH/);
});

Deno.test("a damaged record is one line, its packs count as not granted, and a new one keeps the old beside it", async () => {
  using place = new Place();
  place.write(place.user, "a");
  await place.approve("a");
  const { file } = place.store.records("user");
  for (
    const text of ["{", "[]", '{"version":1}', '{"version":9,"packs":{}}', '{"version":1,"packs":{"a":{}}}']
  ) {
    await Deno.writeTextFile(file, text);
    const { problems, packs } = place.store.discover({ trusted: true });
    assert.equal(problems.length, 2, text);
    assert.ok(problems[0]?.message.startsWith(`${file}: `) && !problems[0].message.includes("\n"), text);
    assert.deepEqual(packs.find(({ id }) => id === "a")?.grant, []);
  }
  await place.approve("a");
  assert.equal(place.state("a"), "on");
  assert.equal(await Deno.readTextFile(`${file}.damaged`), '{"version":1,"packs":{"a":{}}}');
});

Deno.test("what is no pack is a line with its name, and the others are found all the same", async () => {
  using place = new Place();
  place.write(place.user, "good");
  await place.approve("good");
  place.write(place.user, "other_name", { id: "renamed" });
  place.write(place.user, "future", { api: 2 });
  place.write(place.user, "hooked", { kinds: ["team"], contributes: { team: { teams: ["a"] } } });
  await Deno.mkdir(join(place.user, "empty"));
  await Deno.mkdir(join(place.user, ".staging"));
  await Deno.writeTextFile(join(place.user, "README.md"), "");
  const { packs, problems } = place.store.discover({ trusted: true });
  assert.equal(packs.find(({ id }) => id === "good")?.enabled, true);
  assert.deepEqual(problems.map(({ pack }) => pack).sort(), ["empty", "future", "hooked", "other_name"]);
  for (const { pack, message } of problems) assert.match(message, new RegExp(`^Pack "(${pack}|renamed)": `));
});

Deno.test("records of two processes at once are both kept", async () => {
  using place = new Place();
  const source = `
    import { PackRecords } from ${JSON.stringify(new URL("pack_record.ts", import.meta.url).href)};
    const [file, prefix] = Deno.args;
    for (let n = 0; n < 20; n++) {
      new PackRecords(file).update((packs) => packs.set(prefix + n, { version: "1.0.0", source: { kind: "path",
        value: "/x" }, files: {}, stamps: {}, manifest_hash: "", checked_by: "", granted: [], enabled: true,
        installed_at: "" }));
    }`;
  const script = join(place.root, "update.ts");
  await Deno.writeTextFile(script, source);
  const { file } = place.store.records("user");
  const config = new URL("../../../deno.json", import.meta.url).pathname;
  const one = (prefix: string) =>
    new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", "--quiet", "--config", config, script, file, prefix],
    }).output();
  for (const { success, stderr } of await Promise.all([one("a"), one("b")])) {
    assert.ok(success, new TextDecoder().decode(stderr));
  }
  assert.equal(place.store.records("user").read().packs.size, 40);
});

Deno.test("a pack's tool with the name or alias of an earlier one is not offered, and the line names both", async () => {
  using place = new Place();
  const tool = (name: string, aliases: string[] = []) => ({
    name,
    aliases,
    description: "Looks",
    input_schema: { type: "object" },
    effect: "read",
  });
  place.write(place.user, "a", { contributes: { tools: [tool("first", ["second"]), tool("look_own")] } });
  place.write(place.user, "b", { contributes: { tools: [tool("second"), tool("third")] } });
  await place.approve("a");
  await place.approve("b");
  const { packs } = place.store.discover({ trusted: true });
  const bundled = new ToolCatalog([parseManifest(JSON.stringify(manifest("own")), "own")]);
  const catalog = bundled.withPacks(packs);
  assert.deepEqual(catalog.tools.map(({ name }) => name), ["first", "look_own", "third"]);
  assert.equal(catalog.find("look_own")?.plugin, "own");
  assert.equal(catalog.find("second")?.pack?.id, "a");
  assert.deepEqual(catalog.problems.map(({ message }) => message), [
    'Pack "a": its tool look_own is not offered, because own has a tool "look_own"',
    'Pack "b": its tool second is not offered, because a has a tool "second"',
  ]);
});

Deno.test("names that a person would not see as they are neither count nor reach a message as they are", async () => {
  using place = new Place();
  const forged = "good\n  plugin other (trusted)";
  await Deno.mkdir(join(place.user, forged), { recursive: true });
  place.write(place.user, "files");
  await place.approve("files");
  await Deno.writeTextFile(join(place.user, "files", "a\u202eb\n.txt"), "x");
  const { packs, problems } = place.store.discover({ trusted: true });
  assert.deepEqual(packs.map(({ id, enabled }) => [id, enabled]), [["own", true], ["files", false]]);
  assert.equal(problems.length, 2);
  for (const { message } of problems) {
    assert.match(message, /has a control or invisible character in its name/);
    assert.doesNotMatch(message, /[\p{Cc}\p{Cf}]/u);
  }
});

Deno.test("reviewPack() refuses a folder whose name is not the pack's id", async () => {
  using place = new Place();
  const directory = place.write(place.project_packs, "good");
  const other = join(place.project_packs, "good\n  plugin other (trusted)");
  await Deno.rename(directory, other);
  await assert.rejects(
    reviewPack(other, "good\n  plugin other (trusted)", undefined),
    /^LuminaError: Pack "good\\n {2}plugin other \(trusted\)": its id is "good"/,
  );
});

Deno.test("a tool that differs from an earlier one by case alone is not offered either", async () => {
  using place = new Place();
  const tool = { name: "LOOK_own", description: "Looks", input_schema: { type: "object" }, effect: "read" };
  place.write(place.user, "a", { contributes: { tools: [tool] } });
  await place.approve("a");
  const bundled = new ToolCatalog([parseManifest(JSON.stringify(manifest("own")), "own")]);
  const catalog = bundled.withPacks(place.store.discover({ trusted: true }).packs);
  assert.deepEqual(catalog.tools.map(({ name }) => name), ["look_own"]);
  assert.match(catalog.problems[0]?.message ?? "", /its tool LOOK_own is not offered, because own has/);
});
