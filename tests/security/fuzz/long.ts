// deno-lint-ignore-file no-console
// The long run of the fuzzer:
//   deno task test:fuzz:long --decided 5000000 --executed 50000 --seed 1
// Progress goes to standard error, the result is one line of JSON. Exits 1 on a false allow. The run is cut into chunks
// with a seed of their own; `--from N` goes on at the chunk N, as the progress has it.
import { parseArgs } from "node:util";
import { inPlace } from "../permission_support.ts";
import { fillPlace } from "./fuzz_workspace.ts";
import { knownLines } from "./known_lines.ts";
import { missing } from "./oracle/missing.ts";
import { fuzz } from "./run_fuzz.ts";
import type { FuzzResult } from "./run_fuzz.ts";

const CHUNK = 100_000;

async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      decided: { type: "string", default: "5000000" },
      executed: { type: "string", default: "50000" },
      seed: { type: "string", default: "1" },
      from: { type: "string", default: "0" },
    },
  });
  const decided = Number(values.decided);
  const executed = Number(values.executed);
  const seed = Number(values.seed);
  const why = missing();
  if (why !== undefined || ![decided, executed, seed, Number(values.from)].every(Number.isSafeInteger)) {
    console.error(why ?? "--decided, --executed, --seed and --from are whole numbers");
    return 2;
  }
  const known = await knownLines();
  const chunks = Math.ceil(decided / CHUNK);
  const total: FuzzResult & { seconds: number } = {
    seed,
    decided: 0,
    allowed: 0,
    executed: 0,
    late: 0,
    false_allows: [],
    seconds: 0,
  };
  const start = performance.now();
  for (let chunk = Number(values.from); chunk < chunks; chunk++) {
    await inPlace(async (place) => {
      await fillPlace(place);
      const result = await fuzz({
        place,
        seed: seed + chunk * 1_000_003,
        decided: Math.min(CHUNK, decided - chunk * CHUNK),
        executed: Math.ceil(executed / chunks),
        known,
      });
      for (const name of ["decided", "allowed", "executed", "late"] as const) total[name] += result[name];
      total.false_allows.push(...result.false_allows);
      for (const one of result.false_allows) console.error(JSON.stringify(one));
    });
    total.seconds = Math.round((performance.now() - start) / 1000);
    const { false_allows, ...figures } = total;
    console.error(
      `chunk ${chunk + 1} of ${chunks}: ${JSON.stringify({ ...figures, false_allows: false_allows.length })}`,
    );
  }
  console.log(JSON.stringify(total));
  return total.false_allows.length === 0 ? 0 : 1;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
