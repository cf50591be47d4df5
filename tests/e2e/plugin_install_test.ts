import assert from "node:assert/strict";
import { join } from "node:path";
import { registryDocument } from "../support/install_bench.ts";
import { compiledProgram } from "../support/compiled_program.ts";
import { findDenort } from "../support/denort.ts";
import { tgz, zip } from "../support/pack_archives.ts";
import { runLumina } from "../support/run_lumina.ts";
import type { LuminaOptions, LuminaResult } from "../support/run_lumina.ts";
import { testWith } from "../support/skip.ts";
import { canMount, mountDisk, unmountDisk } from "../support/small_disk.ts";
import { tempDir } from "../support/temp_dir.ts";
import type { TempDir } from "../support/temp_dir.ts";

const NET = (hosts: string[]) => ({ kind: "net", hosts });

function pack(version: string, capabilities: unknown[] = [NET(["api.example.org"])]): Record<string, string> {
  const tool = {
    name: "Weather",
    description: "The weather",
    input_schema: { type: "object" },
    effect: "net",
  };
  const manifest = {
    id: "weather",
    version,
    api: 1,
    title: "Weather",
    kinds: ["tools"],
    entry: "mod.js",
    capabilities,
    contributes: { tools: [tool] },
  };
  const code = `export default { tools: { Weather: () => Promise.resolve({ content: "${version}" }) } };\n`;
  return { "manifest.json": JSON.stringify(manifest), "mod.js": code };
}

/** Every path below a folder with what it holds; what each start renews is left out. */
async function snapshot(root: string, below = ""): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for await (const { name, isDirectory } of Deno.readDir(join(root, below))) {
    const path = join(below, name);
    found[path] = isDirectory ? "folder" : await Deno.readTextFile(join(root, path));
    if (isDirectory) Object.assign(found, await snapshot(root, path));
  }
  return found;
}

/** The program with an AppRoot and a home of its own. */
function program(dir: TempDir, artifact?: string, more: LuminaOptions = {}) {
  return (...args: string[]): Promise<LuminaResult> =>
    runLumina(args, {
      app_root: dir.join("root"),
      cwd: dir.join("work"),
      ...(artifact === undefined ? {} : { artifact }),
      ...more,
      env: { HOME: dir.join("home"), ...more.env },
    });
}

async function workshop(): Promise<TempDir> {
  const dir = await tempDir();
  for (const folder of ["work", "home"]) await Deno.mkdir(dir.join(folder));
  return dir;
}

async function writePack(dir: TempDir, folder: string, files: Record<string, string>): Promise<void> {
  for (const [path, text] of Object.entries(files)) await dir.write(`${folder}/${path}`, text);
}

/** From an archive to no trace, with whichever program. */
async function archiveToNothing(dir: TempDir, artifact?: string): Promise<void> {
  const lumina = program(dir, artifact);
  const files = Object.entries(pack("1.0.0"));
  await dir.write("work/weather.zip", zip(files.map(([name, data]) => ({ name, data }))));
  await dir.write("work/weather.tgz", tgz(files.map(([path, body]) => ({ path: `package/${path}`, body }))));
  assert.equal((await lumina("plugin", "list")).code, 0);
  const before = await snapshot(dir.join("root"));

  const blocked = await lumina("plugin", "install", "weather.zip");
  assert.equal(blocked.code, 3);
  assert.match(blocked.stderr, /reach api\.example\.org/);
  assert.match(blocked.stderr, /lumina: Pack "weather": not installed, nothing was changed.*--yes/);
  assert.deepEqual(await snapshot(dir.join("root")), before);

  const installed = await lumina("plugin", "install", "weather.zip", "--yes");
  assert.equal(installed.code, 0, installed.stderr);
  assert.match(installed.stdout, /^weather 1\.0\.0: installed in .*\n {2}it may reach api\.example\.org\n$/);
  const { mode } = await Deno.stat(dir.join("root/config/plugins.json"));
  if (Deno.build.os !== "windows") assert.equal((mode ?? 0) & 0o777, 0o600);
  const listed = await lumina("plugin", "list");
  assert.match(listed.stdout, /weather/);

  const other = await lumina("plugin", "install", "weather.tgz", "--yes", "--json");
  const outcome = JSON.parse(other.stdout);
  assert.deepEqual([outcome.status, outcome.from, outcome.version], ["updated", "1.0.0", "1.0.0"]);
  await dir.write("root/data/plugins/weather/data/kept.txt", "mine");
  const asks = await lumina("plugin", "remove", "weather");
  assert.equal(asks.code, 3);
  assert.match(asks.stderr, /weather: .*plugins\/weather\/data\n/);
  const removed = await lumina("plugin", "remove", "weather", "--yes");
  assert.equal(removed.stdout, "weather 1.0.0: removed\n");
  assert.deepEqual(await snapshot(dir.join("root")), before, "no trace");
}

Deno.test("a pack is installed from archives after it was asked about, and removed without a trace", async () => {
  await using dir = await workshop();
  await archiveToNothing(dir);
});

testWith("so it is by the compiled program", await findDenort(), async ({ env }) => {
  await using dir = await workshop();
  await archiveToNothing(dir, await compiledProgram(env));
});

Deno.test("a package of a registry is updated to a version that asks for more only after it was asked about that", async () => {
  await using dir = await workshop();
  const tarball = (version: string, capabilities: unknown[]) =>
    tgz(
      Object.entries(pack(version, capabilities)).map(([path, body]) => ({ path: `package/${path}`, body })),
    );
  const versions: Record<string, Uint8Array> = { "1.0.0": tarball("1.0.0", [NET(["a.example.org"])]) };
  let registry = "";
  await using server: Deno.HttpServer<Deno.NetAddr> = Deno.serve({
    port: 0,
    hostname: "127.0.0.1",
    onListen: () => {},
  }, (request) => {
    const version = /\/-\/(.*)\.tgz$/.exec(request.url)?.[1];
    if (version !== undefined) return new Response(versions[version] as BodyInit);
    return Response.json(registryDocument("weather", registry, versions));
  });
  registry = `http://127.0.0.1:${server.addr.port}/`;
  await dir.write("home/.npmrc", `registry=${registry}\n`);
  await dir.write("work/.npmrc", "registry=http://127.0.0.1:9/\n"); // a project's own never counts
  const lumina = program(dir);
  const first = await lumina("plugin", "install", "npm:weather", "--yes");
  assert.equal(first.code, 0, first.stderr);
  assert.equal((await lumina("plugin", "update")).stdout, "weather 1.0.0: up to date\n");
  versions["1.1.0"] = tarball("1.1.0", [NET(["a.example.org"])]);
  assert.match((await lumina("plugin", "update")).stdout, /^weather 1\.0\.0 to 1\.1\.0: updated/);
  versions["2.0.0"] = tarball("2.0.0", [NET(["a.example.org", "b.example.org"])]);
  const blocked = await lumina("plugin", "update", "weather", "--json");
  assert.equal(blocked.code, 3);
  const question = JSON.parse(blocked.stdout);
  assert.deepEqual([question.asks, question.granted], [["reach b.example.org"], ["reach a.example.org"]]);
  assert.match(await dir.read("root/config/plugins/weather/mod.js"), /"1\.1\.0"/, "the old one stays");
  const updated = await lumina("plugin", "update", "weather", "--yes");
  assert.match(updated.stdout, /^weather 1\.1\.0 to 2\.0\.0: updated/);
  delete versions["2.0.0"];
  assert.match(
    (await lumina("plugin", "update")).stdout,
    /^weather 2\.0\.0 to 1\.1\.0 \(a downgrade\): updated/,
  );
  const gone = await lumina("plugin", "install", "npm:weather@7", "--yes");
  assert.deepEqual([gone.code, gone.stderr.split("\n").length], [4, 2]);
});

Deno.test("a pack of a project lies in the project with its record outside; a link in the repository leads nowhere", async () => {
  await using dir = await workshop();
  await writePack(dir, "pack", pack("1.0.0"));
  const lumina = program(dir);
  await lumina("plugin", "list");
  const before = [await snapshot(dir.join("root")), await snapshot(dir.join("work"))];
  const installed = await lumina("plugin", "install", dir.join("pack"), "--project", "--yes");
  assert.equal(installed.code, 0, installed.stderr);
  assert.match(await dir.read("work/.Lumina/plugins/weather/mod.js"), /1\.0\.0/);
  assert.ok(!Object.keys(await snapshot(dir.join("work"))).some((path) => path.endsWith("plugins.json")));
  assert.match((await lumina("plugin", "update")).stdout, /No plugin is installed here/, "the user has none");
  assert.match((await lumina("plugin", "update", "--project")).stdout, /up to date/);
  assert.equal((await lumina("plugin", "remove", "weather", "--project")).code, 0);
  assert.deepEqual([await snapshot(dir.join("root")), await snapshot(dir.join("work"))], before);
  await Deno.mkdir(dir.join("elsewhere"));
  await Deno.symlink(dir.join("elsewhere"), dir.join("work/.Lumina"));
  const linked = await lumina("plugin", "install", dir.join("pack"), "--project", "--yes");
  assert.equal(linked.code, 5);
  assert.match(linked.stderr, /is a link to/);
  assert.deepEqual(await snapshot(dir.join("elsewhere")), {});
});

Deno.test("a pack that takes the place of Lumina's own plugins or tools is refused", async () => {
  await using dir = await workshop();
  const files = pack("1.0.0");
  await writePack(dir, "id", {
    ...files,
    "manifest.json": files["manifest.json"]!.replace('"weather"', '"tools_fs"'),
  });
  await writePack(dir, "tool", {
    ...files,
    "manifest.json": files["manifest.json"]!.replace('"name":"Weather"', '"name":"Read"'),
  });
  const lumina = program(dir);
  for (
    const [folder, why] of [["id", /Pack "tools_fs": that is the id/], [
      "tool",
      /Pack "weather": its tool "Read"/,
    ]] as const
  ) {
    const refused = await lumina("plugin", "install", dir.join(folder), "--yes");
    assert.equal(refused.code, 5);
    assert.match(refused.stderr, why);
  }
});

testWith("a full disk is one line and leaves the pack that was there", await canMount(), async () => {
  await using dir = await workshop();
  await writePack(dir, "pack", pack("1.0.0"));
  await Deno.mkdir(dir.join("root"));
  assert.ok(await mountDisk(dir.join("root"), "2m"));
  try {
    const lumina = program(dir);
    const first = await lumina("plugin", "install", dir.join("pack"), "--yes");
    assert.equal(first.code, 0, first.stderr);
    const before = await snapshot(dir.join("root"));
    await writePack(dir, "pack", { ...pack("1.1.0"), "data/large.bin": "x".repeat(900_000) });
    // unpacking fits once, and its copy beside the old pack does not
    const fill = 2 * 1024 * 1024 - 1_300_000 -
      Object.values(before).reduce((sum, text) => sum + text.length + 4096, 0);
    await dir.write("root/cache/fill", "x".repeat(Math.max(0, fill)));
    const full = await lumina("plugin", "update");
    assert.equal(full.code, 1, full.stdout);
    assert.match(
      full.stderr,
      /^lumina: Pack "weather": cannot update it: .*make room on the disk.*nothing was changed\n$/,
    );
    const { "cache/fill": _, ...after } = await snapshot(dir.join("root"));
    assert.deepEqual(after, before);
  } finally {
    await unmountDisk(dir.join("root"));
  }
});
