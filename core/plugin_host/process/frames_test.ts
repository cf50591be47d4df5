import assert from "node:assert/strict";
import fc from "fast-check";
import { encodeFrame, FrameError, readFrames } from "./frames.ts";

function streamOf(pieces: Uint8Array[]): ReadableStream<Uint8Array> {
  return ReadableStream.from(pieces);
}

async function collect(stream: ReadableStream<Uint8Array>, max = 1_000_000): Promise<unknown[]> {
  const values: unknown[] = [];
  for await (const frame of readFrames(stream, max)) values.push(JSON.parse(new TextDecoder().decode(frame)));
  return values;
}

Deno.test("readFrames() gives the messages that were sent, however the stream cuts them", async () => {
  await fc.assert(fc.asyncProperty(
    fc.array(fc.jsonValue(), { maxLength: 8 }),
    fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
    async (values, sizes) => {
      const bytes = new Uint8Array(values.flatMap((value) => [...encodeFrame(value)]));
      const pieces: Uint8Array[] = [];
      for (let at = 0, turn = 0; at < bytes.length; turn++) {
        const size = sizes[turn % sizes.length] as number;
        pieces.push(bytes.subarray(at, at + size));
        at += size;
      }
      assert.deepEqual(
        await collect(streamOf(pieces)),
        values.map((value) => JSON.parse(JSON.stringify(value))),
      );
    },
  ));
});

Deno.test("readFrames() refuses a long message at its header and reads no further", async () => {
  let pulled = 0;
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      pulled++;
      controller.enqueue(pulled === 1 ? new Uint8Array([0, 1, 0, 0]) : new Uint8Array(1_000));
    },
  }, { highWaterMark: 0 });
  await assert.rejects(
    collect(stream, 65_535),
    (error) => error instanceof FrameError && error.length === 65_536,
  );
  assert.equal(pulled, 1);
});

Deno.test("readFrames() tells of a stream that ends inside a message", async () => {
  for (const bytes of [[0, 0], [0, 0, 0, 2, 0x31]]) {
    await assert.rejects(collect(streamOf([new Uint8Array(bytes)])), /end in the middle/);
  }
  assert.deepEqual(await collect(streamOf([])), []);
});
