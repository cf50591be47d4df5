import assert from "node:assert/strict";
import { runProgram } from "./run_program.ts";

const shell = (line: string, stdin = "") => ({
  program: "/bin/sh",
  args: ["-c", line],
  cwd: "/",
  env: { PATH: Deno.env.get("PATH") ?? "", ONLY: "this" },
  stdin,
});
const never = new AbortController().signal;

Deno.test("runProgram() gives code, both streams and nothing but the given environment", async () => {
  const end = await runProgram(shell('cat; echo err >&2; echo "$ONLY$HOME"; exit 3', "in "), never);
  assert.deepEqual(end, { code: 3, stdout: "in this\n", stderr: "err\n", overflow: false });
});

Deno.test("runProgram() keeps 1 MiB and reads the rest away; a program need not read its input", async () => {
  const end = await runProgram(
    shell("head -c 30000000 /dev/zero | tr '\\0' x", "y".repeat(4_000_000)),
    never,
  );
  assert.equal(end.stdout.length, 1024 * 1024);
  assert.deepEqual([end.code, end.overflow], [0, true]);
});

Deno.test("an abort of runProgram() ends the whole group and throws the signal's reason", async () => {
  const abort = new AbortController();
  const [reader, writer] = await pipe();
  const running = runProgram(
    shell(`(sleep 4343.5; true) & echo started >> ${writer}; sleep 4343.5`),
    abort.signal,
  );
  await reader();
  const reason = new Error("enough");
  abort.abort(reason);
  await assert.rejects(running, (error) => error === reason);
  const left = await new Deno.Command("pgrep", { args: ["-f", "^sleep 4343.5"] }).output();
  assert.equal(new TextDecoder().decode(left.stdout), "");
  await Deno.remove(writer);
});

Deno.test("runProgram() does not wait for what a program leaves behind", async () => {
  const end = await runProgram(shell("sleep 4444.5 & echo $!"), never);
  assert.equal(end.code, 0);
  Deno.kill(Number(end.stdout), "SIGKILL");
});

Deno.test({
  name: "runProgram() does not wait for what is left behind with an input that nobody reads",
  // the write ends with the pipe's last reader, which the test ends as its last act
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const start = shell("exec 3<&0; sleep 4545.5 <&3 & echo $!", "y".repeat(4_000_000));
    const end = await runProgram(start, AbortSignal.timeout(30_000));
    assert.equal(end.code, 0);
    Deno.kill(Number(end.stdout), "SIGKILL");
  },
});

/** A file and a function that waits until something stands in it. */
async function pipe(): Promise<[() => Promise<void>, string]> {
  const file = await Deno.makeTempFile();
  const watcher = Deno.watchFs(file);
  return [async () => {
    for await (const _ of watcher) if ((await Deno.readTextFile(file)) !== "") break;
  }, file];
}
