import assert from "node:assert/strict";
import { ModelError } from "./model_error.ts";
import { redact, urlSecrets } from "./redact.ts";
import { RETRY_AFTER_CAP_MS, retryAfter } from "./retry_after.ts";
import { retryDelay, withRetries } from "./retrying.ts";
import { HELLO, quickWorld } from "./test_server.ts";

Deno.test("waits grow from 1 s to 60 s at most, with full jitter", () => {
  const error = new ModelError("x", { category: "network" });
  const waits = (random: number) =>
    [2, 3, 4, 8, 20].map((next) => retryDelay(next, error, { random: () => random }));
  assert.deepEqual(waits(0), [0, 0, 0, 0, 0]);
  assert.deepEqual(waits(0.5), [500, 1_000, 2_000, 30_000, 30_000]);
  assert.equal(
    retryDelay(2, new ModelError("x", { category: "rate_limit", retry_after_ms: 77 }), { random: () => 1 }),
    77,
  );
});

Deno.test("Retry-After is read as seconds, as a date and in milliseconds, and has a limit", () => {
  const now = Date.parse("2026-01-01T00:00:00Z");
  const wait = (headers: Record<string, string>) => retryAfter(new Headers(headers), { now: () => now });
  assert.equal(wait({ "retry-after": "3" }), 3_000);
  assert.equal(wait({ "retry-after": "1.5" }), 1_500);
  assert.equal(wait({ "retry-after": "Thu, 01 Jan 2026 00:00:30 GMT" }), 30_000);
  assert.equal(wait({ "retry-after": "Wed, 31 Dec 2025 00:00:00 GMT" }), 0);
  assert.equal(wait({ "retry-after": "3", "retry-after-ms": "250" }), 250);
  assert.equal(wait({ "retry-after": "86400" }), RETRY_AFTER_CAP_MS);
  assert.equal(wait({ "retry-after": "soon" }), undefined);
  assert.equal(wait({}), undefined);
});

Deno.test("an abort during the wait ends the waiting with what had streamed", async () => {
  const partial = { role: "assistant" as const, content: [{ type: "text" as const, text: "half" }] };
  const provider = {
    model: "m",
    // deno-lint-ignore require-yield
    async *attempt() {
      throw await Promise.resolve(new ModelError("gone", { category: "network", partial }));
    },
  };
  const abort = new AbortController();
  const world = { ...quickWorld(), random: () => 0.999 };
  await assert.rejects(async () => {
    for await (const event of withRetries(provider, HELLO, abort.signal, 3, world)) {
      if (event.type === "retry") queueMicrotask(() => abort.abort());
    }
  }, { category: "aborted", partial });
});

Deno.test("redact() hides secrets plain and encoded, and keeps one short line", () => {
  assert.equal(redact("a s/cret+1 b\n s%2Fcret%2B1", ["s/cret+1", undefined, ""]), "a *** b ***");
  assert.equal(redact("x".repeat(900), []).length, 600);
});

Deno.test("the password of a URL is hidden as it is written, as it is meant and as Basic authentication sends it", () => {
  const secrets = urlSecrets("http://us%20er:pass%3Aword@a.example/");
  const text = `pass%3Aword pass:word Basic ${btoa("us er:pass:word")}`;
  assert.equal(redact(text, secrets), "*** *** Basic ***");
  for (const url of [undefined, "", "no url", "http://a.example/", "http://user@a.example/"]) {
    assert.deepEqual(urlSecrets(url), []);
  }
});
