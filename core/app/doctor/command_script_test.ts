import assert from "node:assert/strict";
import { systemWorld } from "../../base/mod.ts";
import { onlyWhere } from "../../../tests/support/skip.ts";
import { closedScript, doorStates, guardedScript, shellWord } from "./command_script.ts";
import { probePlace } from "./probe_place.ts";
import { startTarget } from "./probe_target.ts";

async function bash(script: string): Promise<string> {
  const { stdout } = await new Deno.Command("bash", { args: ["-c", script], stdin: "null", stderr: "null" })
    .output();
  return new TextDecoder().decode(stdout);
}

Deno.test(
  onlyWhere(
    "without a sandbox every probe says that it worked, so none is deaf",
    Deno.build.os === "linux",
    "no /proc",
  ),
  async () => {
    await using place = await probePlace(systemWorld);
    await using target = startTarget(place.mark);
    const leave = `(setsid sleep ${target.seconds} >/dev/null 2>&1 &)`;
    const states = doorStates(await bash(`${closedScript(place, target)}\n${leave}`));
    assert.equal(states.size, 8);
    const unix = states.get("connect to a unix socket") ?? "";
    if (unix.startsWith("skipped")) states.delete("connect to a unix socket");
    for (const [what, state] of states) assert.equal(state, "open", what);
    assert.equal(await target.alive(), false);
    assert.equal(await target.leftBehind(), true);
    assert.equal(await target.leftBehind(), false);
    const guarded = doorStates(await bash(guardedScript(place)));
    assert.deepEqual([...guarded.values()], ["open", "open"]);
  },
);

Deno.test("a target that nobody ended answers, and its folders are gone afterwards", async () => {
  let workspace = "";
  {
    await using place = await probePlace(systemWorld);
    workspace = place.workspace;
    await using target = startTarget(place.mark);
    assert.equal(await target.alive(), true);
  }
  await assert.rejects(Deno.stat(workspace), Deno.errors.NotFound);
});

Deno.test("doorStates() takes the lines of doors alone; shellWord() keeps any text one word", async () => {
  const states = doorStates("noise\ndoor a b: open\r\ndoor c: held\ndoor d: skipped: no nc\ndoor e: maybe\n");
  assert.deepEqual([...states], [["a b", "open"], ["c", "held"], ["d", "skipped: no nc"]]);
  const text = `it's "$HOME" \`x\` \\ end`;
  assert.equal(await bash(`printf %s ${shellWord(text)}`), text);
});
