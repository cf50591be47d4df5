/**
 * Appends to a journal with three concurrent writers until it is killed. Prints `open`, then `ack <seq> <writer>
 * <index>` after each append was acknowledged. Arguments: path of the journal, round.
 */
import { systemWorld } from "../../core/base/mod.ts";
import { openJournalWorker } from "../../core/journal/mod.ts";

const [path, round] = Deno.args as [string, string];
const journal = openJournalWorker(path, {
  world: systemWorld,
  worker_url: new URL("../../core/journal/worker.ts", import.meta.url),
  create: true,
});
const encoder = new TextEncoder();

/** Straight to the pipe: what the parent reads was acknowledged before the kill. */
function say(line: string): void {
  Deno.stdout.writeSync(encoder.encode(`${line}\n`));
}

await journal.head();
say("open");
await Promise.all(["a", "b", "c"].map(async (writer) => {
  const stream_id = `run/${writer}`;
  let version = await journal.version(stream_id);
  for (let index = 0;; index++) {
    const payload = { round, writer, index, text: "x".repeat(index % 50 === 49 ? 20_000 : 200) };
    // Two events in one append: a kill must never leave one of them.
    const half = { type: "kill.step", version: 1, payload };
    const done = await journal.append(stream_id, version, [half, { ...half, type: "kill.done" }], {
      key: `${round}/${writer}/${index}`,
    });
    version = done.version;
    say(`ack ${done.last_seq} ${writer} ${index}`);
  }
}));
