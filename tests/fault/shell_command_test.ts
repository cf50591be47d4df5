import assert from "node:assert/strict";
import { ShellHost } from "./shell_harness.ts";

Deno.test("heredocs of every kind reach the program byte for byte", async () => {
  await using host = new ShellHost({ env: { NAME: "value" } });
  const cases: [string, string][] = [
    ["cat <<'E'\n$NAME `x` \\ \"q\"\nE", '$NAME `x` \\ "q"'],
    ['cat <<"E"\n$NAME\nE', "$NAME"],
    ["cat <<\\E\n$NAME\nE\n", "$NAME"],
    ["cat <<E\n$NAME $((1+1)) $(echo sub)\nE", "value 2 sub"],
    ["cat <<-E\n\t\ttabs go\n\t  spaces stay\n\tE", "tabs go\n  spaces stay"],
    ["cat <<A - <<'B'\na\nA\nb $NAME\nB", "b $NAME"],
    ["cat <<A; cat <<B\na\nA\nb\nB", "a\nb"],
    ["cat <<E | tr a-z A-Z && echo after\nbody\nE", "BODY\nafter"],
    ["cat <<'END OF'\nspace in the word\nEND OF", "space in the word"],
    ["cat <<E\nE inside E\n E\nE", "E inside E\n E"],
    ["f() { cat <<E\nin a function\nE\n}\nf", "in a function"],
    ["cat <<'你好'\n你好。\n你好\n", "你好。"],
  ];
  for (const [command, expected] of cases) {
    const result = await host.bash(command);
    assert.equal(result.content, expected, command);
    assert.equal(result.is_error, false, command);
  }
  const open = await host.bash("cat <<E\nnever closed");
  assert.match(open.content, /here-document at line 1 delimited by end-of-file[\s\S]*never closed/);
});

Deno.test("a broken command fails as bash would, at once", async () => {
  await using host = new ShellHost();
  for (const command of ['echo "open', "if true; then", "echo $(", "for x in", "}", "case x in"]) {
    const result = await host.bash(command);
    assert.equal(result.is_error, true, command);
    assert.match(result.content, /^Exit code (1|2)\n.*-c: line \d+: (unexpected|syntax)/, command);
  }
});

Deno.test("comments, trailing backslashes and exit at the end change nothing", async () => {
  await using host = new ShellHost();
  assert.equal((await host.bash("echo a # '\"`$(")).content, "a");
  assert.equal((await host.bash("echo a \\\n  b\n\n")).content, "a b");
  assert.equal((await host.bash("trap 'echo bye' EXIT; echo hi; exit 4")).content, "Exit code 4\nhi\nbye");
  assert.equal((await host.bash("set -x; echo hi")).content, "+ echo hi\nhi");
  assert.equal((await host.bash("echo $0 $#")).content, "/usr/bin/bash 0");
});

Deno.test("a command gets no input and never waits for any", async () => {
  await using host = new ShellHost();
  assert.equal((await host.bash("cat; read -r x || echo none", { timeout: 20_000 })).content, "none");
  assert.match((await host.bash("(: </dev/tty) 2>&1 || echo no terminal")).content, /no terminal/);
});

Deno.test("the working directory carries over inside the workspace and is reset outside", async () => {
  await using host = new ShellHost();
  const { workspace } = host;
  const into = await host.bash("mkdir -p 'a b/c' && cd 'a b/c' && exit 3");
  assert.match(into.content, /the working directory is now .*\/a b\/c\]$/);
  assert.equal(into.data?.["cwd"], `${workspace}/a b/c`);
  assert.equal((await host.bash("pwd")).content, `${workspace}/a b/c`);
  assert.equal((await host.bash("(cd /); pwd")).content, `${workspace}/a b/c`);
  const out = await host.bash("cd /usr");
  assert.match(out.content, /\/usr is outside the workspace: the next command starts in .*\/workspace again/);
  assert.equal((await host.bash("pwd")).content, workspace);

  await host.bash("ln -s /usr link; ln -s 'a b' inside");
  assert.match((await host.bash("cd link")).content, /\/usr is outside the workspace/);
  assert.equal((await host.bash("cd inside")).data?.["cwd"], `${workspace}/a b`);
  await Deno.remove(`${workspace}/a b`, { recursive: true });
  const gone = await host.bash("pwd");
  assert.match(gone.content, /^.*\/workspace\n\[.*a b is gone; the command ran in .*\/workspace\]$/);
  assert.match((await host.bash("cd ..")).content, /is outside the workspace/);
});

Deno.test("twenty minutes are allowed and one millisecond more is refused with the way out", async () => {
  await using host = new ShellHost();
  assert.equal((await host.bash("echo ok", { timeout: 1_200_000 })).content, "ok");
  const more = await host.bash("echo ok", { timeout: 1_200_001 });
  assert.equal(more.is_error, true);
  assert.match(more.content, /20 minutes.*run_in_background/);
  for (const timeout of [0, -1, "1000"]) {
    assert.match((await host.bash("echo ok", { timeout })).content, /timeout must be a number/);
  }
});

Deno.test("a command that no program could be given is refused in one line", async () => {
  await using host = new ShellHost();
  assert.match((await host.bash("echo \0")).content, /NUL character/);
  assert.match((await host.bash(`: ${"x".repeat(140_000)}`)).content, /140002 bytes, at most 131071 fit/);
  assert.match((await host.bash("  ")).content, /must be a text/);
  assert.equal((await host.bash(`echo ${"x".repeat(131_000)} | wc -c`)).content, "131001");
});

Deno.test("variables of the parent never reach a command", async () => {
  Deno.env.set("LUMINA_TEST_CANARY", "leaked-secret");
  try {
    await using host = new ShellHost({ env: { KEEP: "kept" } });
    const names = (await host.bash("env | cut -d= -f1 | sort | tr '\\n' ' '")).content.trim().split(" ");
    assert.deepEqual(names, ["HOME", "KEEP", "LANG", "LUMINA_SHELL", "PATH", "PWD", "SHLVL", "_"]);
    const seen = await host.bash("env; set; cat /proc/self/environ | tr '\\0' '\\n'");
    assert.ok(!seen.content.includes("leaked-secret"));
  } finally {
    Deno.env.delete("LUMINA_TEST_CANARY");
  }
});
