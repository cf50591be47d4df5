import { decide as decideCall } from "../../core/permission/mod.ts";
import type { CallFacts } from "../../core/permission/mod.ts";
import { lazyShellParser } from "../../core/permission/shell/parser.ts";
import { shellFacts } from "../../core/permission/shell_facts.ts";
import { BASH, inPlace } from "../security/permission_support.ts";
import { atMost, type BenchResult, median, round } from "./measure.ts";

const RULES = 500;
/** Different lines, so that no memory of one line answers for all. */
const LINES = 200;
const WARM_UP = 5;
const ROUNDS = 30;

const PROGRAMS = "git npm cargo docker kubectl make go deno python3 rg terraform pnpm gh ssh".split(" ");
const VERBS = "run build test status push get apply list exec install lint deploy".split(" ");
const COMMANDS = [
  (n: number) => `git log --oneline -${n + 1}`,
  (n: number) => `npm run build:${n}`,
  (n: number) => `rg -n word${n} src | head -${n + 1}`,
  (n: number) => `cargo test --package part${n}`,
  (n: number) => `cat src/file${n}.ts`,
  (n: number) => `docker build -t image:${n} .`,
  (n: number) => `ls -la src/part${n}`,
  (n: number) => `echo "step ${n}" > out/log${n}.txt`,
];

/** Rules as people collect them: prefixes, wildcards within, patterns on paths, in all three lists. */
function rules(): { allow: string[]; ask: string[]; deny: string[] } {
  const lists = { allow: [] as string[], ask: [] as string[], deny: [] as string[] };
  for (let n = 0; n < RULES; n++) {
    const program = PROGRAMS[n % PROGRAMS.length];
    const verb = VERBS[(n >> 2) % VERBS.length];
    const list = lists[(["allow", "allow", "ask", "deny"] as const)[n % 4] ?? "allow"];
    const kind = n % 10;
    if (kind < 4) list.push(`Bash(${program} ${verb}${n} *)`);
    else if (kind < 6) list.push(`Bash(${program} ${verb}:${n}:*)`);
    else if (kind === 6) list.push(`Bash(* --flag${n} *)`);
    else if (kind === 7) list.push(`Read(secret${n}/**)`);
    else if (kind === 8) list.push(`Edit(/generated/part${n}/*.ts)`);
    else list.push(`Read(**/*.key${n})`);
  }
  return lists;
}

/** The decision about a line of five commands with 500 rules, with its parse and its look-ups measured apart. */
export async function decide(): Promise<BenchResult> {
  const parse = await lazyShellParser()();
  const lines = Array.from(
    { length: LINES },
    (_, n) =>
      Array.from({ length: 5 }, (_, at) => COMMANDS[(n + at) % COMMANDS.length]?.(n) ?? "").join(" && "),
  );
  const spent: Record<"parse" | "facts" | "decide" | "regexps", number[]> = {
    parse: [],
    facts: [],
    decide: [],
    regexps: [],
  };
  await inPlace(async ({ policy: policyOf }) => {
    await Promise.resolve();
    const policy = policyOf({ mode: "ask", ...rules(), folds_case: false });
    const expressions = [...policy.allow, ...policy.ask, ...policy.deny].map(({ specifier = "" }) =>
      new RegExp(
        `^${specifier.split("*").map((text) => text.replace(/[\\^$.+?()[\]{}|]/g, "\\$&")).join(".*")}$`,
      )
    );
    const each = (body: (line: string, at: number) => unknown): number => {
      const start = performance.now();
      lines.forEach(body);
      return (performance.now() - start) * 1000 / lines.length;
    };
    const facts = lines.map((command): CallFacts => ({
      tool: BASH,
      input: { command },
      paths: [],
      shell: shellFacts(command, policy, parse),
    }));
    for (let round = -WARM_UP; round < ROUNDS; round++) {
      const one = {
        parse: each((line) => parse(line)),
        facts: round % 5 === 0 ? each((line) => shellFacts(line, policy, parse)) : undefined,
        decide: each((_, at) => decideCall(facts[at] as CallFacts, policy)),
        regexps: each((line) => {
          let matched = 0;
          for (const command of line.split(" && ")) {
            for (const expression of expressions) if (expression.test(command)) matched += 1;
          }
          return matched;
        }),
      };
      if (round < 0) continue;
      for (const name of ["parse", "facts", "decide", "regexps"] as const) {
        const value = one[name];
        if (value !== undefined) spent[name].push(value);
      }
    }
  });
  const { parse: parsed, facts: looked, decide: decided, regexps } = spent;
  const micros = median(decided);
  return {
    name: "decide",
    figures: {
      rules: RULES,
      parse_us: round(median(parsed)),
      facts_with_parse_us: round(median(looked)),
      decide_us: round(micros),
      decisions_per_second: Math.round(1_000_000 / micros),
      reference_500_regexps_for_5_commands_us: round(median(regexps)),
    },
    ratios: [
      atMost("decide_to_500_regexps_for_each_command", micros / median(regexps), 0.5),
    ],
  };
}
