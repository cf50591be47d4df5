import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { systemWorld } from "../base/mod.ts";
import { openJournal } from "./open_journal.ts";
import { Projection } from "./projection.ts";

const world = systemWorld;
const OPTIONS = {
  name: "count",
  version: 1,
  initial: () => ({ count: 0 }),
  fold: ({ count }: { count: number }) => ({ count: count + 1 }),
};

const DAMAGES: Record<string, string> = {
  "a changed state": `UPDATE projections SET state = '{"count":9}'`,
  "another offset": "UPDATE projections SET seq = 1",
  "an offset past the head": "UPDATE projections SET seq = 9",
  "events that are not those it was made from": "UPDATE events SET chain = 'x' WHERE seq = 2",
};

for (const [claim, sql] of Object.entries(DAMAGES)) {
  Deno.test(`a projection with ${claim} is made again from the events`, async () => {
    const dir = await Deno.makeTempDir({ prefix: "lumina-projection-" });
    const path = `${dir}/runtime.sqlite`;
    try {
      const journal = await openJournal(path, { world, create: true });
      for (const version of [0, 1, 2]) {
        await journal.append("session", version, [{ type: "a.b", version: 1, payload: version }]);
        if (version === 1) await (await Projection.open(journal, OPTIONS)).save();
      }
      await journal.close();
      const db = new DatabaseSync(path);
      db.exec(sql);
      db.close();
      const again = await openJournal(path, { world });
      assert.equal(await again.projection("count"), undefined);
      assert.equal((await again.verify()).ok, false);
      const made = await Projection.open(again, OPTIONS);
      assert.deepEqual([made.rebuilt, made.state, made.seq], [true, { count: 3 }, 3]);
      await again.close();
    } finally {
      await Deno.remove(dir, { recursive: true });
    }
  });
}
