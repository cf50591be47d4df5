// deno-lint-ignore-file no-sync-fn-in-async-fn -- a few small files of one test, in order
import assert from "node:assert/strict";
import { join } from "node:path";
import { appRootPaths, projectIdentity } from "../../app_root/mod.ts";
import { systemWorld } from "../../base/mod.ts";
import { PackStore } from "../../plugin_host/packs/mod.ts";
import { ProjectTrust } from "./trust.ts";

/** A project, an app root, and the trust between them. */
class Place implements Disposable {
  readonly root = Deno.realPathSync(Deno.makeTempDirSync());
  readonly project = join(this.root, "ws");
  readonly packs = join(this.project, ".Lumina", "plugins");
  readonly app_root = appRootPaths(join(this.root, "app"));

  constructor() {
    Deno.mkdirSync(this.packs, { recursive: true });
  }

  get trust(): ProjectTrust {
    return new ProjectTrust(this.app_root, projectIdentity(this.project), systemWorld);
  }

  pack(id: string, change: Record<string, unknown> = {}): string {
    const directory = join(this.packs, id);
    Deno.mkdirSync(directory, { recursive: true });
    const manifest = {
      id,
      version: "1.0.0",
      api: 1,
      title: id,
      kinds: ["tools"],
      entry: "mod.js",
      capabilities: [{ kind: "net", hosts: ["api.example.com"] }],
      contributes: {
        tools: [{ name: `t_${id}`, description: "x", input_schema: { type: "object" }, effect: "read" }],
      },
      ...change,
    };
    Deno.writeTextFileSync(join(directory, "manifest.json"), JSON.stringify(manifest));
    Deno.writeTextFileSync(join(directory, "mod.js"), "export default { tools: {} };");
    return directory;
  }

  settings(text: string): void {
    Deno.mkdirSync(join(this.project, ".Lumina", "CONFIG"), { recursive: true });
    Deno.writeTextFileSync(join(this.project, ".Lumina", "CONFIG", "defaults.json"), text);
  }

  /** What the store makes of a pack of the project. */
  problem(id: string): string | undefined {
    const store = new PackStore({
      app_root: this.app_root,
      project: projectIdentity(this.project),
      bundled: [],
      bundled_dir: "/none",
      version: "0",
    });
    const pack = store.discover({ trusted: true }).packs.find((pack) => pack.id === id);
    return pack?.enabled === true ? undefined : pack?.problem ?? "absent";
  }

  async states(): Promise<string[]> {
    return (await this.trust.look()).report.items.map(({ name, state }) => `${name} ${state}`);
  }

  [Symbol.dispose](): void {
    Deno.removeSync(this.root, { recursive: true });
  }
}

Deno.test("look() shows packs with what they may do, and settings beyond the harmless ones", async () => {
  using place = new Place();
  place.pack("weather");
  place.settings(
    '{ "max_parent_turns": 5000, "effort": "low", "permissions": { "deny": ["Bash"] }, "api_key": "k" }',
  );
  const { report } = await place.trust.look();
  assert.deepEqual(report.items.map(({ kind, name, lines, state }) => ({ kind, name, lines, state })), [
    {
      kind: "plugin",
      name: "weather",
      lines: ["version 1.0.0: weather", "may reach api.example.com"],
      state: "new",
    },
    { kind: "setting", name: "max_parent_turns", lines: ["5000"], state: "new" },
  ]);
  assert.deepEqual(report.problems, []);
});

Deno.test("an answer holds until anything changes, and the next look says what did", async () => {
  using place = new Place();
  const directory = place.pack("weather");
  place.settings('{ "max_parent_turns": 5 }');
  await place.trust.accept(await place.trust.look());
  assert.deepEqual(await place.states(), ["weather trusted", "max_parent_turns trusted"]);
  assert.equal(place.problem("weather"), undefined);

  Deno.writeTextFileSync(join(directory, "mod.js"), "export default { tools: { evil() {} } };");
  Deno.writeTextFileSync(join(directory, "more.js"), "");
  place.settings('{ "max_parent_turns": 6 }');
  const { report } = await place.trust.look();
  assert.deepEqual(report.items.map(({ state }) => state), ["changed", "changed"]);
  assert.deepEqual(report.items[0]?.lines.slice(2), ["mod.js has changed", "more.js is new"]);
  assert.match(place.problem("weather") ?? "", /mod\.js has changed/);
});

Deno.test("a version that asks for more says so", async () => {
  using place = new Place();
  place.pack("weather");
  await place.trust.accept(await place.trust.look());
  place.pack("weather", { version: "2.0.0", capabilities: ["fs.write"] });
  const [item] = (await place.trust.look()).report.items;
  assert.equal(item?.state, "changed");
  assert.ok(item?.lines.includes("may change files of the workspace (NEW)"), item?.lines.join("\n"));
  assert.ok(item?.lines.includes("no longer asks to reach api.example.com"));
});

Deno.test("a yes holds for the bytes that were shown: what was swapped meanwhile does not run", async () => {
  using place = new Place();
  const directory = place.pack("weather");
  const shown = await place.trust.look();
  Deno.writeTextFileSync(join(directory, "mod.js"), "export default { tools: { evil() {} } };");
  await place.trust.accept(shown);
  assert.match(place.problem("weather") ?? "", /mod\.js has changed since it was approved/);
  assert.deepEqual(await place.states(), ["weather changed"]);
});

Deno.test("taken back, nothing of the project is trusted until it is trusted again", async () => {
  using place = new Place();
  place.pack("weather");
  place.settings('{ "max_parent_turns": 5 }');
  assert.equal(await place.trust.revoke(), false);
  await place.trust.accept(await place.trust.look());
  assert.equal(place.trust.trustedSettings().size, 1);
  assert.equal(await place.trust.revoke(), true);
  assert.deepEqual(await place.states(), ["weather new", "max_parent_turns new"]);
  assert.equal(place.trust.trustedSettings().size, 0);
  await place.trust.accept(await place.trust.look());
  assert.deepEqual(await place.states(), ["weather trusted", "max_parent_turns trusted"]);
});

Deno.test("what cannot be looked at is a problem, and the rest can still be trusted", async () => {
  using place = new Place();
  place.pack("good");
  const elsewhere = join(place.root, "elsewhere");
  Deno.renameSync(place.pack("linked"), elsewhere);
  Deno.symlinkSync(elsewhere, join(place.packs, "linked"));
  Deno.symlinkSync("/etc/passwd", join(place.pack("with_link"), "data.txt"));
  Deno.truncateSync(await emptyFile(join(place.pack("huge"), "big.bin")), 200 * 1024 ** 3);
  Deno.writeTextFileSync(join(place.pack("broken"), "manifest.json"), "{");
  await new Deno.Command("mkfifo", { args: [join(place.pack("pipe"), "queue")] }).output();
  Deno.mkdirSync(join(place.packs, "bad\u001b[2Jname\nforged: trusted"));
  const deep = join(place.pack("deep"), ...Array.from({ length: 40 }, () => "d"));
  Deno.mkdirSync(deep, { recursive: true });
  Deno.writeTextFileSync(join(deep, "f"), "");

  const look = await place.trust.look();
  assert.deepEqual(look.report.items.map(({ name }) => name), ["good"]);
  const { problems } = look.report;
  for (
    const words of [
      /"linked": .* is a link$/,
      /"with_link": data\.txt is a link/,
      /"huge": it has \d+ bytes, and at most/,
      /"broken": manifest\.json is not valid JSON/,
      /"pipe": queue is no plain file/,
      /"deep": d\/.* lies more than 32 folders deep/,
    ]
  ) assert.ok(problems.some((line) => words.test(line)), `${words} in ${problems.join("\n")}`);
  // deno-lint-ignore no-control-regex -- that none is there is the claim
  assert.ok(problems.every((line) => !/[\x00-\x1f]/.test(line)), JSON.stringify(problems));
  await place.trust.accept(look);
  assert.equal(place.problem("good"), undefined);
});

Deno.test("nothing that is decided on is left out of what is shown, and nothing is named by what is not its id", async () => {
  using place = new Place();
  const paths = [...Array.from({ length: 60 }, (_, index) => `/srv/harmless/${index}`), "~/.ssh"];
  place.pack("long", { capabilities: [{ kind: "fs.read", paths }] });
  const endless = Array.from({ length: 1_000 }, (_, index) => `/srv/harmless/${index}`);
  place.pack("endless", { capabilities: [{ kind: "fs.read", paths: endless }] });
  place.settings(JSON.stringify({
    project_doc_filenames: [`${"m".repeat(500)}-end`],
    max_parent_turns: "y".repeat(20_000),
  }));
  Deno.renameSync(place.pack("forged"), join(place.packs, "forged\n  plugin good (trusted)"));
  const { items, problems } = (await place.trust.look()).report;
  assert.deepEqual(items.map(({ name }) => name), ["long", "project_doc_filenames"]);
  assert.match(items[0]?.lines.join("") ?? "", /\/srv\/harmless\/59(?:,| and) ~\/\.ssh/);
  assert.match(items[1]?.lines.join("") ?? "", /-end"\]$/);
  assert.ok(items.every(({ lines }) => lines.every((line) => line.length <= 300)));
  assert.ok(problems.some((line) => /"endless": what it asks for has \d+ characters/.test(line)));
  assert.ok(problems.some((line) => /^Setting max_parent_turns: its value has \d+ characters/.test(line)));
  assert.ok(problems.some((line) => /forged.*: its id is "forged"/.test(line)), problems.join("\n"));
});

Deno.test("hundreds of packs are not looked at one by one", async () => {
  using place = new Place();
  for (let index = 0; index < 120; index++) Deno.mkdirSync(join(place.packs, `p${index}`));
  const { problems } = (await place.trust.look()).report;
  assert.ok(
    problems.some((line) => line.endsWith("holds more than 100 packs: the others are not looked at")),
  );
});

Deno.test("a torn or foreign trust.json counts as no answer", async () => {
  using place = new Place();
  place.settings('{ "max_parent_turns": 5 }');
  await place.trust.accept(await place.trust.look());
  const file = join(place.app_root.projectDir(projectIdentity(place.project).id), "trust.json");
  assert.equal((Deno.statSync(file).mode ?? 0) & 0o777, 0o600);
  for (
    const text of [
      '{ "version": 1, "ite',
      '{ "version": 2 }',
      "null",
      '{"version":1,"decision":"trusted","items":[1]}',
    ]
  ) {
    Deno.writeTextFileSync(file, text);
    assert.deepEqual(await place.states(), ["max_parent_turns new"], text);
  }
});

async function emptyFile(path: string): Promise<string> {
  await Deno.writeTextFile(path, "");
  return path;
}
