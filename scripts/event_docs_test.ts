import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { sessionEvents } from "../core/session/mod.ts";
import { EVENT_DOCS, eventDocs, FAMILIES } from "./event_docs.ts";
import { isFree, sourceFiles } from "./source_files.ts";

Deno.test("resources/docs/events.md is what scripts/event_docs.ts makes of the schemas", async () => {
  const stored = await Deno.readTextFile(EVENT_DOCS);
  assert.equal(stored, await eventDocs(), "run deno run -A scripts/event_docs.ts");
});

Deno.test("every event belongs to one of the closed families and is documented", async () => {
  const docs = await eventDocs();
  for (const type of sessionEvents.types()) {
    assert.ok(Object.hasOwn(FAMILIES, type.split(".")[0]!), `${type} belongs to no family`);
    assert.ok(docs.includes(`### ${type}\n\nVersion `), type);
  }
  const documented = docs.match(/^### .*$/gm)?.map((line) => line.slice(4));
  assert.deepEqual(new Set(documented), new Set(sessionEvents.types()));
  for (const family of Object.keys(FAMILIES)) assert.match(docs, new RegExp(`^## ${family}$`, "m"));
});

Deno.test("every event type is written somewhere in the program", async () => {
  const root = fileURLToPath(new URL("..", import.meta.url));
  const sources = (await sourceFiles(root)).filter(({ path }) => !isFree(path)).map(({ text }) => text)
    .join();
  const written = new Set([...sources.matchAll(/\.encode\(\s*"([a-z_.]+)"/g)].map((match) => match[1]));
  assert.deepEqual(sessionEvents.types().filter((type) => !written.has(type)), []);
});
