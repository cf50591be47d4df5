import assert from "node:assert/strict";
import { z } from "zod";
import { LuminaError } from "../base/mod.ts";
import type { NewEvent, StoredEvent } from "../types/mod.ts";
import { EventCatalog } from "./mod.ts";

function makeCatalog() {
  return new EventCatalog()
    .define(
      "tool.started",
      1,
      () => z.strictObject({ call_id: z.string(), name: z.string(), note: z.string().optional() }),
    )
    .define(
      "tool.ended",
      2,
      () => z.strictObject({ call_id: z.string(), is_error: z.boolean() }),
      (payload, from) => {
        assert.equal(from, 1);
        const { call_id, ok } = payload as { call_id: string; ok: boolean };
        return { call_id, is_error: !ok };
      },
    );
}

function stored(event: NewEvent): StoredEvent {
  return { ...event, seq: 7, stream_id: "session", stream_seq: 3, ts: 1 };
}

Deno.test("encode() makes an event of the current version with its ids", () => {
  assert.deepEqual(makeCatalog().encode("tool.ended", { call_id: "c", is_error: false }, { run_id: "r" }), {
    type: "tool.ended",
    version: 2,
    payload: { call_id: "c", is_error: false },
    run_id: "r",
  });
});

Deno.test("encode() refuses a payload that does not fit, naming the place", () => {
  const catalog = makeCatalog();
  assert.throws(
    // @ts-expect-error a wrong payload does not compile either
    () => catalog.encode("tool.started", { call_id: "c", name: 5 }),
    (error: LuminaError) => error.code === "journal.invalid" && /"tool.started": name: /.test(error.message),
  );
  // @ts-expect-error an unknown type does not compile either
  assert.throws(() => catalog.encode("tool.unknown", {}), /not defined/);
});

Deno.test("decode() gives back what encode() made, typed by its type", () => {
  const catalog = makeCatalog();
  const decoded = catalog.decode(stored(catalog.encode("tool.started", { call_id: "c", name: "Read" })));
  assert.ok(decoded.known);
  const { event } = decoded;
  assert.ok(event.type === "tool.started");
  const name: string = event.payload.name;
  assert.equal(name, "Read");
  assert.equal(event.seq, 7);
});

Deno.test("decode() brings an older version to the current one", () => {
  const decoded = makeCatalog().decode(
    stored({ type: "tool.ended", version: 1, payload: { call_id: "c", ok: false } }),
  );
  assert.ok(decoded.known);
  assert.deepEqual(decoded.event.payload, { call_id: "c", is_error: true });
  assert.equal(decoded.event.version, 2);
});

Deno.test("decode() keeps what it cannot read and says why", () => {
  const catalog = makeCatalog();
  const cases: [NewEvent, string][] = [
    [{ type: "team.started", version: 1, payload: {} }, "unknown_type"],
    [{ type: "tool.started", version: 2, payload: {} }, "newer_version"],
    [{ type: "tool.started", version: 1, payload: { call_id: 1 } }, "invalid"],
    [{ type: "tool.ended", version: 1, payload: null }, "invalid"],
  ];
  for (const [event, reason] of cases) {
    const decoded = catalog.decode(stored(event));
    assert.ok(!decoded.known);
    assert.equal(decoded.reason, reason);
    assert.match(decoded.problem, /^event 7 /);
  }
});

Deno.test("define() refuses a type twice and a second version without an upcast", () => {
  assert.throws(() => makeCatalog().define("tool.started", 1, () => z.null()), /defined twice/);
  assert.throws(() => makeCatalog().define("tool.other", 2, () => z.null()), /upcast/);
  assert.deepEqual(makeCatalog().types(), ["tool.started", "tool.ended"]);
  assert.deepEqual(makeCatalog().versions(), ["tool.started 1", "tool.ended 2"]);
});
