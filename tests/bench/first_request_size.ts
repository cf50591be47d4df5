import { startScriptedProvider } from "../../core/model/scripted/mod.ts";
import type { Json } from "../../core/types/mod.ts";
import { startLumina } from "../support/run_lumina.ts";
import { tempDir } from "../support/temp_dir.ts";
import { atMost, type BenchResult, findSubject, modelFlags, type Ratio, round } from "./measure.ts";

/** Bytes of the system prompt and all tools together. */
const MOST_BYTES = 20_000;
/** Bytes of English text and JSON schemas that make a token, about. */
const BYTES_PER_TOKEN = 4;
/** The same of other agents, bytes, as they were measured for the budgets of this program. */
const OTHERS = { pi: 5_000, codex: 38_000, claude_code: 76_000 };

/** The fixed part of each request: the system prompt and every bundled tool, in bytes and about as many tokens as that is. */
export async function firstRequestSize(): Promise<BenchResult> {
  const subject = await findSubject();
  const figures: Record<string, number> = {};
  const ratios: Ratio[] = [];
  for (const wire of ["openai_compatible", "anthropic"] as const) {
    await using dir = await tempDir("lumina-bench-size-");
    await using provider = await startScriptedProvider({ turns: [{ text: "hello" }] });
    await using run = await startLumina(["-p", "hello", ...modelFlags(provider.url, wire)], {
      ...subject,
      cwd: dir.path,
      app_root: dir.join("root"),
    });
    await run.closeInput();
    const ended = await run.finished;
    if (ended.code !== 0) throw new Error(`The run ended with ${ended.code}: ${ended.stderr}`);
    const { system, tools, messages } = provider.requests[0]!.body as Record<string, Json>;
    const first = Array.isArray(messages) ? messages[0] : undefined;
    const bytes = (value: Json | undefined) =>
      value === undefined ? 0 : new TextEncoder().encode(JSON.stringify(value)).length;
    const own = bytes(tools) + bytes(system ?? first);
    if (Array.isArray(tools)) figures[`${wire}_tools`] = tools.length;
    figures[`${wire}_tools_bytes`] = bytes(tools);
    figures[`${wire}_system_bytes`] = bytes(system ?? first);
    figures[`${wire}_tokens_about`] = round(own / BYTES_PER_TOKEN);
    ratios.push(atMost(`${wire} bytes / ${MOST_BYTES}`, own / MOST_BYTES, 1));
  }
  for (const [name, size] of Object.entries(OTHERS)) figures[`${name}_tokens_about`] = size / BYTES_PER_TOKEN;
  return { name: "first_request_size", figures, ratios };
}
