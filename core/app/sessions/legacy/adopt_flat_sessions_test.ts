import assert from "node:assert/strict";
import { tempDir } from "../../../../tests/support/temp_dir.ts";
import { appRootPaths } from "../../../app_root/mod.ts";
import { adoptFlatSessions } from "./adopt_flat_sessions.ts";

Deno.test("a flat file that another process has moved meanwhile is no failure, and the others are moved", async () => {
  await using dir = await tempDir();
  const app_root = appRootPaths(dir.path);
  const { sessionsDir } = app_root;
  await Deno.mkdir(sessionsDir, { recursive: true });
  for (const id of ["one", "two"]) await Deno.writeTextFile(`${sessionsDir}/${id}.jsonl`, id);
  const entries = await Array.fromAsync(Deno.readDir(sessionsDir));
  await Deno.mkdir(`${sessionsDir}/one`);
  await Deno.rename(`${sessionsDir}/one.jsonl`, `${sessionsDir}/one/moved-by-another`);
  assert.equal(adoptFlatSessions(app_root, entries), true);
  assert.equal(await Deno.readTextFile(`${sessionsDir}/two/transcript.jsonl`), "two");
});
