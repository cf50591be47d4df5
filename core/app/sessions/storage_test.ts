import assert from "node:assert/strict";
import { appRootPaths } from "../../app_root/mod.ts";
import { systemWorld as world } from "../../base/mod.ts";
import { tempDir } from "../../../tests/support/temp_dir.ts";
import { SessionStore } from "./session_store.ts";
import { storage } from "./storage.ts";

Deno.test("the report of a cleanup names the retention rules and no other setting", async () => {
  await using dir = await tempDir();
  const app_root = appRootPaths(dir.path);
  const rules = {
    retention_days: 1,
    retention_max_sessions: 2,
    retention_max_bytes: 3,
    retention_archive: true,
  };
  const settings = { ...rules, api_key: "sk-of-a-person" };
  const port = storage({
    store: new SessionStore(app_root, world),
    app_root,
    world,
    rules: () => Promise.resolve(settings),
  });
  assert.deepEqual((await port.cleanup(false, () => {})).rules, rules);
  assert.equal(JSON.stringify(await port.status(() => {})).includes("sk-of-a-person"), false);
});
