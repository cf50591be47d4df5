import { readEvents } from "../journal/mod.ts";
import type { Journal } from "../journal/mod.ts";
import { evolve } from "./evolve.ts";
import { getSnapshot, nothingFolded } from "./snapshot.ts";
import type { Folded } from "./snapshot.ts";

/** The state of a session as its journal has it, from the last snapshot on; changes nothing. `from` is the snapshot's place. */
export async function foldSession(journal: Journal): Promise<Folded & { from: number }> {
  const { state: start, skipped } = await getSnapshot(journal) ?? nothingFolded();
  const from = start.seq;
  let state = start;
  for await (const page of readEvents(journal, { after: from })) {
    for (const event of page) state = evolve(state, event, (problem) => skipped.push(problem));
  }
  return { state, skipped, from };
}
