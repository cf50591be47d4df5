import toolsFs from "../../plugins/tools_fs/mod.ts";
import { type CallContext, emptyGrant, withoutHost } from "../../core/plugin_api/mod.ts";
import { WorkerTier } from "../../core/plugin_host/mod.ts";
import { tempDir } from "../support/temp_dir.ts";
import { atMost, type BenchResult, median, percentile, round } from "./measure.ts";

const CALLS = 300;
/** A call through a warm worker may cost this many times the same call in this thread. */
const LIMIT = 5;

/** `Read` of a small file through a warm, narrowed worker, against the same handler called in this thread. */
export async function toolRoundTrip(): Promise<BenchResult> {
  await using dir = await tempDir("lumina-bench-tool-");
  const file = await dir.write("small.txt", "one\ntwo\nthree\n");
  const tier = new WorkerTier(new URL("../../core/app/plugin_worker.ts", import.meta.url));
  const context: CallContext = {
    call_id: "bench",
    cwd: dir.path,
    read_roots: [dir.path],
    write_roots: [],
    deny_read: [],
    deny_write: [],
    seen: {},
    spill_dir: dir.path,
    child_env: {},
    config: {},
  };
  const input = { file_path: file };
  const signal = new AbortController().signal;
  const read = toolsFs.tools["Read"];
  if (read === undefined) throw new Error("tools_fs has no Read");
  const throughWorker = async () => {
    const outcome = await tier.call({
      plugin: "tools_fs",
      tool: "Read",
      input,
      context,
      grant: { ...emptyGrant(), read: [dir.path] },
      once: false,
      timeout_ms: 10_000,
      signal,
      progress() {},
    });
    if (outcome.is_error) throw new Error(`Read failed: ${outcome.content}`);
  };
  try {
    const cold = await timed(throughWorker);
    const calls: { worker: number; direct: number }[] = [];
    for (let call = -20; call < CALLS; call++) {
      const one = {
        worker: await timed(throughWorker),
        direct: await timed(() => read(input, { ...context, ...withoutHost(signal) })),
      };
      if (call >= 0) calls.push(one);
    }
    const warm = calls.map((call) => call.worker);
    const direct = median(calls.map((call) => call.direct));
    return {
      name: "tool_round_trip",
      figures: {
        first_call_ms: round(cold),
        warm_p50_ms: round(median(warm), 3),
        warm_p99_ms: round(percentile(warm, 0.99), 3),
        in_thread_p50_ms: round(direct, 3),
      },
      ratios: [atMost("warm_worker_to_in_thread_p50", median(warm) / direct, LIMIT)],
    };
  } finally {
    await tier.close();
  }
}

async function timed(body: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await body();
  return performance.now() - start;
}
