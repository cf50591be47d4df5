import assert from "node:assert/strict";
import { inPlace } from "./permission_support.ts";

Deno.test("rm of a critical place is refused in yolo whatever the order and spelling of its options", async () => {
  await inPlace(async ({ bash }) => {
    const flags = [
      "-rf",
      "-fr",
      "-r -f",
      "-f -r",
      "-R",
      "-rfv",
      "-vfr",
      "--recursive --force",
      "--force --recursive",
      "--rec -f",
      "-r",
    ];
    for (const flag of flags) {
      for (
        const line of [`rm ${flag} /`, `rm / ${flag}`, `rm ${flag} -- /`, `rm ${flag} --no-preserve-root /`]
      ) {
        const verdict = await bash(line, { mode: "yolo", allow: ["Bash"] });
        assert.equal(verdict.behavior, "deny", line);
        assert.equal(verdict.source, "danger", line);
        assert.match(verdict.reason, /by hand/);
      }
    }
  });
});

Deno.test("every spelling of a critical place is known", async () => {
  await inPlace(async ({ bash, workspace, home, dir }) => {
    await Deno.symlink("/", `${workspace}/slash`);
    const places = [
      "~",
      "~/",
      "$HOME",
      '"$HOME"',
      "${HOME}/",
      "~/*",
      "$HOME/*",
      ".",
      "./",
      "..",
      "../",
      "*",
      "./*",
      "./.*",
      "/*",
      ".git",
      "./.git/",
      "src/..",
      "//",
      "/./",
      "/etc",
      "/usr",
      "/home",
      home,
      workspace,
      dir,
      `${workspace}/.`,
      "slash/",
      "'/'",
      "\\/",
      "$PWD",
      "src/../.git",
    ];
    for (const place of places) {
      assert.equal((await bash(`rm -rf ${place}`, { mode: "yolo" })).source, "danger", place);
    }
    assert.equal((await bash("cd src && rm -rf ..", { mode: "yolo" })).source, "danger");
    assert.equal((await bash("x=/; rm -rf $x", { mode: "yolo" })).source, "danger");
    assert.equal((await bash("for d in src /; do rm -rf $d; done", { mode: "yolo" })).source, "danger");
  });
});

Deno.test("other ways to destroy a machine are refused too", async () => {
  const lines = [
    "sudo rm -rf /",
    "sh -c 'rm -rf /'",
    "env rm -rf ~",
    "echo ok && rm -rf ~",
    "find / -delete",
    "find ~ -exec rm -rf {} +",
    "find . -delete",
    "chmod -R 777 /",
    "chown -R me /",
    "chown --recursive me ~",
    "mv ~ /tmp/x",
    "dd if=/dev/zero of=/dev/sda",
    "mkfs.ext4 /dev/sda1",
    "cat x > /dev/sda",
    "shred /dev/nvme0n1",
    ":(){ :|:& };:",
    "bomb() { bomb | bomb & }; bomb",
    "kill -9 -1",
  ];
  await inPlace(async ({ bash }) => {
    for (const line of lines) {
      const verdict = await bash(line, { mode: "yolo" });
      assert.equal(`${verdict.behavior} ${verdict.source}`, "deny danger", line);
    }
  });
});

Deno.test("an unknown target of a recursive delete asks even in yolo", async () => {
  await inPlace(async ({ bash }) => {
    for (const line of ["rm -rf $X", 'rm -rf "$X"', "rm -rf $(cat f)", "rm -rf $X/"]) {
      assert.equal((await bash(line, { mode: "yolo" })).behavior, "ask", line);
    }
  });
});

Deno.test("ordinary deletes and pushes are no danger", async () => {
  const lines = [
    "rm -rf dist",
    "rm -rf ./node_modules",
    "rm -f /tmp/x",
    "find . -name '*.orig' -delete",
    "rm -rf src/*",
    "git push --force",
    "chmod -R u+w src",
    "mv src lib",
    "rm -r $PWD/dist",
    "find src -delete",
  ];
  await inPlace(async ({ bash }) => {
    for (const line of lines) {
      assert.equal((await bash(line, { mode: "yolo" })).behavior, "allow", line);
      assert.equal((await bash(line, { mode: "ask" })).behavior, "ask", line);
    }
  });
});
