import assert from "node:assert/strict";
import { emptyGrant } from "../../plugin_api/mod.ts";
import { testPack } from "./process_tier_testing.ts";

const ignore = Deno.build.os !== "linux";

/** Pids of the processes whose command line holds `mark`. */
async function running(mark: string): Promise<string> {
  const script =
    'for d in /proc/[0-9]*; do tr "\\0" " " < $d/cmdline 2>/dev/null | grep -q -- "$1" && echo $d; done';
  const { stdout } = await new Deno.Command("/bin/sh", { args: ["-c", script, "look", mark] }).output();
  return new TextDecoder().decode(stdout);
}

Deno.test({
  name: "what a pack has started goes with it: in its group, out of it, and without a parent",
  ignore,
  async fn() {
    await using pack = await testPack({
      start: `const options = { stdin: "null", stdout: "null", stderr: "null" };
        const start = (line) => new Deno.Command("/bin/sh", { args: ["-c", line], ...options }).spawn();
        start("/bin/sleep 1234.5");
        start("/usr/bin/setsid /bin/sleep 1234.5 & wait");
        await start("(/usr/bin/setsid /bin/sleep 1234.5 & /bin/sleep 1.5)").status;
        context.progress("started");
        return await new Promise(() => {});`,
    });
    const abort = new AbortController();
    let seen: Promise<string> | undefined;
    const call = pack.call("start", {
      grant: { ...emptyGrant(), run: ["/bin/sh"] },
      signal: abort.signal,
      progress: () => {
        seen = running("^/bin/sleep 1234[.]5 $");
        void seen.then(() => abort.abort(new Error("enough")));
      },
    });
    await assert.rejects(call, /enough/);
    await pack.tier.close();
    assert.equal((await seen)?.trim().split("\n").length, 3);
    assert.equal(await running("^/bin/sleep 1234[.]5 $"), "");
  },
});

Deno.test({
  name: "a pack that starts processes without end is ended with all of them",
  ignore,
  async fn() {
    await using pack = await testPack({
      bomb:
        `new Deno.Command("/bin/sh", { args: ["-c", "while :; do /bin/sleep 2345.5 & done"], stdin: "null", stdout: "null", stderr: "null" }).spawn();
        return await new Promise(() => {});`,
    });
    const { code, message } = await pack.failure("bomb", { grant: { ...emptyGrant(), run: ["/bin/sh"] } });
    assert.equal(code, "plugin.quota");
    assert.match(message, /^Pack "sample": it had \d+ processes, at most 32 are allowed$/);
    await pack.tier.close();
    assert.equal(await running("^/bin/sleep 2345[.]5 $"), "");
  },
});
