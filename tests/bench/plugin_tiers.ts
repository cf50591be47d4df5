import { type CallContext, emptyGrant } from "../../core/plugin_api/mod.ts";
import { WorkerTier } from "../../core/plugin_host/mod.ts";
import { testPack } from "../../core/plugin_host/process/process_tier_testing.ts";
import { atMost, type BenchResult, findSubject, median, percentile, round } from "./measure.ts";

const STARTS = 7;
const SMALL = { name: "1kb", bytes: 1_000, calls: 200 };
const LARGE = { name: "1mb", bytes: 1_000_000, calls: 20 };
/**
 * The process tier against the worker tier, about twice what it measures: a program starts instead of a thread, and a message
 * passes two pipes and JSON twice as often.
 */
const LIMITS = { start: 10, "1kb": 7, "1mb": 11 };

const context: CallContext = {
  call_id: "bench",
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

/** A tool that gives back what it was given. */
interface Echo {
  call(text: string): Promise<unknown>;
  close(): Promise<void>;
}

/** Start, round trip and throughput of a tool call in both tiers, in turns. Throughput counts both directions. */
export async function pluginTiers(): Promise<BenchResult> {
  const { artifact } = await findSubject();
  const tiers = { worker: workerEcho, process: () => processEcho(artifact) };
  const names = ["worker", "process"] as const;
  const starts: Record<string, number[]> = { worker: [], process: [] };
  for (let index = 0; index < STARTS; index++) {
    for (const name of names) {
      const from = performance.now();
      const echo = await tiers[name]();
      await echo.call("x");
      starts[name]?.push(performance.now() - from);
      await echo.close();
    }
  }
  const figures: Record<string, number> = {
    worker_start_p50_ms: round(median(starts["worker"] ?? [])),
    process_start_p50_ms: round(median(starts["process"] ?? [])),
  };
  const ratio = (of: Record<string, number[]>) => median(of["process"] ?? []) / median(of["worker"] ?? []);
  const ratios = [atMost("process_to_worker_start_p50", ratio(starts), LIMITS.start)];

  const echoes = { worker: await workerEcho(), process: await processEcho(artifact) };
  try {
    for (const { name: size, bytes, calls } of [SMALL, LARGE]) {
      const text = "x".repeat(bytes);
      const took: Record<string, number[]> = { worker: [], process: [] };
      for (let call = -Math.ceil(calls / 10); call < calls; call++) {
        for (const name of names) {
          const from = performance.now();
          await echoes[name].call(text);
          if (call >= 0) took[name]?.push(performance.now() - from);
        }
      }
      for (const name of names) {
        const p50 = median(took[name] ?? []);
        figures[`${name}_${size}_round_trip_p50_ms`] = round(p50, 3);
        figures[`${name}_${size}_round_trip_p99_ms`] = round(percentile(took[name] ?? [], 0.99), 3);
        figures[`${name}_${size}_mb_per_s`] = round(2 * bytes / 1e6 / (p50 / 1000));
      }
      ratios.push(
        atMost(`process_to_worker_${size}_round_trip_p50`, ratio(took), LIMITS[size as keyof typeof LIMITS]),
      );
    }
  } finally {
    for (const name of names) await echoes[name].close();
  }
  return { name: "plugin_tiers", figures, ratios };
}

function workerEcho(): Promise<Echo> {
  const tier = new WorkerTier(new URL("../../core/plugin_host/worker_tier_testing.ts", import.meta.url));
  return Promise.resolve({
    call: (text) =>
      tier.call({
        plugin: "p",
        tool: "echo",
        input: { text },
        context,
        grant: emptyGrant(),
        once: false,
        timeout_ms: 60_000,
        signal: new AbortController().signal,
        progress() {},
      }),
    close: () => tier.close(),
  });
}

async function processEcho(artifact: string | undefined): Promise<Echo> {
  const pack = await testPack({ echo: "return { content: JSON.stringify(input) };" }, {
    ...(artifact === undefined ? {} : { command: { program: artifact, args: ["__plugin"] } }),
  });
  return {
    call: (text) => pack.call("echo", { input: { text } }),
    close: async () => await pack[Symbol.asyncDispose](),
  };
}
