import assert from "node:assert/strict";
import { type CallResult, isAlive, pidsWith, ShellHost } from "./shell_harness.ts";

// Each test marks its processes by the argument of `sleep`, a number no one else uses.
const unique = () => `3${crypto.getRandomValues(new Uint32Array(1))[0]!}`;

/** Starts `command`, interrupts it when it has printed "ready", and gives the time until the answer. */
async function interrupt(host: ShellHost, command: string): Promise<CallResult & { after: number }> {
  const call = host.start("Bash", { command });
  await call.shows("ready");
  const started = performance.now();
  call.cancel();
  const result = await call.result;
  return { ...result, after: performance.now() - started };
}

Deno.test("an interrupted tree with grandchildren is gone in less than a second", async () => {
  await using host = new ShellHost();
  const mark = unique();
  const result = await interrupt(
    host,
    `(sleep ${mark} & bash -c 'sleep ${mark} & sleep ${mark}') & echo ready; sleep ${mark}`,
  );
  assert.match(result.content, /^Interrupted after .*\nready$/);
  assert.equal(result.is_error, true);
  assert.deepEqual(await pidsWith(mark), []);
  assert.ok(result.after < 1_000, `${result.after} ms`);
});

Deno.test("what left the process group or was orphaned goes with an interrupt too", async () => {
  await using host = new ShellHost();
  const mark = unique();
  const result = await interrupt(
    host,
    `setsid sleep ${mark} & (setsid sleep ${mark} >/dev/null 2>&1 &) ; setsid -f sleep ${mark} >/dev/null 2>&1 <&-;
     until [ $(pgrep -fc 'sleep ${mark}$') -ge 3 ]; do :; done; echo ready; sleep ${mark}`,
  );
  assert.deepEqual(await pidsWith(mark), []);
  assert.ok(result.after < 1_000, `${result.after} ms`);
});

Deno.test("a tree that ignores TERM is killed in less than a second after an interrupt", async () => {
  await using host = new ShellHost();
  const mark = unique();
  const result = await interrupt(
    host,
    `trap '' TERM INT HUP; bash -c 'trap "" TERM; sleep ${mark} & echo ready; while :; do sleep ${mark}; done'`,
  );
  assert.deepEqual(await pidsWith(mark), []);
  assert.ok(result.after < 1_000, `${result.after} ms`);
});

Deno.test("a command may clean up on TERM before it is killed", async () => {
  await using host = new ShellHost();
  const result = await interrupt(
    host,
    "trap 'echo cleaned > done; exit 0' TERM; echo ready; while :; do sleep 0.05; done",
  );
  assert.match(result.content, /^Interrupted/);
  assert.equal(await Deno.readTextFile(`${host.workspace}/done`), "cleaned\n");
});

Deno.test("a time limit ends the whole tree and keeps the output", async () => {
  await using host = new ShellHost();
  const mark = unique();
  const result = await host.bash(
    `mkfifo p; while :; do echo tick; sleep 0.1; done > p & sleep ${mark} & echo before; cat p`,
    { timeout: 700 },
  );
  assert.equal(result.is_error, true);
  assert.match(result.content, /^Timed out after 700 ms; [^\n]*\nbefore\ntick\n/);
  assert.deepEqual(await pidsWith(mark), []);
  assert.ok(result.ms >= 700 && result.ms < 4_000, `${result.ms} ms`);
});

Deno.test("a jumping wall clock moves no time limit", async () => {
  await using host = new ShellHost(); // the worker's wall clock jumps by an hour at every look
  const good = await host.bash("sleep 0.2; echo whole", { timeout: 30_000 });
  assert.equal(good.content, "whole");
  const late = await host.bash("sleep 3000", { timeout: 300 });
  assert.match(late.content, /^Timed out after 300 ms/);
  assert.ok(late.ms < 4_000);
});

Deno.test("a command returns when its shell ends, though a child keeps the pipe, and tells the child's pid", async () => {
  await using host = new ShellHost();
  const result = await host.bash("(while :; do echo x; sleep .1; done) & echo done");
  assert.equal(result.is_error, false);
  assert.match(result.content, /done/);
  assert.ok(result.ms < 3_000, `${result.ms} ms`);
  assert.equal(result.busy, true);
  const [left] = result.data?.["left_running"] as { pid: number; command: string }[];
  assert.ok(await isAlive(left!.pid));
  assert.match(result.content, new RegExp(`still running after the shell ended: ${left!.pid} `));

  const id = String(result.data?.["shell_id"]);
  await host.readUntil(id, (all) => all.includes("\nx"));
  const killed = await host.call("KillShell", { shell_id: id });
  assert.equal(killed.busy, false);
  assert.equal(await isAlive(left!.pid), false);
});

Deno.test("a child that closed every descriptor is reported too", async () => {
  await using host = new ShellHost();
  const mark = unique();
  const result = await host.bash(
    `exec 198>&-; setsid bash -c 'for fd in /proc/self/fd/*; do eval "exec \${fd##*/}>&-"; done; sleep ${mark}; :' &
     sleep 0.2; echo done`,
  );
  const left = result.data?.["left_running"] as { pid: number; command: string }[];
  assert.ok(left.some(({ command }) => command === `sleep ${mark}`), JSON.stringify(left));
});

Deno.test("pipeline members that are just ending are not reported as left running", async () => {
  await using host = new ShellHost();
  const result = await host.bash("set +o pipefail; yes | head -1; sleep 0.06");
  assert.equal(result.content, "y");
  assert.equal(result.busy, false);
});

Deno.test("close() ends foreground, background, left and escaped processes within a second", async () => {
  const host = new ShellHost();
  try {
    const mark = unique();
    await host.bash(`trap '' TERM; sleep ${mark} & setsid sleep ${mark} & echo ok`);
    await host.bash(`trap '' TERM; echo ready; sleep ${mark}; sleep ${mark}`, { run_in_background: true });
    const front = host.start("Bash", { command: `echo ready; sleep ${mark}` });
    await front.shows("ready");
    assert.ok((await pidsWith(mark)).length >= 4);
    const started = performance.now();
    await host.close();
    const took = performance.now() - started;
    assert.deepEqual(await pidsWith(mark), []);
    assert.ok(took < 1_000, `${took} ms`);
    await front.result.catch(() => {/* the worker may go before its answer */});
  } finally {
    await host[Symbol.asyncDispose]();
  }
});

Deno.test("a plain POSIX shell does where there is no bash", async () => {
  const shell = await Deno.realPath("/bin/sh");
  await using host = new ShellHost({ shell });
  assert.equal((await host.bash("echo out; echo err >&2; exit 3")).content, "Exit code 3\nout\nerr");
  assert.equal((await host.bash("cat <<'E'\n$x\nE")).content, "$x");
  const mark = unique();
  const result = await interrupt(
    host,
    `trap '' TERM; setsid sleep ${mark} & sleep ${mark} & echo ready; sleep ${mark}; sleep ${mark}`,
  );
  assert.deepEqual(await pidsWith(mark), []);
  assert.ok(result.after < 1_000, `${result.after} ms`);
  const left = await host.bash(`sleep ${mark} & echo done`);
  assert.match(left.content, /^done\n\[still running after the shell ended: \d+ sleep/);
});
