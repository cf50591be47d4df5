import assert from "node:assert/strict";
import { systemWorld } from "../../base/mod.ts";
import { createModel } from "../create_model.ts";
import type { ModelOptions } from "../endpoint.ts";
import { ModelError } from "../model_error.ts";
import type { Model, ModelEvent, ModelRequest } from "../port.ts";
import { startScriptedProvider } from "../scripted/mod.ts";
import { modelHosts } from "./model_hosts.ts";
import { ModelWorker } from "./model_worker.ts";

const ENTRY = new URL("../worker.ts", import.meta.url);
const REQUEST: ModelRequest = {
  system: "s",
  messages: [{ role: "user", content: [{ type: "text", text: "hello" }] }],
  tools: [],
};

function optionsFor(base_url: string, more: Partial<ModelOptions> = {}): ModelOptions {
  return {
    primary: { api_type: "anthropic", model: "claude-x", base_url, api_key: "sk-secret" },
    max_attempts: 1,
    world: systemWorld,
    models_file: new URL("../../../resources/models.json", import.meta.url),
    ...more,
  };
}

async function events(model: Model, signal = new AbortController().signal): Promise<ModelEvent[]> {
  return await Array.fromAsync(model.stream(REQUEST, signal));
}

/** Without what differs from request to request. */
function plain(list: ModelEvent[]): string {
  return JSON.stringify(list, (key, value) => /_id$/.test(key) ? "" : value);
}

Deno.test("a model in the worker gives the events, the window and the cost of one in this thread, on both wires", async () => {
  for (const api_type of ["anthropic", "openai_compatible"] as const) {
    await using provider = await startScriptedProvider({
      turns: [{ text: ["one ", "two"], tool_calls: [{ name: "Read", input: { a: 1 } }], repeat: true }],
    });
    const base_url = api_type === "anthropic" ? provider.url : `${provider.url}/v1`;
    const options = optionsFor(base_url, {
      primary: { api_type, model: "claude-sonnet-4-5", base_url, api_key: "sk-secret" },
    });
    const here = createModel(options);
    const worker = new ModelWorker(ENTRY, options);
    try {
      const there = await worker.open(options);
      assert.equal(plain(await events(there)), plain(await events(here)));
      assert.deepEqual([there.name, there.window, there.max_output], [
        here.name,
        here.window,
        here.max_output,
      ]);
      const usage = { input: 1e6, output: 1e6, cache_read: 0, cache_write: 0 };
      assert.equal(there.costOf(there.name, usage), here.costOf(here.name, usage));
      const [first, second] = provider.requests;
      assert.equal(
        JSON.stringify(first?.body),
        JSON.stringify(second?.body),
        "byte for byte the same request",
      );
    } finally {
      worker.close();
      here.close();
    }
  }
});

Deno.test("a refusal comes back as the typed error that it was, without the key", async () => {
  await using provider = await startScriptedProvider({ turns: [{ fault: { http: "auth" } }] });
  const options = optionsFor(provider.url);
  const worker = new ModelWorker(ENTRY, options);
  try {
    const model = await worker.open(options);
    await assert.rejects(events(model), (error) => {
      assert.ok(error instanceof ModelError);
      assert.deepEqual([error.category, error.status, error.passing], ["authentication_failed", 401, false]);
      assert.doesNotMatch(error.message, /sk-secret/);
      return true;
    });
  } finally {
    worker.close();
  }
});

Deno.test("an abort ends the request in the worker, with what had streamed", async () => {
  await using provider = await startScriptedProvider({
    turns: [{ text: ["one ", "two"], fault: { stall_after_frames: 4 } }, { text: "again" }],
  });
  const options = optionsFor(provider.url);
  const worker = new ModelWorker(ENTRY, options);
  try {
    const model = await worker.open(options);
    const abort = new AbortController();
    await assert.rejects(async () => {
      for await (const event of model.stream(REQUEST, abort.signal)) if (event.type === "text") abort.abort();
    }, { code: "model.aborted" });
    assert.equal((await events(model)).at(-1)?.type, "done", "the next request is another one");
  } finally {
    worker.close();
  }
});

Deno.test("a model at another address than the first is refused before anything is sent", async () => {
  await using provider = await startScriptedProvider({ turns: [] });
  await using other = await startScriptedProvider({ turns: [{ text: "x" }] });
  const worker = new ModelWorker(ENTRY, optionsFor(provider.url));
  try {
    await assert.rejects(worker.open(optionsFor(other.url)), { code: "model.out_of_reach" });
    assert.equal(other.requests.length, 0);
  } finally {
    worker.close();
  }
});

Deno.test("modelHosts() names the endpoints with their ports and the proxies on the way", () => {
  const model = "m";
  const both: ModelOptions = optionsFor("", {
    primary: { api_type: "anthropic", model, base_url: "https://api.example.com/anthropic" },
    fallback: { api_type: "openai_compatible", model },
    proxy: { https: "http://user:pw@proxy.example:3128", no_proxy: "api.openai.com" },
  });
  assert.deepEqual(modelHosts(both), ["api.example.com:443", "proxy.example:3128", "api.openai.com:443"]);
  const local = { api_type: "openai_compatible" as const, model, base_url: "http://[::1]:8080/v1" };
  assert.deepEqual(modelHosts(optionsFor("", { primary: local, proxy: { http: "proxy:1" } })), [
    "[::1]:8080",
  ]);
});
