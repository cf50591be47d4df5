import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { systemWorld } from "../../core/base/mod.ts";
import { openJournal, readEvents } from "../../core/journal/mod.ts";
import type { JsonObject } from "../../core/types/mod.ts";

/** As many rounds as fit into the time, at least `FEWEST` and at most `ROUNDS`; the long tier gives its number instead. */
const ROUNDS = Number(Deno.env.get("LUMINA_FAULT_ROUNDS") ?? 500);
const FEWEST = 20;
const TIME_MS = Deno.env.has("LUMINA_FAULT_ROUNDS") ? Infinity : 30_000;
const CHILD = fileURLToPath(new URL("./journal_kill_child.ts", import.meta.url));

/** Lets a child append until `kill_after` acknowledgements and a random moment more, kills it, and returns its lines. */
async function killedRound(path: string, round: number, kill_after: number): Promise<string[]> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "--unstable-worker-options", CHILD, path, String(round)],
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  let text = "";
  let killed = false;
  for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (!killed && (text.match(/^ack /gm)?.length ?? 0) >= kill_after) {
      killed = true;
      // Busy for up to two milliseconds: the kill falls anywhere inside a commit, not always after one.
      const until = performance.now() + Math.random() * 2;
      while (performance.now() < until);
      child.kill("SIGKILL");
    }
  }
  const status = await child.status;
  assert.equal(status.signal, "SIGKILL", `round ${round}: ${text.slice(-500)}`);
  // The last line may be cut; it was acknowledged all the same, but only whole lines can be checked.
  return text.split("\n").slice(0, -1);
}

Deno.test("a journal whose owner is killed again and again keeps every acknowledged event, once and in order", async () => {
  const dir = await Deno.makeTempDir({ prefix: "lumina-kill-" });
  const path = join(dir, "runtime.sqlite");
  try {
    const acked = new Map<string, number>();
    const started = performance.now();
    let rounds = 0;
    for (let round = 0; round < ROUNDS; round++) {
      if (round >= FEWEST && performance.now() - started > TIME_MS) break;
      rounds++;
      const lines = await killedRound(path, round, Math.floor(Math.random() * 60));
      assert.equal(lines[0], "open", "the next process takes over at once");
      for (const line of lines.slice(1)) {
        const [, seq, writer, index] = line.split(" ");
        acked.set(`${round}/${writer}/${index}`, Number(seq));
      }
    }
    // deno-lint-ignore no-console -- how often it was
    console.log(`${rounds} kills, ${acked.size} appends acknowledged`);
    const journal = await openJournal(path, { world: systemWorld });
    try {
      const report = await journal.verify();
      assert.deepEqual(report.problems, []);
      const found = new Map<string, number>();
      const last_index = new Map<string, number>();
      let open: string | undefined;
      for await (const page of readEvents(journal)) {
        for (const { seq, type, payload } of page) {
          const { round, writer, index } = payload as JsonObject;
          const name = `${round}/${writer}/${index}`;
          if (type === "kill.step") {
            assert.equal(open, undefined, `${open} has no second half`);
            open = name;
          } else {
            assert.equal(open, name, "both halves of an append stand together");
            open = undefined;
            assert.ok(!found.has(name), `${name} is there twice`);
            found.set(name, seq);
            const run = `${round}/${writer}`;
            assert.equal(index, (last_index.get(run) ?? -1) + 1, `${name} is out of order`);
            last_index.set(run, Number(index));
          }
        }
      }
      assert.equal(open, undefined, "the last append is whole");
      for (const [name, seq] of acked) assert.equal(found.get(name), seq, `${name} was acknowledged`);
      // What was submitted again after the crash under the same key is answered, not stored again.
      const [name] = [...found].at(-1)!;
      const [round, writer, index] = name.split("/") as [string, string, string];
      assert.ok(await journal.command(name));
      const payload = {
        round,
        writer,
        index: Number(index),
        text: "x".repeat(Number(index) % 50 === 49 ? 20_000 : 200),
      };
      const again = await journal.append(`run/${writer}`, 0, [
        { type: "kill.step", version: 1, payload },
        { type: "kill.done", version: 1, payload },
      ], { key: name });
      assert.equal(again.replayed, true);
      assert.equal(again.last_seq, found.get(name));
    } finally {
      await journal.close();
    }
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
