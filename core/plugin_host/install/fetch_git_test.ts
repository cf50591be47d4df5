import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { testWith } from "../../../tests/support/skip.ts";
import { PACK_LIMITS } from "./entry_list.ts";
import { InstallBench, packFiles } from "../../../tests/support/install_bench.ts";

const GIT = existsSync("/usr/bin/git") ? { git: "/usr/bin/git" } : { skip: "there is no /usr/bin/git" };

async function run(directory: string, ...args: string[]): Promise<string> {
  const identity = [
    "-c",
    "user.name=a",
    "-c",
    "user.email=a@example.org",
    "-c",
    "protocol.file.allow=always",
  ];
  const { success, stdout, stderr } = await new Deno.Command("/usr/bin/git", {
    args: ["-C", directory, ...identity, ...args],
    env: { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" },
  }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout).trim();
}

async function repository(bench: InstallBench): Promise<string> {
  const folder = await bench.files("repo", packFiles());
  await run(folder, "init", "--quiet", "--initial-branch=main");
  await run(folder, "add", ".");
  await run(folder, "commit", "--quiet", "-m", "one");
  await run(folder, "tag", "v1");
  await bench.files("repo", packFiles({ version: "1.1.0" }));
  await run(folder, "commit", "--quiet", "-a", "-m", "two");
  return folder;
}

testWith("a repository is installed by branch, tag and commit, and updated from there", GIT, async () => {
  await using bench = await InstallBench.open();
  const folder = await repository(bench);
  const url = `git+file://${folder}`;
  assert.equal((await bench.install(`${url}#v1`)).version, "1.0.0");
  assert.equal((await bench.update()).status, "unchanged");
  const commit = await run(folder, "rev-parse", "main");
  assert.equal((await bench.install(`${url}#${commit}`)).version, "1.1.0");
  assert.equal((await bench.install(`${url}#main`)).status, "unchanged");
  await bench.install(url);
  await bench.files("repo", packFiles({ version: "1.2.0" }));
  await run(folder, "commit", "--quiet", "-a", "-m", "three");
  assert.equal((await bench.update()).version, "1.2.0");
  assert.deepEqual(bench.record()["source"], { kind: "git", value: `file://${folder}` });
  assert.ok(!bench.tree().some((path) => path.includes(".git")), "the pack alone");
});

testWith(
  "nothing that a repository brings runs or is followed: hooks, filters, submodules, links",
  GIT,
  async () => {
    await using bench = await InstallBench.open();
    const folder = await repository(bench);
    const trap = `#!/bin/sh\ntouch ${bench.dir.join("trapped")}\n`;
    for (const hook of ["post-checkout", "reference-transaction", "post-merge"]) {
      await bench.dir.write(`repo/.git/hooks/${hook}`, trap);
      await Deno.chmod(bench.dir.join(`repo/.git/hooks/${hook}`), 0o755);
    }
    await run(folder, "config", "core.hooksPath", "/nonexistent"); // our own commits must not spring it
    await bench.files("repo", { ".gitattributes": "* filter=trap\n" });
    await bench.files("inner", { "secret.txt": "x" });
    await run(bench.dir.join("inner"), "init", "--quiet");
    await run(bench.dir.join("inner"), "add", ".");
    await run(bench.dir.join("inner"), "commit", "--quiet", "-m", "inner");
    await run(folder, "submodule", "--quiet", "add", `file://${bench.dir.join("inner")}`, "sub");
    await run(folder, "add", ".");
    await run(folder, "commit", "--quiet", "-m", "traps");
    await run(folder, "config", "--unset", "core.hooksPath");
    await bench.install(`git+file://${folder}`);
    assert.ok(!existsSync(bench.dir.join("trapped")));
    assert.ok(!bench.tree().some((path) => path.includes("secret")));
    await Deno.symlink("/etc/passwd", bench.dir.join("repo/link"));
    await run(folder, "-c", "core.hooksPath=/nonexistent", "add", ".");
    await run(folder, "-c", "core.hooksPath=/nonexistent", "commit", "--quiet", "-m", "link");
    assert.match(await bench.refusal(() => bench.update()), /"sample": its entry "link" is a link/);
  },
);

testWith("what goes wrong with a repository is one line", GIT, async () => {
  await using bench = await InstallBench.open();
  const folder = await repository(bench);
  assert.match(
    await bench.refusal(() => bench.install("git+file:///nowhere/at/all")),
    /git says: .*does not/,
  );
  assert.match(await bench.refusal(() => bench.install(`git+file://${folder}#absent`)), /git says: .*absent/);
  const refused = async (source: string, why: RegExp) =>
    assert.match(await bench.refusal(() => bench.install(source), 2), why);
  await refused("git+ssh://host/x", /git\+https:\/\/ or git\+file:\/\/ alone/);
  await refused("git+ext::sh -c id", /alone|is git\+https/);
  await refused("git+https://user:secret@host/x", /name or password in it/);
  await refused(`git+file://${folder}#--upload-pack=id`, /a branch, a tag or a commit/);
  await refused(`git+file://${folder}#a..b`, /a branch, a tag or a commit/);
  await refused("https://host/x.git", /is git\+https/);
  await refused("npm:../x", /npm:NAME/);
  await refused("npm:x@$(id)", /a version, a range/);
  await refused(" ", /empty source/);
  bench.git = undefined;
  assert.match(await bench.refusal(() => bench.install(`git+file://${folder}`)), /no git on the PATH/);
  bench.git = "/nowhere/git";
  assert.match(await bench.refusal(() => bench.install(`git+file://${folder}`)), /git cannot be started/);
});

testWith("a repository that is too large is stopped", GIT, async () => {
  await using bench = await InstallBench.open();
  const folder = await repository(bench);
  await bench.files("repo", { "data.bin": crypto.getRandomValues(new Uint8Array(60_000)) });
  await run(folder, "add", ".");
  await run(folder, "commit", "--quiet", "-m", "large");
  const { archive_bytes } = PACK_LIMITS;
  try {
    PACK_LIMITS.archive_bytes = 50_000;
    assert.match(await bench.refusal(() => bench.install(`git+file://${folder}`)), /it has more than 1 MiB/);
  } finally {
    PACK_LIMITS.archive_bytes = archive_bytes;
  }
});
