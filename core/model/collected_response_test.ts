import assert from "node:assert/strict";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { startScriptedProvider } from "./scripted/mod.ts";
import { HELLO, modelFor, run } from "./test_server.ts";

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

// Deno's fetch loses its signal when the Response has been collected: what ends a stream must not hang on it.
for (const api_type of ["anthropic", "openai_compatible"] as const) {
  const stall = { stall_after_frames: 6, keep_alive: "comment", keep_alive_ms: 5 } as const;
  const turn = { text: ["a", "b", "c", "d", "e", "f", "g", "h"], fault: stall };

  Deno.test(`${api_type}: an abort ends a stream whose response has been collected`, async () => {
    await using server = await startScriptedProvider({ turns: [turn] });
    const model = modelFor({ api_type, base_url: server.url });
    const abort = new AbortController();
    let seen = 0;
    await assert.rejects(async () => {
      for await (const event of model.stream(HELLO, abort.signal)) {
        if (event.type === "text" && ++seen === 2) void collectThen(() => abort.abort());
      }
    }, { category: "aborted" });
    assert.equal((await server.waitForEnd(1)).outcome, "gone");
    model.close();
  });

  Deno.test(`${api_type}: the idle limit ends a stream whose response has been collected`, async () => {
    await using server = await startScriptedProvider({ turns: [turn] });
    const timer = setInterval(collect, 20);
    const { error } = await run(
      modelFor({ api_type, base_url: server.url }, { idle_timeout_ms: 300, max_attempts: 1 }),
    );
    clearInterval(timer);
    assert.equal(error?.category, "timeout");
    assert.equal((await server.waitForEnd(1)).outcome, "gone");
  });
}

/** Collects garbage over several turns of the event loop, as weak references need. */
async function collectThen(act: () => void): Promise<void> {
  for (let at = 0; at < 5; at++) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    collect();
  }
  act();
}
