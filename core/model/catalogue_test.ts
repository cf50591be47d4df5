import assert from "node:assert/strict";
import { Catalogue, limitsOf } from "./catalogue.ts";

const file = new URL("../../resources/models.json", import.meta.url);
const catalogue = Catalogue.load(file);

Deno.test("an unknown model has a window of 128 k and 8 k of output and no price", () => {
  const entry = catalogue.find("my-own-model");
  assert.deepEqual([entry.window, entry.max_output, entry.prices], [128_000, 8_000, undefined]);
  assert.equal(
    catalogue.costOf("my-own-model", { input: 1, output: 1, cache_read: 0, cache_write: 0 }),
    null,
  );
});

Deno.test("snapshots, vendors' prefixes and dots all find their model", () => {
  const sonnet = catalogue.find("claude-sonnet-4-5");
  assert.ok(sonnet.prices);
  for (
    const name of [
      "claude-sonnet-4-5-20250929",
      "anthropic/claude-sonnet-4.5",
      "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
      "Claude-Sonnet-4-5@20250929",
    ]
  ) assert.equal(catalogue.find(name).pattern, sonnet.pattern, name);
  assert.equal(catalogue.find("gpt-4o-mini-2024-07-18").pattern, "gpt-4o-mini");
  assert.equal(catalogue.find("gpt-5.99").pattern, undefined);
});

Deno.test("a bracket in a name says the window and leaves the name alone", () => {
  const entry = catalogue.find("deepseek-v4-pro[200k]");
  assert.equal(entry.pattern, "deepseek-v4-pro");
  assert.equal(entry.window, 200_000);
  assert.equal(catalogue.find("deepseek-v4-pro[1m]").window, 1_000_000);
});

Deno.test("every entry of the catalogue is found under its own name and has sane figures", () => {
  const models = JSON.parse(Deno.readTextFileSync(file)).models as Record<
    string,
    { window: number; max_output: number }
  >;
  for (const [pattern, value] of Object.entries(models)) {
    const entry = catalogue.find(pattern.replace("*", ""));
    assert.equal(entry.pattern, pattern.replaceAll(".", "-"));
    assert.ok(value.max_output >= 1_000 && value.max_output < value.window, pattern);
    if (entry.prices) assert.ok(entry.prices.cache_read <= entry.prices.input, pattern);
  }
});

Deno.test("costOf() counts the four kinds of token at their own prices", () => {
  const million = { input: 1e6, output: 1e6, cache_read: 1e6, cache_write: 1e6 };
  assert.equal(catalogue.costOf("claude-sonnet-4-5", million), 3 + 15 + 0.3 + 3.75);
});

Deno.test("settings win over the catalogue, and a local window only lowers", () => {
  const endpoint = {
    api_type: "auto" as const,
    model: "m",
    context_window: 50_000,
    max_output_tokens: 9_000,
  };
  const entry = catalogue.find("m");
  assert.deepEqual(limitsOf(endpoint, entry), { window: 50_000, max_output: 9_000 });
  assert.deepEqual(limitsOf(endpoint, entry, 4_000), { window: 4_000, max_output: 4_000 });
  assert.deepEqual(limitsOf(endpoint, entry, 900_000), { window: 50_000, max_output: 9_000 });
});

Deno.test("prices of a person stand before the catalogue's, the most specific name first", () => {
  const own = { "m-*": [1, 2], "m-large": [10, 20, 5, 12], "claude-opus-4.5": [0, 0], broken: [1] };
  const catalogue = Catalogue.load(new URL("../../resources/models.json", import.meta.url), own);
  const cost = (model: string) =>
    catalogue.costOf(model, { input: 1e6, output: 1e6, cache_read: 1e6, cache_write: 1e6 });
  assert.equal(cost("m-small"), 5, "the cache costs as much as input where nothing else is said");
  assert.equal(cost("vendor/M-Large[1m]"), 47);
  assert.equal(cost("eu.anthropic.claude-opus-4-5-20251101"), 0);
  assert.equal(cost("broken"), null);
  assert.equal(catalogue.find("m-small").window, 128_000, "only the price is known");
});
