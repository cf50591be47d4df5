import { startScriptedProvider } from "../../core/model/scripted/mod.ts";
import type { RecordedRequest } from "../../core/model/scripted/mod.ts";
import { startLumina } from "../support/run_lumina.ts";
import { tempDir } from "../support/temp_dir.ts";
import { userLine } from "../support/agent_project.ts";
import { atMost, type BenchResult, findSubject, modelFlags, round } from "./measure.ts";

const TURNS = 30;
/** Share of the prompt that is new, at most: what the last answer, its results and the new prompt take. */
const NEW = 0.15;

/** A session of 30 turns: the share of each prompt that repeats the one before byte for byte, which a provider's cache serves. */
export async function cacheShare(): Promise<BenchResult> {
  const { artifact } = await findSubject();
  await using dir = await tempDir();
  await dir.write("notes.txt", "a line of notes\n".repeat(40));
  await using provider = await startScriptedProvider({
    turns: Array.from(
      { length: TURNS },
      (_, index) =>
        index % 2 === 0
          ? { tool_calls: [{ name: "Read", input: { file_path: "notes.txt" } }] }
          : { text: `That was turn ${index}. `.repeat(10) },
    ),
  });
  const flags = modelFlags(provider.url, "anthropic");
  await using run = await startLumina(
    ["-p", "--input-format", "stream-json", "--output-format", "stream-json", ...flags],
    { cwd: dir.path, ...(artifact === undefined ? {} : { artifact }) },
  );
  const prompts = Array.from(
    { length: TURNS / 2 },
    (_, index) => JSON.stringify(userLine(`request ${index}`)),
  );
  await run.writeAll(`${prompts.join("\n")}\n`);
  const { code, stderr } = await run.finished;
  if (code !== 0) throw new Error(`The session ended with ${code}: ${stderr}`);
  const texts = provider.requests.map(promptText);
  let shared = 0;
  let total = 0;
  for (const [index, text] of texts.entries()) {
    if (index === 0) continue;
    shared += commonLength(texts[index - 1] ?? "", text);
    total += text.length;
  }
  const share = shared / total;
  return {
    name: "cache_share",
    figures: {
      requests: texts.length,
      cached_percent: round(share * 100),
      last_prompt_bytes: texts.at(-1)?.length ?? 0,
    },
    ratios: [atMost("new_share_of_prompts", round(1 - share, 3), NEW)],
  };
}

/** What a provider's cache compares: system prompt, tools and messages in this order. */
function promptText({ body }: RecordedRequest): string {
  return JSON.stringify([body["tools"], body["system"], body["messages"]]).slice(0, -2);
}

function commonLength(before: string, after: string): number {
  let length = 0;
  while (length < before.length && before[length] === after[length]) length++;
  return length;
}
