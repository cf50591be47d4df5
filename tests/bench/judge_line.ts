import { createRequire } from "node:module";
import { Language, Parser } from "web-tree-sitter";
import { BASH, inPlace } from "../security/permission_support.ts";
import { createJudge } from "../../core/permission/mod.ts";
import { atMost, type BenchResult, median, type Ratio, round } from "./measure.ts";

/**
 * Lines and what their judgement may cost, in parses of the same line: twice what it does, as the disk's part varies. A
 * list of `git` commands costs most, because the repository's settings are read for each. 50 parses are about 1 ms.
 */
const LINES = {
  plain: { command: "ls -la src", limit: 10 },
  list: { command: "git status && git diff", limit: 50 },
  pipe: { command: "rg -n foo src | head -5", limit: 18 },
};
const WARM_UP = 50;
const ROUNDS = 200;
/** Calls that are timed together, so that the clock's step does not count. */
const CALLS = 10;

/**
 * The judgement of a command line, grammar loaded, against the bare parse of the same line, in turns. A judgement looks
 * at the disk for the paths that the line names, as a call does.
 */
export async function judgeLine(): Promise<BenchResult> {
  const figures: Record<string, number> = {};
  const ratios: Ratio[] = [];
  const { judge } = createJudge();
  const parser = await bareParser();
  try {
    await inPlace(async ({ policy: policyOf }) => {
      const policy = policyOf({ deny: ["Bash(rm *)"], allow: ["Bash(git commit *)"], folds_case: false });
      for (const [name, { command, limit }] of Object.entries(LINES)) {
        const judging = async () => {
          for (let call = 0; call < CALLS; call++) await judge({ tool: BASH, input: { command } }, policy);
        };
        const parsing = () => {
          for (let call = 0; call < CALLS; call++) parser.parse(command)?.delete();
        };
        const judged: number[] = [];
        const parsed: number[] = [];
        for (let turn = -WARM_UP; turn < ROUNDS; turn++) {
          const one = { judge: await timed(judging), parse: await timed(parsing) };
          if (turn < 0) continue;
          judged.push(one.judge);
          parsed.push(one.parse);
        }
        figures[`${name}_judge_us`] = round(median(judged));
        figures[`${name}_parse_us`] = round(median(parsed));
        ratios.push(atMost(`${name}_judge_to_parse_p50`, median(judged) / median(parsed), limit));
      }
    });
  } finally {
    parser.delete();
  }
  return { name: "judge_line", figures, ratios };
}

/** The grammar without anything of Lumina around it. */
async function bareParser(): Promise<Parser> {
  const { resolve } = createRequire(import.meta.url);
  await Parser.init();
  const parser = new Parser();
  const grammar = await Deno.readFile(resolve("tree-sitter-bash/tree-sitter-bash.wasm"));
  parser.setLanguage(await Language.load(grammar));
  return parser;
}

/** Microseconds of one call. */
async function timed(body: () => unknown): Promise<number> {
  const start = performance.now();
  await body();
  return (performance.now() - start) * 1000 / CALLS;
}
