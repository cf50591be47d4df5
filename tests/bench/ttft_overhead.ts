import { startScriptedProvider } from "../../core/model/scripted/mod.ts";
import { startLumina } from "../support/run_lumina.ts";
import { tempDir } from "../support/temp_dir.ts";
import { atMost, type BenchResult, findSubject, median, modelFlags, percentile, round } from "./measure.ts";

const TURNS = 40;
/** A fast provider's time to its first token. */
const PROVIDER_MS = 100;
/** 5 ms over a bare client of such a provider, with as much again for a busy machine. */
const LIMIT = 1.1;

/**
 * From a user's line on standard input to the first text delta on standard output, against a bare SSE client of the
 * same server, in turns.
 */
export async function ttftOverhead(): Promise<BenchResult> {
  const subject = await findSubject();
  await using dir = await tempDir("lumina-bench-ttft-");
  await using provider = await startScriptedProvider({
    check: false,
    turns: [{ text: ["first", " second"], delay_ms: PROVIDER_MS, repeat: true }],
  });
  const flags = [
    "--input-format",
    "stream-json",
    "--output-format",
    "stream-json",
    "--include-partial-messages",
  ];
  await using run = await startLumina(["-p", ...flags, ...modelFlags(provider.url, "anthropic")], {
    ...subject,
    cwd: dir.path,
    app_root: dir.join("root"),
  });
  const lines = run.lines()[Symbol.asyncIterator]();
  const untilLine = async (part: string) => {
    for (let line = await lines.next(); !line.done; line = await lines.next()) {
      if (line.value.includes(part)) return;
    }
    const { code, stderr } = await run.finished;
    throw new Error(`The run ended with ${code} before ${part}: ${stderr}`);
  };
  const throughLumina = async () => {
    const start = performance.now();
    await run.write(`${JSON.stringify({ type: "user", message: { role: "user", content: "hello" } })}\n`);
    await untilLine('"text_delta"');
    const took = performance.now() - start;
    await untilLine('"type":"result"');
    return took;
  };
  const pairs: { lumina: number; bare: number }[] = [];
  for (let turn = -3; turn < TURNS; turn++) {
    const pair = { lumina: await throughLumina(), bare: await bareClient(provider.url) };
    if (turn >= 0) pairs.push(pair);
  }
  await run.closeInput();
  const { code, stderr } = await run.finished;
  if (code !== 0) throw new Error(`The run ended with ${code}: ${stderr}`);
  const bare = median(pairs.map((pair) => pair.bare));
  const over = pairs.map((pair) => pair.lumina - pair.bare);
  return {
    name: "ttft_overhead",
    figures: {
      bare_client_p50_ms: round(bare),
      [`${subject.kind}_p50_ms`]: round(median(pairs.map((pair) => pair.lumina))),
      overhead_p50_ms: round(median(over)),
      overhead_p99_ms: round(percentile(over, 0.99)),
    },
    ratios: [atMost("ttft_to_bare_client_p50", median(pairs.map((pair) => pair.lumina)) / bare, LIMIT)],
  };
}

/** Milliseconds to the first text delta for the least client there can be; reads the rest before it returns. */
async function bareClient(url: string): Promise<number> {
  const start = performance.now();
  const response = await fetch(`${url}/v1/messages`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": "bench", "anthropic-version": "2023-06-01" },
    body: JSON.stringify({
      model: "bench-model",
      max_tokens: 100,
      stream: true,
      messages: [{ role: "user", content: "hello" }],
    }),
  });
  let seen = "";
  let took: number | undefined;
  for await (
    const chunk of (response.body ?? new ReadableStream<Uint8Array>()).pipeThrough(new TextDecoderStream())
  ) {
    seen += chunk;
    if (took === undefined && seen.includes("text_delta")) took = performance.now() - start;
  }
  if (took === undefined) throw new Error(`The bare client got no text: ${seen.slice(0, 200)}`);
  return took;
}
