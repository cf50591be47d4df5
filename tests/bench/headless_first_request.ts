import { startScriptedProvider } from "../../core/model/scripted/mod.ts";
import { startLumina } from "../support/run_lumina.ts";
import { tempDir } from "../support/temp_dir.ts";
import { type BenchResult, findSubject, median, modelFlags, percentile, repeat, round } from "./measure.ts";

const RUNS = 11;

/** Process start to the first request on the wire, headless, all bundled tools offered, on both wires. */
export async function headlessFirstRequest(): Promise<BenchResult> {
  const subject = await findSubject();
  const figures: Record<string, number> = {};
  for (const wire of ["openai_compatible", "anthropic"] as const) {
    await using dir = await tempDir("lumina-bench-first-");
    await using provider = await startScriptedProvider({ turns: [{ text: "hello", repeat: true }] });
    const one = async () => {
      const before = provider.requests.length;
      const start = performance.now();
      await using run = await startLumina(["-p", "hello", ...modelFlags(provider.url, wire)], {
        ...subject,
        cwd: dir.path,
        app_root: dir.join("root"),
      });
      await run.closeInput();
      const ended = await run.finished;
      if (ended.code !== 0) throw new Error(`The run ended with ${ended.code}: ${ended.stderr}`);
      return (provider.requests[before]?.at_ms ?? NaN) - start;
    };
    figures[`${subject.kind}_${wire}_first_start_ms`] = round(await one());
    const times = await repeat(RUNS, one);
    figures[`${subject.kind}_${wire}_p50_ms`] = round(median(times));
    figures[`${subject.kind}_${wire}_min_ms`] = round(percentile(times, 0));
  }
  return { name: "headless_first_request", figures, ratios: [] };
}
