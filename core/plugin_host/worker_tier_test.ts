import assert from "node:assert/strict";
import { emptyGrant } from "../plugin_api/mod.ts";
import type { CallContext, Grant } from "../plugin_api/mod.ts";
import { WorkerTier } from "./worker_tier.ts";
import type { WorkerCall } from "./worker_tier.ts";

async function withTier(body: (tier: WorkerTier, directory: string) => Promise<void>): Promise<void> {
  const directory = await Deno.realPath(await Deno.makeTempDir());
  const tier = new WorkerTier(new URL("./worker_tier_testing.ts", import.meta.url));
  try {
    await body(tier, directory);
  } finally {
    await tier.close();
    await Deno.remove(directory, { recursive: true });
  }
}

const context: CallContext = {
  call_id: "c",
  cwd: "/",
  read_roots: [],
  write_roots: [],
  deny_read: [],
  deny_write: [],
  seen: {},
  spill_dir: "/",
  child_env: {},
  config: {},
};

function call(tool: string, options: Partial<WorkerCall> = {}): WorkerCall {
  return {
    plugin: "p",
    tool,
    input: {},
    context,
    grant: emptyGrant(),
    once: false,
    timeout_ms: 20_000,
    signal: new AbortController().signal,
    progress: () => {},
    ...options,
  };
}

Deno.test("calls with equal grants share a worker, and a grant for once has a worker that ends with the call", async () => {
  await withTier(async (tier, directory) => {
    const grant: Grant = { ...emptyGrant(), read: [directory] };
    await Promise.all([tier.call(call("echo")), tier.call(call("echo"))]);
    assert.equal(tier.size, 1);
    await tier.call(call("echo", { grant }));
    assert.equal(tier.size, 2);
    await tier.call(call("echo", { grant: { ...grant, write: [directory] }, once: true }));
    assert.equal(tier.size, 2);
  });
});

Deno.test("a worker reads exactly what its grant names", async () => {
  await withTier(async (tier, directory) => {
    await Deno.writeTextFile(`${directory}/in.txt`, "inside");
    const grant: Grant = { ...emptyGrant(), read: [directory] };
    const inside = await tier.call(call("read", { grant, input: { path: `${directory}/in.txt` } }));
    assert.equal(inside.content, "inside");
    const outside = await tier.call(call("read", { grant, input: { path: "/etc/hostname" } }));
    assert.equal(outside.is_error, true);
    assert.match(outside.content, /read access/);
  });
});

Deno.test("a handler's exception is an error result; the worker goes on", async () => {
  await withTier(async (tier) => {
    assert.deepEqual(await tier.call(call("boom")), { content: "it broke", is_error: true });
    assert.deepEqual(await tier.call(call("echo", { input: { a: 1 } })), { content: '{"a":1}' });
    const unknown = await tier.call(call("nothing"));
    assert.match(unknown.content, /no tool "nothing"/);
  });
});

Deno.test("an abort reaches the tool, whose own words are the outcome", async () => {
  await withTier(async (tier) => {
    const abort = new AbortController();
    const outcome = await tier.call(
      call("wait", { signal: abort.signal, progress: () => abort.abort(new Error("by hand")) }),
    );
    assert.deepEqual(outcome, { content: "stopped: by hand", is_error: true });
  });
});

Deno.test("a tool that does not heed its limit is given up within a second, and the next call has a new worker", async () => {
  await withTier(async (tier) => {
    await assert.rejects(tier.call(call("spin", { timeout_ms: 200 })), { code: "plugin.timeout" });
    assert.equal((await tier.call(call("echo"))).content, "{}");
  });
});

Deno.test("a crashed worker fails its calls, and the next call has a new worker", async () => {
  await withTier(async (tier) => {
    await assert.rejects(tier.call(call("crash")), { code: "plugin.crashed" });
    assert.equal((await tier.call(call("echo"))).content, "{}");
  });
});

Deno.test("a worker that was started ahead serves the first call and is no second one", async () => {
  await withTier(async (tier) => {
    tier.warm(emptyGrant());
    assert.equal(tier.size, 1);
    assert.equal((await tier.call(call("echo"))).content, "{}");
    assert.equal(tier.size, 1);
  });
});

Deno.test("a locked tier keeps the workers that it has and starts none that may do more than read", async () => {
  await withTier(async (tier, directory) => {
    const writing: Grant = { ...emptyGrant(), write: [directory] };
    tier.warm(writing);
    tier.lock();
    assert.equal((await tier.call(call("echo", { grant: writing }))).content, "{}");
    const reading: Grant = { ...emptyGrant(), read: [directory] };
    assert.equal((await tier.call(call("echo", { grant: reading, once: true }))).content, "{}");
    for (const once of [false, true]) {
      const grant: Grant = { ...reading, run: ["/bin/true"] };
      await assert.rejects(tier.call(call("echo", { grant, once })), { code: "plugin.locked" });
    }
    await assert.rejects(tier.call(call("crash", { grant: writing })), { code: "plugin.crashed" });
    await assert.rejects(tier.call(call("echo", { grant: writing })), { code: "plugin.locked" });
  });
});

Deno.test("a stream longer than its credit arrives whole, ahead of the result", async () => {
  await withTier(async (tier) => {
    const { content } = await tier.call(call("stream"));
    assert.equal(content.length, 3_000_003);
    assert.ok(content.startsWith("0 .") && content.endsWith(".end"));
  });
});

Deno.test("a plugin's request is answered by who serves it, and as unavailable where nobody does", async () => {
  await withTier(async (tier) => {
    assert.deepEqual(await tier.call(call("ask")), { content: "unavailable", is_error: true });
  });
  const served = new WorkerTier(
    new URL("./worker_tier_testing.ts", import.meta.url),
    (call_id, { service, method, params }) =>
      Promise.resolve({ text: `${call_id} ${service}.${method} ${params["prompt"]}` }),
  );
  try {
    assert.deepEqual(await served.call(call("ask")), { content: "c model.complete ?" });
  } finally {
    await served.close();
  }
});
