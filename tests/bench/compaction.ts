import { contextTokens } from "../../core/agent/context/token_count.ts";
import { compactorOf, summaryModel, withConversation } from "../support/test_conversation.ts";
import { atMost, type BenchResult, median, repeat, round } from "./measure.ts";

const ROUNDS = 100;
/** Characters of one result: with ROUNDS of them the conversation has 200 k tokens. */
const RESULT = 8_000;
const WINDOW = 200_000;
const RUNS = 5;
/** Own work of a compaction against writing the conversation as JSON once (4 to 8 measured), the model's time left out. */
const LIMIT = 40;

/** A session of 200 k tokens: what it costs to count it, and to compact it beside the model's own time. */
export async function compaction(): Promise<BenchResult> {
  let counted = 0;
  const times: number[] = [];
  const json: number[] = [];
  const count: number[] = [];
  const rss: number[] = [];
  await repeat(RUNS, async (run) => {
    await withConversation(async ({ session, begin, round: say, finish }) => {
      await begin("read all of it");
      for (let index = 0; index < ROUNDS; index++) {
        await say({
          input: `${index}.ts`,
          result: `const line_${index} = 1;\n`.repeat(RESULT / 20).slice(0, RESULT),
        });
      }
      await finish();
      const before = Deno.memoryUsage().rss;
      let started = performance.now();
      counted = contextTokens(session.state, []).tokens;
      count.push(performance.now() - started);
      started = performance.now();
      JSON.stringify(session.state.messages);
      json.push(performance.now() - started);
      const { compactor, run: scope } = compactorOf(session, summaryModel(WINDOW, "## Goal\nread all of it"));
      started = performance.now();
      await compactor.compact(scope, "", new AbortController().signal);
      times.push(performance.now() - started);
      rss.push((Deno.memoryUsage().rss - before) / 2 ** 20);
    });
    return run;
  });
  return {
    name: "compaction",
    figures: {
      tokens: counted,
      count_ms: round(median(count)),
      compact_ms: round(median(times)),
      rss_growth_mib: round(median(rss)),
    },
    ratios: [atMost("compaction_to_json", round(median(times) / median(json)), LIMIT)],
  };
}
