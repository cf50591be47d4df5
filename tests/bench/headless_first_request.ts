import { startScriptedProvider } from "../../core/model/scripted/mod.ts";
import { runLumina, startLumina } from "../support/run_lumina.ts";
import { tempDir } from "../support/temp_dir.ts";
import {
  atMost,
  type BenchResult,
  findSubject,
  median,
  modelFlags,
  percentile,
  type Ratio,
  repeat,
  round,
} from "./measure.ts";

const RUNS = 11;
/** 150 ms of a program whose `--version` takes 26 ms, with room for a busy machine. */
const LIMIT = 8;

/** Process start to the first request on the wire, headless, all bundled tools offered, on both wires. */
export async function headlessFirstRequest(): Promise<BenchResult> {
  const subject = await findSubject();
  const figures: Record<string, number> = {};
  const ratios: Ratio[] = [];
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
    const versions: number[] = [];
    const times = await repeat(RUNS, async () => {
      const start = performance.now();
      await runLumina(["--version"], { ...subject, app_root: dir.join("root") });
      versions.push(performance.now() - start);
      return await one();
    });
    figures[`${subject.kind}_${wire}_p50_ms`] = round(median(times));
    figures[`${subject.kind}_${wire}_min_ms`] = round(percentile(times, 0));
    const ratio = median(times) / median(versions);
    ratios.push(atMost(`${subject.kind}_${wire}_first_request_to_version`, ratio, LIMIT));
  }
  return { name: "headless_first_request", figures, ratios };
}
