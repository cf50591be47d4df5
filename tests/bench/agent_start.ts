import { startScriptedProvider } from "../../core/model/scripted/mod.ts";
import type { JsonObject } from "../../core/types/mod.ts";
import { startLumina } from "../support/run_lumina.ts";
import { tempDir } from "../support/temp_dir.ts";
import { atMost, type BenchResult, findSubject, median, modelFlags, round } from "./measure.ts";

const TIMES = 11;
/** A sub-agent begins within so many of the parent's own round trips with a tool that does nothing. */
const LIMIT = 6;

/** From the answer that asks for a sub-agent to that one's first request, against a round trip of the parent itself. */
export async function agentStart(): Promise<BenchResult> {
  const subject = await findSubject();
  const call = (name: string, input: JsonObject) => ({ tool_calls: [{ name, input }] });
  /** Times between the requests of one run, milliseconds. */
  const gaps = async (name: string, input: (n: number) => JsonObject): Promise<number[]> => {
    await using dir = await tempDir("lumina-bench-agents-");
    await using provider = await startScriptedProvider({
      turns: [
        { match: "sub task", repeat: true, text: "sub answer" },
        ...Array.from({ length: TIMES }, (_, n) => call(name, input(n))),
        { text: "done" },
      ],
    });
    await using run = await startLumina(["-p", "go", ...modelFlags(provider.url, "anthropic")], {
      ...subject,
      cwd: dir.path,
      app_root: dir.join("root"),
    });
    await run.closeInput();
    const ended = await run.finished;
    if (ended.code !== 0) throw new Error(`The run ended with ${ended.code}: ${ended.stderr}`);
    const at = provider.requests.map(({ at_ms }) => at_ms);
    return at.slice(1).map((time, index) => time - (at[index] ?? NaN));
  };
  const own = await gaps("AgentOutput", (n) => ({ timeout: n + 1 }));
  const delegated = await gaps("Agent", (n) => ({ description: `part ${n}`, prompt: "sub task" }));
  // parent and sub-agent take turns: every other gap begins at an answer that asks for one
  const starts = delegated.filter((_, index) => index % 2 === 0);
  const figures = {
    [`${subject.kind}_parent_round_ms`]: round(median(own)),
    [`${subject.kind}_first_agent_ms`]: round(starts[0] ?? NaN),
    [`${subject.kind}_agent_p50_ms`]: round(median(starts.slice(1))),
  };
  const ratio = median(starts.slice(1)) / median(own);
  return {
    name: "agent_start",
    figures,
    ratios: [atMost(`${subject.kind}_agent_to_parent_round`, ratio, LIMIT)],
  };
}
