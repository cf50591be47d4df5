import assert from "node:assert/strict";
import { ShellHost } from "./shell_harness.ts";

Deno.test("a command without output gives its exit code at once", async () => {
  await using host = new ShellHost();
  const good = await host.bash("true");
  assert.deepEqual([good.is_error, good.content], [false, "(no output)"]);
  const bad = await host.bash("false");
  assert.deepEqual([bad.is_error, bad.content], [true, "Exit code 1"]);
  const odd = await host.bash("exit 7");
  assert.deepEqual([odd.is_error, odd.content, odd.data?.["exit_code"]], [true, "Exit code 7", 7]);
});

Deno.test("exit code 1 is an answer of grep, diff and test, and a failure of everything else", async () => {
  await using host = new ShellHost();
  for (
    const command of [
      "grep x /dev/null",
      "echo a | grep b",
      "diff <(echo a) <(echo b) >/dev/null",
      "[ 1 = 2 ]",
    ]
  ) {
    const result = await host.bash(command);
    assert.equal(result.is_error, false, command);
    assert.match(result.content, /^Exit code 1 \(/, command);
  }
  for (const command of ["grep x /nowhere", "false && grep x /dev/null", "(exit 1) | grep x /dev/null"]) {
    assert.equal((await host.bash(command)).is_error, true, command);
  }
});

Deno.test("a signal is named", async () => {
  await using host = new ShellHost();
  assert.match((await host.bash("kill -9 $$")).content, /^Exit code 137 \(killed by SIGKILL\)/);
  assert.match((await host.bash("bash -c 'kill -SEGV $$'")).content, /^Exit code 139 \(killed by SIGSEGV\)/);
});

Deno.test("a failure anywhere in a pipeline is seen", async () => {
  await using host = new ShellHost();
  assert.equal((await host.bash("(exit 3) | cat")).data?.["exit_code"], 3);
});

Deno.test("stdout and stderr come in the order they were written", async () => {
  await using host = new ShellHost();
  const { content } = await host.bash(
    "echo 1; echo 2 >&2; echo 3; echo 4 >/dev/stderr; echo 5 >/dev/stdout; echo 6",
  );
  assert.equal(content, "1\n2\n3\n4\n5\n6");
});

Deno.test("output in GBK or Shift-JIS is decoded where declared, escaped otherwise, and its bytes are kept", async () => {
  const gbk = "printf '\\xd6\\xd0\\xce\\xc4'";
  {
    await using host = new ShellHost();
    const result = await host.bash(gbk);
    assert.match(result.content, /^\\xd6\\xd0\\xce\\xc4\n\[not UTF-8/);
    const raw = await Deno.readFile(String(result.data?.["output_file"]));
    assert.deepEqual([...raw], [0xd6, 0xd0, 0xce, 0xc4]);
    const mixed = await host.bash("echo 你好; printf '\\xff\\n'; echo é");
    assert.match(mixed.content, /^你好\n\\xff\né\n/);
  }
  {
    await using host = new ShellHost({ env: { LANG: "zh_CN.GBK" } });
    assert.match((await host.bash(gbk)).content, /^中文\n\[not UTF-8: gb18030/);
  }
  {
    await using host = new ShellHost({ env: { LC_ALL: "ja_JP.SJIS" } });
    assert.match((await host.bash("printf '\\x93\\xfa\\x96\\x7b'")).content, /^日本\n/m);
  }
});

Deno.test("UTF-16LE output is decoded and no NUL or control character is let through", async () => {
  await using host = new ShellHost();
  assert.match((await host.bash("printf 'W\\0S\\0L\\0'")).content, /^WSL\n/);
  assert.match((await host.bash("printf '\\xff\\xfe-N\\x0a\\x00'")).content, /^\u4e2d\n/u);
  assert.match((await host.bash("echo plain; printf 'W\\0S\\0L\\0'")).content, /^plain\nWSL\n/);
  const { content } = await host.bash("printf 'a\\0b\\033[31mred\\033[0m\\033]0;title\\007 \\001 \\033'");
  assert.equal(content, "a\\x00bred \\x01 \\x1b");
});

Deno.test("a progress line shows its last state", async () => {
  await using host = new ShellHost();
  const { content } = await host.bash("printf '10%%\\r50%%\\r100%%\\ndone\\r\\n'");
  assert.equal(content, "100%\ndone");
});

Deno.test("long output stands whole in a file, with head and tail in the result", async () => {
  await using host = new ShellHost();
  const good = await host.bash("seq 1 200000");
  assert.equal(good.is_error, false);
  assert.ok(good.content.length < 30_500, `${good.content.length}`);
  assert.match(
    good.content,
    /^1\n2\n[\s\S]*left out[\s\S]*\n199999\n200000\n\[the whole output, 1288895 bytes: /,
  );
  const file = String(good.data?.["output_file"]);
  assert.equal((await Deno.stat(file)).size, 1_288_895);

  const bad = await host.bash("seq 1 200000; exit 2");
  assert.ok(bad.content.length < 10_500, `${bad.content.length}`);
  assert.match(bad.content, /^Exit code 2\n1\n[\s\S]*\n200000\n\[/);
});

Deno.test("output shown whole leaves no file behind", async () => {
  await using host = new ShellHost();
  // more than stays in memory, yet little when it is cleaned
  const result = await host.bash("head -c 300000 /dev/zero | tr '\\0' '\\r'; echo end");
  assert.equal(result.content, "end");
  const names: string[] = [];
  for await (const { name } of Deno.readDir(host.spill)) if (name.endsWith(".txt")) names.push(name);
  assert.deepEqual(names, []);
});

Deno.test("huge output needs little memory", async () => {
  await using host = new ShellHost();
  await host.bash("true");
  const before = Deno.memoryUsage().rss;
  const result = await host.bash("head -c 200000000 /dev/zero | tr '\\0' x");
  const grown = Deno.memoryUsage().rss - before;
  assert.equal(result.data?.["output_bytes"], 200_000_000);
  assert.ok(result.content.length < 30_500);
  assert.ok(grown < 100_000_000, `grew by ${grown}`);
});

Deno.test("a command that writes past its quota is ended with what it wrote", async () => {
  await using host = new ShellHost({ config: { shell_output_quota: 1_000_000 } });
  const result = await host.bash("yes");
  assert.equal(result.is_error, true);
  assert.match(
    result.content,
    /^Output passed 1000000 bytes; the command and all it started were ended\ny\n/,
  );
  assert.equal((await Deno.stat(String(result.data?.["output_file"]))).size, 1_000_000);
});

Deno.test("a long build is observed while it runs", async () => {
  await using host = new ShellHost();
  const build = host.start("Bash", {
    command: "echo step 1; until [ -e go ]; do sleep 0.05; done; echo step 2",
    timeout: 30_000,
  });
  await build.shows("step 1");
  await Deno.writeTextFile(`${host.workspace}/go`, "");
  assert.equal((await build.result).content, "step 1\nstep 2");
});

Deno.test("a command whose output cannot be stored is ended, and the call says why", async () => {
  await using host = new ShellHost();
  const result = await host.bash(
    `rm -rf ${host.spill}; trap '' PIPE; while :; do seq 1 100000; done 2>/dev/null`,
  );
  assert.equal(result.is_error, true);
  assert.match(result.content, /^Cannot store the output in .*spill.*: .*; the command was ended$/);
  assert.equal(result.busy, false);
});
