// deno-lint-ignore-file no-console
// All benchmarks: a table, then one JSON object. Exits 1 when a ratio is broken or a benchmark fails.
//   deno task bench [name…]
import { errorMessage } from "../../core/base/mod.ts";
import { agentStart } from "./agent_start.ts";
import { cacheShare } from "./cache_share.ts";
import { compaction } from "./compaction.ts";
import { decide } from "./decide.ts";
import { firstRequestSize } from "./first_request_size.ts";
import { fourRounds } from "./four_rounds.ts";
import { headlessFirstRequest } from "./headless_first_request.ts";
import { journalAppend } from "./journal_append.ts";
import { judgeLine } from "./judge_line.ts";
import { type BenchResult, findSubject } from "./measure.ts";
import { pluginTiers } from "./plugin_tiers.ts";
import { pluginStart } from "./plugin_start.ts";
import { rewindTree } from "./rewind.ts";
import { searchSessionsBench } from "./search_sessions.ts";
import { resume } from "./resume.ts";
import { searchMemory } from "./search_memory.ts";
import { searchTree } from "./search_tree.ts";
import { sandboxBench } from "./sandbox.ts";
import { toolRoundTrip } from "./tool_round_trip.ts";
import { ttftOverhead } from "./ttft_overhead.ts";
import { versionStartup } from "./version_startup.ts";

const BENCHMARKS: Record<string, () => Promise<BenchResult>> = {
  version_startup: versionStartup,
  headless_first_request: headlessFirstRequest,
  first_request_size: firstRequestSize,
  four_rounds: fourRounds,
  ttft_overhead: ttftOverhead,
  plugin_start: pluginStart,
  tool_round_trip: toolRoundTrip,
  agent_start: agentStart,
  plugin_tiers: pluginTiers,
  sandbox: sandboxBench,
  judge_line: judgeLine,
  decide,
  journal_append: journalAppend,
  resume,
  compaction,
  cache_share: cacheShare,
  search_tree: searchTree,
  search_memory: searchMemory,
  search_sessions: searchSessionsBench,
  rewind: rewindTree,
};

/** Runs the named benchmarks, or all; false when something is broken. */
async function bench(names: readonly string[]): Promise<boolean> {
  const unknown = names.find((name) => !Object.hasOwn(BENCHMARKS, name));
  if (unknown !== undefined) {
    console.error(`No benchmark is called ${unknown}: choose from ${Object.keys(BENCHMARKS).join(", ")}`);
    return false;
  }
  const { kind, stale } = await findSubject();
  if (stale !== undefined) console.error(stale);
  const results: (BenchResult & { error?: string })[] = [];
  for (const [name, run] of Object.entries(BENCHMARKS)) {
    if (names.length > 0 && !names.includes(name)) continue;
    let result: BenchResult & { error?: string };
    try {
      result = await run();
    } catch (error) {
      result = { name, figures: {}, ratios: [], error: errorMessage(error) };
    }
    results.push(result);
    console.log(table(result));
  }
  const ok = results.every(({ error, ratios }) => error === undefined && ratios.every((ratio) => ratio.ok));
  const machine = { os: Deno.build.os, arch: Deno.build.arch, cpus: navigator.hardwareConcurrency };
  console.log(JSON.stringify({ ok, deno: Deno.version.deno, subject: kind, machine, results }));
  return ok;
}

function table({ name, figures, ratios, error }: BenchResult & { error?: string }): string {
  const rows = Object.entries(figures).map(([figure, value]) => `  ${figure.padEnd(60)}${value}`);
  for (const { name: ratio, value, limit, ok } of ratios) {
    rows.push(`  ${ratio.padEnd(60)}${Number(value.toFixed(3))}  limit ${limit}  ${ok ? "ok" : "BROKEN"}`);
  }
  if (error !== undefined) rows.push(`  FAILED: ${error}`);
  return `${name}\n${rows.join("\n")}\n`;
}

if (import.meta.main) Deno.exit(await bench(Deno.args) ? 0 : 1);
