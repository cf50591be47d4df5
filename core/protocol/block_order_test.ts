import assert from "node:assert/strict";
import { BlockOrder } from "./block_order.ts";

const start = (index: number) => ({ type: "content_block_start", index });
const delta = (index: number, text: string) => ({ type: "content_block_delta", index, text });
const stop = (index: number) => ({ type: "content_block_stop", index });

Deno.test("blocks that interleave are told one after the other, each event once and in the order of its block", () => {
  const order = new BlockOrder();
  const events = [
    { type: "message_start" },
    start(0),
    start(1),
    delta(1, "a"),
    delta(0, "b"),
    start(2),
    stop(2),
    delta(1, "c"),
    stop(0),
    delta(1, "d"),
    stop(1),
    { type: "message_stop" },
  ];
  assert.deepEqual(events.flatMap((event) => order.push(event)), [
    { type: "message_start" },
    start(0),
    delta(0, "b"),
    stop(0),
    start(1),
    delta(1, "a"),
    delta(1, "c"),
    delta(1, "d"),
    stop(1),
    start(2),
    stop(2),
    { type: "message_stop" },
  ]);
});

Deno.test("a new message forgets the blocks of one that died", () => {
  const order = new BlockOrder();
  for (const event of [{ type: "message_start" }, start(0), start(1)]) order.push(event);
  order.push({ type: "message_start" });
  assert.deepEqual(order.push(start(0)), [start(0)]);
  assert.deepEqual(order.push(stop(0)), [stop(0)]);
});
