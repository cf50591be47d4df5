import assert from "node:assert/strict";
import { join } from "node:path";
import { emptyGrant } from "../../core/plugin_api/mod.ts";
import type { CallContext, JsonObject, ToolOutcome } from "../../core/plugin_api/mod.ts";
import { WorkerTier } from "../../core/plugin_host/mod.ts";
import { onlyWhere } from "../../tests/support/skip.ts";
import { contextFor, findRg, withTree } from "./search_testing.ts";

/** Calls a tool over the plugin RPC, in a worker that may read `root` and run what `run` lists, nothing else. */
function callIn(
  tier: WorkerTier,
  root: string,
  tool: "Glob" | "Grep",
  input: JsonObject,
  more: { run?: string[]; config?: JsonObject; signal?: AbortSignal; timeout_ms?: number } = {},
): Promise<ToolOutcome> {
  const { signal: _signal, progress: _progress, write: _write, services: _services, ...context } = contextFor(
    root,
  );
  return tier.call({
    plugin: "tools_search",
    tool,
    input,
    context: { ...context, config: more.config ?? {} } satisfies CallContext,
    grant: { ...emptyGrant(), read: [root], run: more.run ?? [] },
    once: false,
    timeout_ms: more.timeout_ms ?? 30_000,
    signal: more.signal ?? new AbortController().signal,
    progress() {},
  });
}

async function withTier(run: (tier: WorkerTier) => Promise<void>): Promise<void> {
  const tier = new WorkerTier(new URL("../../core/app/plugin_worker.ts", import.meta.url));
  try {
    await run(tier);
  } finally {
    await tier.close();
  }
}

const LOOPS = {
  "ws/loop/child": "->..",
  "ws/a/to_b": "->../b",
  "ws/b/to_a": "->../a",
  "ws/rootfs/link": "->../..",
  "ws/node_modules": "->node_modules",
  "ws/.gitignore": "node_modules/\n",
  "ws/out": "->../outside",
  "ws/b/hit.txt": "needle\n",
  "ws/big.js": `${"a".repeat(2_500_000)}needle${"b".repeat(2_500_000)}`,
  "outside/secret.txt": "needle\n",
};

Deno.test("In a worker that may read the workspace alone, circular links end and no link leads out", () =>
  withTree(LOOPS, (root) =>
    withTier(async (tier) => {
      const ws = join(root, "ws");
      const plain = await callIn(tier, ws, "Grep", { pattern: "needle" });
      assert.equal(plain.content, "b/hit.txt\nbig.js\n[Not searched: 6 links (not followed)]");
      const followed = await callIn(tier, ws, "Grep", { pattern: "needle", follow: true });
      assert.match(followed.content, /^b\/hit\.txt\nbig\.js\n\[Not searched: 2 links that lead outside/);
      assert.equal((followed.data?.walk as JsonObject).links_broken, 1);
      assert.equal((followed.data?.walk as JsonObject).links_repeated, 3);
      const glob = await callIn(tier, ws, "Glob", { pattern: "**/hit.txt", follow: true });
      assert.match(glob.content, /^b\/hit\.txt\n\[Not looked at: 2 links that lead outside/);
      const inside = await callIn(tier, ws, "Grep", { pattern: "needle", path: "out" });
      assert.equal(inside.is_error, true);
      assert.match(inside.content, /outside the directories this call may read/);
      const clipped = await callIn(tier, ws, "Grep", {
        pattern: "needle",
        path: "big.js",
        output_mode: "content",
      });
      assert.match(clipped.content, /^big\.js:1:\[24997\d\d bytes\] …a+needleb+… \[24997\d\d bytes\]\n/);
    })));

const rg = findRg();
Deno.test({
  ...onlyWhere(
    "A worker that may run ripgrep gives the same answer as one that may not",
    rg !== undefined,
    "ripgrep is not installed",
  ),
  fn: () =>
    withTree(LOOPS, (root) =>
      withTier(async (tier) => {
        const ws = join(root, "ws");
        const input = { pattern: "needle", output_mode: "content", follow: true };
        const own = await callIn(tier, ws, "Grep", input);
        const fast = await callIn(tier, ws, "Grep", input, { run: [rg!], config: { rg_path: rg! } });
        const refused = await callIn(tier, ws, "Grep", input, { config: { rg_path: rg! } });
        assert.deepEqual(fast, own);
        assert.deepEqual(refused, own);
      })),
});

Deno.test("A cancel reaches a search that is under way, and its worker serves the next call", () =>
  withTree({ "a.txt": "xyx\n".repeat(6_000_000), "b.txt": "needle\n" }, (root) =>
    withTier(async (tier) => {
      assert.equal((await callIn(tier, root, "Grep", { pattern: "needle" })).content, "b.txt");
      const abort = new AbortController();
      const running = callIn(tier, root, "Grep", { pattern: "(?<=q)x" }, { signal: abort.signal });
      setTimeout(() => abort.abort(new Error("interrupted by test")), 30);
      assert.deepEqual(await running, { content: "interrupted by test", is_error: true });
      assert.equal(tier.size, 1);
      assert.equal((await callIn(tier, root, "Grep", { pattern: "needle" })).content, "b.txt");
    })));

Deno.test("A regular expression that backtracks without end is stopped by the call's time limit", () =>
  withTree({ "a.txt": `${"a".repeat(60)}b\nneedle\n` }, (root) =>
    withTier(async (tier) => {
      await assert.rejects(callIn(tier, root, "Grep", { pattern: "(a+)+$" }, { timeout_ms: 300 }), {
        code: "plugin.timeout",
      });
      assert.equal((await callIn(tier, root, "Grep", { pattern: "needle" })).content, "a.txt");
    })));
