import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { PACK_LIMITS } from "../../core/plugin_host/install/entry_list.ts";
import { readEntries } from "../../core/plugin_host/install/read_entries.ts";
import { stagePack } from "../../core/plugin_host/install/staged_pack.ts";
import type { StagedPack } from "../../core/plugin_host/install/staged_pack.ts";
import { parseManifest } from "../../core/plugin_host/packs/mod.ts";
import { joined, paxPath, tar, tarEntry, tgz, zip } from "../support/pack_archives.ts";
import type { TarEntry, ZipEntry } from "../support/pack_archives.ts";
import { tempDir } from "../support/temp_dir.ts";
import type { TempDir } from "../support/temp_dir.ts";

const MANIFEST = JSON.stringify({
  id: "sample",
  version: "1.0.0",
  api: 1,
  title: "Sample",
  kinds: ["tools"],
  entry: "mod.js",
  contributes: {
    tools: [{ name: "Sample", description: "A sample", input_schema: { type: "object" }, effect: "none" }],
  },
});
const MODULE = "export default { tools: {} };\n";

const TAR_PACK: TarEntry[] = [{ path: "manifest.json", body: MANIFEST }, { path: "mod.js", body: MODULE }];
const ZIP_PACK: ZipEntry[] = [{ name: "manifest.json", data: MANIFEST }, { name: "mod.js", data: MODULE }];

async function stage(dir: TempDir, bytes: Uint8Array): Promise<StagedPack> {
  await dir.write("archive", bytes);
  return await stagePack(
    await readEntries(dir.join("archive")),
    dir.join("pack"),
    (text) => parseManifest(text, "x"),
  );
}

/** What an archive is refused for; fails when anything of it was written. */
async function refusal(bytes: Uint8Array): Promise<string> {
  await using dir = await tempDir();
  let message = "";
  try {
    await stage(dir, bytes);
  } catch (error) {
    assert.ok(error instanceof Error);
    message = error.message;
  }
  assert.notEqual(message, "", "it was taken");
  assert.deepEqual(
    (await Array.fromAsync(Deno.readDir(dir.path))).map(({ name }) => name),
    ["archive"],
    message,
  );
  assert.ok(!/[\n\0]/.test(message), "one line");
  return message;
}

/** Refuses a path in both formats. */
async function refusesPath(path: string, why: RegExp): Promise<void> {
  assert.match(await refusal(tgz([...TAR_PACK, { path, body: "x" }])), why, `tar ${JSON.stringify(path)}`);
  assert.match(
    await refusal(zip([...ZIP_PACK, { name: path, data: "x" }])),
    why,
    `zip ${JSON.stringify(path)}`,
  );
}

Deno.test("a whole pack comes out of each archive format with private modes, whatever modes the archive names", async () => {
  const folder: TarEntry = { path: "data/", type: "5" };
  const data: TarEntry = { path: "data/a.txt", body: "a", mode: 0o4777 };
  for (
    const bytes of [
      tar([...TAR_PACK, folder, data]),
      tgz([...TAR_PACK, folder, data]),
      tgz([
        { path: "./", type: "5" },
        ...TAR_PACK.map((entry) => ({ ...entry, path: `./${entry.path}` })),
        data,
      ]),
      tgz([...TAR_PACK, data].map((entry) => ({ ...entry, path: `package/${entry.path}` }))),
      zip([...ZIP_PACK, { name: "data/", mode: 0o040755 }, {
        name: "data/a.txt",
        data: "a",
        mode: 0o104777,
      }]),
      zip([...ZIP_PACK, { name: "data/a.txt", data: "a", stored: true }, {
        name: "__MACOSX/._mod.js",
        data: "x",
      }]),
    ]
  ) {
    await using dir = await tempDir();
    const { manifest, files } = await stage(dir, bytes);
    assert.equal(manifest.id, "sample");
    assert.deepEqual(Object.keys(files), ["data/a.txt", "manifest.json", "mod.js"]);
    assert.equal(await dir.read("pack/mod.js"), MODULE);
    if (Deno.build.os === "windows") continue;
    for (const [path, mode] of [["pack", 0o700], ["pack/data", 0o700], ["pack/data/a.txt", 0o600]] as const) {
      assert.equal((await Deno.stat(dir.join(path))).mode! & 0o7777, mode, path);
    }
  }
});

Deno.test("paths that lead out of the pack are refused before anything is written", async () => {
  for (const path of ["../x", "a/../../x", "a/b/../c", "..", "data/.."]) {
    await refusesPath(path, /leads out of the pack/);
  }
  await refusesPath("/etc/passwd", /absolute/);
  await refusesPath("//server/share/x", /absolute/);
  await refusesPath("C:/x", /drive letter/);
  await refusesPath("c:x", /drive letter/);
  await refusesPath("..\\x", /backslash/);
  await refusesPath("a\\b", /backslash/);
  await refusesPath("~/x", /begins with "~"/);
  await refusesPath("a//b", /empty part/);
  await refusesPath("a/./b", /empty part/);
});

Deno.test("names that a system takes for something else are refused", async () => {
  for (
    const path of [
      "CON",
      "nul",
      "aux.txt",
      "data/COM1.js",
      "lpt9",
      "PRN .txt",
      "com¹",
      "clock$",
      "NUL.tar.gz",
    ]
  ) {
    await refusesPath(path, /name of a device/);
  }
  await refusesPath("a\tb", /control character/);
  await refusesPath("a\x1b[2Jb", /control character/);
  await refusesPath("a\u0085b", /control character/);
  await refusesPath("a\u202eb", /invisible/);
  await refusesPath("a\u200bb", /invisible/);
  await refusesPath("ab:c", /one of </);
  await refusesPath("file.js:stream", /one of </);
  await refusesPath("a*", /one of </);
  await refusesPath("data./x", /dot or a space/);
  await refusesPath("data /x", /dot or a space/);
  assert.match(await refusal(zip([...ZIP_PACK, { name: "a\0b", data: "x" }])), /NUL/);
  assert.match(await refusal(tar([...TAR_PACK, paxPath("a\0b"), { path: "a", body: "x" }])), /NUL/);
  const long_name: TarEntry = { path: "././@LongLink", type: "L", body: "a\0../b\0" };
  assert.match(await refusal(tar([...TAR_PACK, long_name, { path: "a", body: "x" }])), /NUL/);
  assert.match(await refusal(tar([...TAR_PACK, paxPath("../b"), { path: "a", body: "x" }])), /leads out/);
  const broken = new Uint8Array([0x61, 0xff, 0xfe]);
  assert.match(await refusal(zip([...ZIP_PACK, { name: broken, data: "x" }])), /no UTF-8/);
  await refusesPath("d/".repeat(40) + "x", /folders deep/);
});

Deno.test("links, hard links, devices and a file through a link are refused", async () => {
  const link: TarEntry = { path: "out", type: "2", link: "/etc" };
  assert.match(await refusal(tgz([...TAR_PACK, link])), /"out" is a link/);
  assert.match(await refusal(tgz([link, { path: "out/passwd", body: "x" }, ...TAR_PACK])), /"out" is a link/);
  assert.match(await refusal(tgz([...TAR_PACK, { path: "l", type: "2", link: "mod.js" }])), /is a link/);
  assert.match(await refusal(tgz([...TAR_PACK, { path: "h", type: "1", link: "mod.js" }])), /is a hard link/);
  for (const type of ["3", "4", "6"]) {
    assert.match(await refusal(tgz([...TAR_PACK, { path: "d", type }])), /no regular file/);
  }
  assert.match(
    await refusal(tgz([...TAR_PACK, { path: "d", type: "S" }])),
    /no regular file/,
    "an unknown type",
  );
  assert.match(await refusal(zip([...ZIP_PACK, { name: "l", data: "/etc", mode: 0o120777 }])), /is a link/);
  assert.match(await refusal(zip([...ZIP_PACK, { name: "f", mode: 0o010644 }])), /no regular file/);
  await using dir = await tempDir();
  await dir.write("p/manifest.json", MANIFEST);
  await dir.write("p/mod.js", MODULE);
  await Deno.symlink("/etc", dir.join("p/out"));
  const read = await readEntries(dir.join("p"));
  await assert.rejects(
    stagePack(read, dir.join("pack"), (text) => parseManifest(text, "x")),
    /"out" is a link/,
  );
  await assert.rejects(Deno.stat(dir.join("pack")), Deno.errors.NotFound);
});

Deno.test("two entries that some file system takes as one are refused", async () => {
  for (
    const [a, b] of [["data/A", "data/a"], ["caf\u00e9", "cafe\u0301"], ["Data/x", "data/y"], [
      "stra\u00dfe",
      "STRASSE",
    ]]
  ) {
    const why = /one name where case or Unicode form does not count/;
    assert.match(await refusal(tgz([...TAR_PACK, { path: a!, body: "" }, { path: b!, body: "" }])), why);
    assert.match(await refusal(zip([...ZIP_PACK, { name: a! }, { name: b! }])), why);
  }
  await refusesPath("mod.js", /is there twice/);
  await refusesPath("mod.js/x", /a file and a folder/);
  assert.match(
    await refusal(tgz([{ path: "a/b", body: "" }, { path: "a", body: "" }, ...TAR_PACK])),
    /a file and a folder/,
  );
});

Deno.test("a package.json that leads out of the pack is refused", async () => {
  for (
    const fields of [
      { main: "../../x.js" },
      { main: "lib/../../x.js" },
      { exports: { ".": { import: "./../x.js" } } },
      { bin: { x: "/bin/sh" } },
      { module: "..\\x.js" },
      { imports: { "#a": ["file:///etc/passwd"] } },
    ]
  ) {
    const body = JSON.stringify(fields);
    assert.match(
      await refusal(tgz([...TAR_PACK, { path: "package.json", body }])),
      /leads out of the pack/,
      body,
    );
    assert.match(
      await refusal(zip([...ZIP_PACK, { name: "package.json", data: body }])),
      /leads out of the pack/,
    );
  }
  const own = [...TAR_PACK, { path: "package.json", body: '{"main":"../mod.js"}' }];
  const inside = own.map((entry) => ({ ...entry, path: `package/${entry.path}` }));
  assert.match(
    await refusal(tgz(inside)),
    /leads out of the pack/,
    "out of the pack, not out of the archive",
  );
  await using dir = await tempDir();
  const body = '{"main":"./mod.js","type":"module"}';
  await stage(dir, tgz([...TAR_PACK, { path: "package.json", body }]));
});

Deno.test("a bomb is stopped at its first megabytes", async () => {
  const { file_bytes, entries } = PACK_LIMITS;
  assert.match(
    await refusal(tgz([...TAR_PACK, { path: "big", size: 8 * 1024 ** 3 - 1 }])),
    /more than 64 MiB/,
  );
  // 170 files of 60 MiB zeros: 10 GB in ten megabytes, made of gzip members that are packed once. The end is broken, which
  // whoever unpacks it all would meet.
  const broken = new Uint8Array([0x1f, 0x8b, ...new Uint8Array(1000).fill(7)]);
  const zeros = gzipSync(new Uint8Array(60 * 1024 * 1024));
  const members = Array.from({ length: 170 }, (_, index) => [
    gzipSync(tarEntry({ path: `zeros${index}`, size: 60 * 1024 * 1024 })),
    zeros,
  ]);
  const bomb = joined([
    gzipSync(joined(TAR_PACK.map(tarEntry))),
    ...members.flat(),
    broken,
  ]);
  assert.match(await refusal(bomb), /looks like a bomb/);
  assert.match(
    await refusal(joined([...Array.from({ length: 170 }, () => zeros), broken])),
    /looks like a bomb/,
    "nothing but zeros",
  );
  assert.match(await refusal(gzipSync(bomb.subarray(0, 4096))), /no tar archive/, "packed twice");
  const packed = new Uint8Array(10 * 1024 * 1024);
  assert.match(await refusal(zip([...ZIP_PACK, { name: "zeros", data: packed }])), /looks like a bomb/);
  assert.match(
    await refusal(zip([...ZIP_PACK, { name: "big", data: "x", size: file_bytes + 1 }])),
    /more than 64 MiB/,
  );
  // many that are each allowed
  const one = { data: "x", size: file_bytes - 1 };
  const some = Array.from({ length: 5 }, (_, index) => ({ ...one, name: `f${index}` }));
  assert.match(await refusal(zip([...ZIP_PACK, ...some])), /bomb|more than 256 MiB/);
  // a million entries, of which the first few thousand are looked at
  const block = joined(Array.from({ length: 10_000 }, (_, index) => tarEntry({ path: `e${index}` })));
  const many = gzipSync(block);
  assert.match(
    await refusal(
      joined([gzipSync(joined(TAR_PACK.map(tarEntry))), ...Array.from({ length: 100 }, () => many), broken]),
    ),
    new RegExp(`more than ${entries} entries`),
  );
  const listed = Array.from({ length: entries + 1 }, (_, index) => ({ name: `e${index}`, stored: true }));
  assert.match(await refusal(zip([...ZIP_PACK, ...listed])), new RegExp(`more than ${entries} entries`));
  const header: TarEntry = { path: "PaxHeader", type: "x", body: new Uint8Array(2 * 1024 * 1024).fill(65) };
  assert.match(await refusal(tar([header, ...TAR_PACK])), /headers is over 1 MiB/);
});

Deno.test("an entry whose bytes are others than it says is refused and leaves no open file", async () => {
  for (const size of [MODULE.length - 5, MODULE.length + 5]) {
    await using dir = await tempDir();
    const lie = zip([ZIP_PACK[0]!, { name: "mod.js", data: MODULE, size }]);
    await assert.rejects(stage(dir, lie), /damaged|larger|shorter/);
  }
  await using dir = await tempDir();
  const flipped = zip([...ZIP_PACK, { name: "data", data: "payload".repeat(100), stored: true }]);
  const at = new TextDecoder("latin1").decode(flipped).indexOf("payload") + 300;
  flipped[at] = (flipped[at] ?? 0) ^ 1;
  await assert.rejects(stage(dir, flipped), /damaged/);
});

Deno.test("what is no whole archive is said in one line", async () => {
  assert.match(await refusal(new Uint8Array()), /it is empty/);
  assert.match(await refusal(new TextEncoder().encode("hello, world\n")), /no archive that Lumina knows/);
  assert.match(
    await refusal(new Uint8Array([0x7f, 0x45, 0x4c, 0x46, ...new Uint8Array(2000)])),
    /no archive/,
  );
  const whole = tgz([...TAR_PACK, { path: "data", body: crypto.getRandomValues(new Uint8Array(20_000)) }]);
  assert.match(await refusal(whole.subarray(0, whole.length / 2)), /damaged/);
  assert.match(
    await refusal(joined([whole.subarray(0, 200), new Uint8Array(whole.length - 200)])),
    /damaged/,
  );
  assert.match(await refusal(tar(TAR_PACK).subarray(0, 700)), /damaged/);
  assert.match(
    await refusal(tar([{ path: "x", body: "y".repeat(3000) }, ...TAR_PACK]).subarray(0, 2000)),
    /damaged/,
  );
  const checksum = tar(TAR_PACK);
  checksum[3] = 0x41;
  assert.match(await refusal(checksum), /damaged/);
  const cut = zip(ZIP_PACK);
  assert.match(await refusal(cut.subarray(0, cut.length - 30)), /damaged/);
  assert.match(await refusal(zip([...ZIP_PACK, { name: "s", data: "x", encrypted: true }])), /encrypted/);
  assert.match(await refusal(zip([])), /empty/);
  assert.match(await refusal(tar([])), /empty/);
  assert.match(await refusal(tar([{ path: "mod.js", body: MODULE }])), /no manifest\.json/);
  assert.match(await refusal(tar([{ path: "a/b/manifest.json", body: MANIFEST }])), /no manifest\.json/);
});

Deno.test("an archive inside a pack is data: it is not opened", async () => {
  await using dir = await tempDir();
  const inner = new Uint8Array(tgz([{ path: "../evil", body: "x" }]));
  const { files } = await stage(dir, tgz([...TAR_PACK, { path: "data/inner.tgz", body: inner }]));
  assert.deepEqual(Object.keys(files), ["data/inner.tgz", "manifest.json", "mod.js"]);
  assert.deepEqual(await Deno.readFile(dir.join("pack/data/inner.tgz")), inner);
});
