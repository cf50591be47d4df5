import assert from "node:assert/strict";
import { isAlive, pidsWith, ShellHost } from "./shell_harness.ts";

const background = { run_in_background: true };

Deno.test("a background shell is readable while it runs, in pieces, and tells its end", async () => {
  await using host = new ShellHost();
  const started = await host.bash(
    "echo one; until [ -e go ]; do sleep 0.02; done; echo two; exit 3",
    background,
  );
  assert.match(started.content, /^Started sh_1 in the background \(pid \d+\)/);
  assert.equal(started.busy, true);
  const file = String(started.data?.["output_file"]);
  const first = await host.readUntil("sh_1", (all) => all.includes("one"));
  assert.match(first, /sh_1 is running, /);
  assert.equal(await Deno.readTextFile(file), "one\n");
  assert.match((await host.call("BashOutput", { shell_id: "sh_1" })).content, /\n\(no new output\)$/);

  await Deno.writeTextFile(`${host.workspace}/go`, "");
  const rest = await host.readUntil("sh_1", (_, last) => last.data?.["running"] === false);
  assert.match(rest, /two/);
  assert.doesNotMatch(rest, /one/);
  assert.match(rest, /sh_1 ended after .*: Exit code 3/);
  const last = await host.call("BashOutput", { shell_id: "sh_1" });
  assert.deepEqual([last.busy, last.data?.["exit_code"]], [false, 3]);
  assert.equal(await Deno.readTextFile(file), "one\ntwo\n");
});

Deno.test("KillShell ends the whole tree of a background shell", async () => {
  await using host = new ShellHost();
  const mark = `4${crypto.getRandomValues(new Uint32Array(1))[0]!}`;
  await host.bash(
    `trap 'echo cleaned; exit' TERM; setsid sleep ${mark} & sleep ${mark} & echo ready; wait`,
    background,
  );
  await host.readUntil("sh_1", (all) => all.includes("ready"));
  assert.equal((await pidsWith(mark)).length, 3);
  const killed = await host.call("KillShell", { shell_id: "sh_1" });
  assert.match(killed.content, /^sh_1 ended after .*: Killed; [^\n]*\ncleaned$/);
  assert.deepEqual(await pidsWith(mark), []);
  assert.equal(killed.busy, false);
  assert.match((await host.call("KillShell", { shell_id: "sh_1" })).content, /^sh_1 ended/);
});

Deno.test("BashOutput filters lines and says what is wrong with a filter or an id", async () => {
  await using host = new ShellHost();
  await host.bash("printf 'error 1\\nfine\\nerror 2\\n'", background);
  const all = await host.readUntil("sh_1", (_, last) => last.data?.["running"] === false);
  assert.match(all, /error 1\nfine\nerror 2/);
  await host.bash("printf 'error 1\\nfine\\nerror 2\\n'; until [ -e go ]; do sleep 0.02; done", background);
  let seen = "";
  while (!seen.includes("error 2")) {
    seen += (await host.call("BashOutput", { shell_id: "sh_2", filter: "^error \\d" })).content;
  }
  assert.doesNotMatch(seen, /fine/);
  assert.match(
    (await host.call("BashOutput", { shell_id: "sh_2", filter: "(" })).content,
    /not a regular expression/,
  );
  const none = await host.call("BashOutput", { shell_id: "sh_9" });
  assert.deepEqual([none.is_error, none.content], [true, 'There is no shell "sh_9"; known are sh_1, sh_2']);
});

Deno.test("a background shell has no time limit and outlives the call's own", async () => {
  await using host = new ShellHost();
  const started = await host.bash("sleep 0.3; echo late", { ...background, timeout: 100 });
  assert.equal(started.is_error ?? false, false);
  const all = await host.readUntil("sh_1", (_, last) => last.data?.["running"] === false);
  assert.match(all, /Exit code 0[\s\S]*late|late[\s\S]*Exit code 0/);
});

Deno.test("a session runs ten background shells and refuses the eleventh", async () => {
  await using host = new ShellHost();
  for (let n = 0; n < 10; n++) await host.bash("sleep 300", background);
  const refused = await host.bash("sleep 300", background);
  assert.equal(refused.is_error, true);
  assert.match(refused.content, /^10 shells are running already; end one with KillShell: sh_1, .*sh_10$/);
  await host.call("KillShell", { shell_id: "sh_4" });
  assert.match((await host.bash("sleep 300", background)).content, /^Started sh_11/);
});

Deno.test("a background shell that writes past its quota is ended", async () => {
  await using host = new ShellHost({ config: { shell_output_quota: 500_000 } });
  await host.bash("yes", background);
  const all = await host.readUntil("sh_1", (_, last) => last.data?.["running"] === false);
  assert.match(all, /Output passed 500000 bytes/);
});

Deno.test("a background shell survives the interrupt of a later call", async () => {
  await using host = new ShellHost();
  await host.bash("echo ready; until [ -e go ]; do sleep 0.02; done; echo end", background);
  const call = host.start("Bash", { command: "echo front; sleep 300" });
  await call.shows("front");
  call.cancel();
  await call.result;
  await Deno.writeTextFile(`${host.workspace}/go`, "");
  const all = await host.readUntil("sh_1", (_, last) => last.data?.["running"] === false);
  assert.match(all, /end/);
});

Deno.test("the plugin tells its session when a background shell starts and ends, with its last lines; not what was killed", async () => {
  await using host = new ShellHost();
  await host.bash("echo one; echo two; exit 4", { run_in_background: true });
  const ended = await host.notice("ended");
  assert.deepEqual(host.notices.map(({ type }) => type), ["started", "ended"]);
  assert.deepEqual(
    [ended["shell_id"], ended["exit_code"], ended["reason"], ended["told"], ended["last"]],
    ["sh_1", 4, null, false, "one\ntwo"],
  );
  await host.call("BashOutput", { shell_id: "sh_1" });
  assert.equal(host.notices.at(-1)?.["type"], "seen");
});

Deno.test("a command that passes its limit goes on where the setting wants it, and can be killed", async () => {
  await using host = new ShellHost({ config: { shell_on_timeout: "background", shell_id: "sh_7" } });
  const moved = await host.bash("echo begun; sleep 3000", { timeout: 300 });
  assert.equal(moved.is_error ?? false, false);
  assert.match(
    moved.content,
    /^Still running after 300 ms: it goes on in the background as sh_7 \(pid \d+\)/,
  );
  assert.equal(moved.busy, true);
  const killed = await host.call("KillShell", { shell_id: "sh_7" });
  assert.match(killed.content, /^sh_7 ended after .*Killed/);
  assert.equal(await isAlive(Number(moved.data?.["pid"])), false);
});
