import assert from "node:assert/strict";
import { linkFreeParts } from "./link_free_parts.ts";
import { tempDir } from "../../../tests/support/temp_dir.ts";

Deno.test("a folder without links, or with links that stay inside, is granted whole", async () => {
  await using dir = await tempDir();
  const root = await Deno.realPath(dir.path);
  await Deno.mkdir(`${root}/a/b`, { recursive: true });
  await Deno.writeTextFile(`${root}/a/b/file`, "");
  await Deno.symlink(`${root}/a/b/file`, `${root}/absolute`);
  await Deno.symlink("b", `${root}/a/relative`);
  assert.deepEqual(linkFreeParts(root), [root]);
});

Deno.test("beside a link that leads out, files and folders are granted one by one, the link is not", async () => {
  await using dir = await tempDir();
  await using outside = await tempDir();
  const root = await Deno.realPath(dir.path);
  await Deno.mkdir(`${root}/clean/deep`, { recursive: true });
  await Deno.mkdir(`${root}/mixed/fine`, { recursive: true });
  await Deno.writeTextFile(`${root}/top`, "");
  await Deno.writeTextFile(`${root}/mixed/file`, "");
  await Deno.symlink(outside.path, `${root}/mixed/folder_out`);
  await Deno.symlink("/etc/hostname", `${root}/file_out`);
  await Deno.symlink(`${outside.path}/not_there`, `${root}/dangling`);
  await Deno.symlink("mixed/folder_out", `${root}/by_another_link`);
  assert.deepEqual(
    linkFreeParts(root).sort(),
    ["clean", "mixed/file", "mixed/fine", "top"].map((name) => `${root}/${name}`),
  );
});

Deno.test("no link to a folder is granted where another link leads out: it could lead there", async () => {
  await using dir = await tempDir();
  const root = await Deno.realPath(dir.path);
  await Deno.mkdir(`${root}/mixed`);
  await Deno.mkdir(`${root}/clean/deep`, { recursive: true });
  await Deno.writeTextFile(`${root}/clean/file`, "");
  await Deno.symlink("/etc", `${root}/mixed/out`);
  await Deno.symlink("../mixed", `${root}/clean/alias`);
  await Deno.symlink("file", `${root}/clean/of_a_file`);
  assert.deepEqual(
    linkFreeParts(root).sort(),
    ["clean/deep", "clean/file", "clean/of_a_file"].map((name) => `${root}/${name}`),
  );
});

Deno.test("a path that is a link is not granted; one that is not there yet is", async () => {
  await using dir = await tempDir();
  const root = await Deno.realPath(dir.path);
  await Deno.symlink("/etc", `${root}/etc`);
  assert.deepEqual(linkFreeParts(`${root}/etc`), []);
  assert.deepEqual(linkFreeParts(`${root}/new`), [`${root}/new`]);
});

Deno.test("a folder that comes apart into too many pieces is not granted", async () => {
  await using dir = await tempDir();
  const root = await Deno.realPath(dir.path);
  for (let index = 0; index < 501; index++) await Deno.writeTextFile(`${root}/${index}`, "");
  assert.deepEqual(linkFreeParts(root), [root]);
  await Deno.symlink("/etc", `${root}/out`);
  assert.deepEqual(linkFreeParts(root), []);
});
