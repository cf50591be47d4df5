import assert from "node:assert/strict";
import { wireName } from "./wire_name.ts";

Deno.test("wireName() leaves what providers take, and shortens the rest to names that differ as their wholes do", () => {
  assert.equal(wireName("Read"), "Read");
  assert.equal(wireName("a".repeat(64)), "a".repeat(64));
  const same = "server_".repeat(12);
  const names = [`${same}one`, `${same}two`, "get.user", "get:user", "get_user", "数据", ""];
  const wired = names.map(wireName);
  assert.equal(new Set(wired).size, names.length);
  for (const name of wired) assert.match(name, /^[A-Za-z0-9_-]{1,64}$/);
  assert.deepEqual(names.map(wireName), wired);
  assert.equal(wireName("get.user"), "get_user_9c0265de5228");
});
