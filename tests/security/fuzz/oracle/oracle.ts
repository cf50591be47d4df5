import type { Place } from "../../permission_support.ts";
import { judgeTrace } from "./judge_trace.ts";
import { runBatch } from "./run_batch.ts";

/** A line that was executed and did more than read. */
export interface Caught {
  line: string;
  /** What it did, with the system calls. */
  deeds: string[];
  /** It did the same alone in a fresh sandbox; where not, lines in front of it had a part. */
  alone: boolean;
}

/** What an execution of lines showed. */
export interface OracleResult {
  caught: Caught[];
  /** How many were ended because they took too long. */
  late: number;
}

const MOST_DEEDS = 8;

/** Executes lines together and gives those that did more than read, each tried once more alone unless `again` is false. */
export async function watch(
  place: Place,
  lines: readonly string[],
  { again = true }: { again?: boolean } = {},
): Promise<OracleResult> {
  const { trace, changes, late, shown } = await runBatch(place, lines);
  const deeds = judgeTrace(trace, lines, place);
  const suspects = new Map<number, string[]>();
  for (const { line, what, call } of deeds) {
    const known = suspects.get(line) ?? [];
    if (known.length < MOST_DEEDS) known.push(`${what}  ${call}`);
    suspects.set(line, known);
  }
  const caught: Caught[] = [];
  for (const [at, told] of suspects) {
    const line = lines[at] ?? "";
    if (lines.length === 1 || !again) {
      caught.push({ line, deeds: told, alone: lines.length === 1 });
      continue;
    }
    const alone = await watch(place, [line]);
    caught.push(alone.caught[0] ?? { line, deeds: told, alone: false });
  }
  // what no call tells of belongs to one of the lines that are left
  if (caught.length === 0 && (changes !== "" || shown > 0)) {
    const deeds = [
      ...(changes === "" ? [] : [`the workspace changed: ${changes}`]),
      ...(shown === 0 ? [] : ["it printed a canary"]),
    ];
    if (lines.length === 1) {
      return { caught: [{ line: lines[0] ?? "", deeds, alone: true }], late: late.length };
    }
    const half = Math.ceil(lines.length / 2);
    const parts = [await watch(place, lines.slice(0, half)), await watch(place, lines.slice(half))];
    caught.push(...parts.flatMap((part) => part.caught));
    if (caught.length === 0) caught.push({ line: lines.join("\n---\n"), deeds, alone: false });
  }
  return { caught, late: late.length };
}
