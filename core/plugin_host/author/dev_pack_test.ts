import assert from "node:assert/strict";
import { systemWorld } from "../../base/mod.ts";
import { tempDir } from "../../../tests/support/temp_dir.ts";
import { devPack } from "./dev_pack.ts";

Deno.test("a round follows every change of a source and no other file, until it is stopped", async () => {
  await using dir = await tempDir();
  await dir.write("src/mod.ts", "1");
  await dir.write("node_modules/x/index.js", "1");
  const stop = new AbortController();
  const changes: string[][] = [];
  const steps: (() => Promise<unknown>)[] = [
    // what a build itself writes starts no round
    async () => {
      await dir.write("dist/mod.js", "built");
      await dir.write("node_modules/x/index.js", "2");
      await dir.write("src/mod.ts", "2");
    },
    async () => {
      await dir.write("manifest.json", "{}");
      await dir.write("src/part.ts", "1");
    },
    () => Promise.resolve(stop.abort()),
  ];
  await devPack({
    directory: dir.path,
    world: systemWorld,
    signal: stop.signal,
    changed: (paths) => void changes.push(paths),
    round: async () => void await steps.shift()?.(),
  });
  assert.deepEqual(changes, [["src/mod.ts"], ["manifest.json", "src/part.ts"]]);
  assert.equal(steps.length, 0);
});
