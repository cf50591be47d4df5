import assert from "node:assert/strict";
import { join } from "node:path";
import { onlyWhere } from "../../tests/support/skip.ts";
import { LuminaError } from "../base/mod.ts";
import { fileError } from "./file_error.ts";
import { makeDirectories } from "./make_directories.ts";
import { openChecked } from "./open_checked.ts";
import { readChecked } from "./read_checked.ts";
import { replaceFile } from "./replace_file.ts";

const onPosix = (name: string) =>
  onlyWhere(name, Deno.build.os !== "windows", "it is about POSIX files and links");
const bytes = (text: string) => new TextEncoder().encode(text);

async function inFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.realPath(await Deno.makeTempDir());
  try {
    await run(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function namesIn(folder: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(folder))).map((entry) => entry.name);
}

function code(wanted: string): (error: unknown) => boolean {
  return (error) => error instanceof LuminaError && error.code === wanted;
}

Deno.test(
  onPosix("replaceFile() keeps mode bits and owner, and leaves no temporary file"),
  () =>
    inFolder(async (folder) => {
      const path = join(folder, "a.sh");
      await Deno.writeTextFile(path, "old");
      if (Deno.uid() === 0) await Deno.chown(path, 12345, 23456);
      await Deno.chmod(path, 0o4751);
      const before = await Deno.stat(path);
      const { file } = await readChecked(path, 100);
      assert.deepEqual(await replaceFile(path, bytes("new text"), file, true), {
        method: "atomic",
        own_copy: false,
      });
      const after = await Deno.stat(path);
      assert.equal(await Deno.readTextFile(path), "new text");
      assert.deepEqual([after.mode, after.uid, after.gid], [before.mode, before.uid, before.gid]);
      assert.deepEqual(await namesIn(folder), ["a.sh"]);
    }),
);

Deno.test(
  onPosix("replaceFile() writes in place when no neighbour may be made"),
  () =>
    inFolder(async (folder) => {
      const path = join(folder, "a.txt");
      await Deno.writeTextFile(path, "a longer old text");
      const inode = (await Deno.stat(path)).ino;
      const { file } = await readChecked(path, 100);
      assert.equal((await replaceFile(path, bytes("new"), file, false)).method, "in_place");
      assert.equal(await Deno.readTextFile(path), "new");
      assert.equal((await Deno.stat(path)).ino, inode);
    }),
);

Deno.test(
  onPosix("replaceFile() gives a hard-linked file a copy of its own and never writes through"),
  () =>
    inFolder(async (folder) => {
      const path = join(folder, "inside.txt");
      const other = join(folder, "other.txt");
      await Deno.writeTextFile(path, "old");
      await Deno.link(path, other);
      const { file } = await readChecked(path, 100);
      await assert.rejects(replaceFile(path, bytes("new"), file, false), code("files.linked"));
      assert.deepEqual(await replaceFile(path, bytes("new"), file, true), {
        method: "atomic",
        own_copy: true,
      });
      assert.equal(await Deno.readTextFile(path), "new");
      assert.equal(await Deno.readTextFile(other), "old");
    }),
);

Deno.test("replaceFile() refuses a file that changed, went or appeared after it was read", () =>
  inFolder(async (folder) => {
    const path = join(folder, "a.txt");
    await Deno.writeTextFile(path, "one");
    const { file } = await readChecked(path, 100);
    await Deno.writeTextFile(path, "other");
    await assert.rejects(replaceFile(path, bytes("new"), file, true), code("files.changed"));
    await assert.rejects(replaceFile(path, bytes("new"), file, false), code("files.changed"));
    await assert.rejects(replaceFile(path, bytes("new"), null, true), code("files.exists"));
    assert.equal(await Deno.readTextFile(path), "other");
    await Deno.remove(path);
    await assert.rejects(replaceFile(path, bytes("new"), file, true), code("files.changed"));
    assert.deepEqual(await namesIn(folder), []);
  }));

Deno.test(
  onPosix("a folder swapped for a link after the judgement is refused for reading, writing and creating"),
  () =>
    inFolder(async (folder) => {
      const inside = join(folder, "ws", "sub");
      const outside = join(folder, "outside");
      await Deno.mkdir(inside, { recursive: true });
      await Deno.mkdir(outside);
      await Deno.writeTextFile(join(inside, "a.txt"), "inside");
      await Deno.writeTextFile(join(outside, "a.txt"), "secret");
      const { file } = await readChecked(join(inside, "a.txt"), 100);
      await Deno.rename(inside, join(folder, "ws", "gone"));
      await Deno.symlink(outside, inside);
      await assert.rejects(openChecked(join(inside, "a.txt"), "read"), code("files.moved"));
      await assert.rejects(replaceFile(join(inside, "a.txt"), bytes("x"), file, true), code("files.moved"));
      await assert.rejects(replaceFile(join(inside, "a.txt"), bytes("x"), file, false), code("files.moved"));
      await assert.rejects(replaceFile(join(inside, "new.txt"), bytes("x"), null, true), code("files.moved"));
      await assert.rejects(makeDirectories(join(inside, "deep", "er")), code("files.moved"));
      assert.deepEqual(await namesIn(outside), ["a.txt"]);
      assert.equal(await Deno.readTextFile(join(outside, "a.txt")), "secret");
    }),
);

Deno.test(
  onPosix("a file swapped for a link after the judgement is refused"),
  () =>
    inFolder(async (folder) => {
      const path = join(folder, "a.txt");
      await Deno.writeTextFile(join(folder, "secret.txt"), "secret");
      await Deno.symlink("secret.txt", path);
      await assert.rejects(openChecked(path, "read"), code("files.moved"));
      await assert.rejects(replaceFile(path, bytes("x"), null, true), code("files.exists"));
    }),
);

Deno.test(
  onPosix("openChecked() refuses pipes, sockets, devices and directories without blocking"),
  () =>
    inFolder(async (folder) => {
      await new Deno.Command("mkfifo", { args: [join(folder, "pipe")] }).output();
      using listener = Deno.listen({ transport: "unix", path: join(folder, "socket") });
      assert.equal(listener.addr.transport, "unix");
      await assert.rejects(openChecked(join(folder, "pipe"), "read"), code("files.special"));
      await assert.rejects(openChecked(join(folder, "socket"), "read"), code("files.special"));
      await assert.rejects(openChecked("/dev/zero", "read"), code("files.special"));
      await assert.rejects(openChecked(folder, "read"), code("files.is_directory"));
      await assert.rejects(openChecked(join(folder, "none"), "read"), code("files.not_found"));
      if (Deno.build.os === "linux") {
        await assert.rejects(openChecked("/proc/version", "read"), code("files.special"));
      }
    }),
);

Deno.test("fileError() is one line that names the action, the path and the cause", () => {
  const closed = Object.assign(new Error("EACCES: permission denied, open 'a'"), { code: "EACCES" });
  assert.equal(
    fileError("read", "/w/a", closed).message,
    'Cannot read "/w/a": permission denied by the file system; check its owner and mode',
  );
  assert.equal(fileError("read", "/w/a", new Deno.errors.PermissionDenied("x")).code, "files.unreadable");
  assert.equal(
    fileError("write", "/w/a", Object.assign(new Error("x"), { code: "ENOSPC" })).code,
    "files.no_space",
  );
  assert.match(fileError("read", "/w/a", new Error("odd\nthing")).message, /odd thing$/);
});
