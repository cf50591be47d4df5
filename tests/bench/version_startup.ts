import { findDenort } from "../support/denort.ts";
import { luminaCommand } from "../support/run_lumina.ts";
import { tempDir } from "../support/temp_dir.ts";
import { atMost, type BenchResult, findSubject, median, type Ratio, round } from "./measure.ts";

const RUNS = 15;
/** `lumina --version` may take this many times as long as a program that does nothing. */
const LIMIT = 1.5;

/** `lumina --version` against an empty Deno program, and the artefact against an empty compiled one. */
export async function versionStartup(): Promise<BenchResult> {
  await using dir = await tempDir("lumina-bench-version-");
  const figures: Record<string, number> = {};
  const ratios: Ratio[] = [];
  const compare = async (kind: string, lumina: string[], empty: string[]) => {
    await timed(lumina);
    await timed(empty);
    const rounds: { lumina: number; empty: number }[] = [];
    for (let run = 0; run < RUNS; run++) {
      rounds.push({ lumina: await timed(lumina), empty: await timed(empty) });
    }
    const version = median(rounds.map((one) => one.lumina));
    const nothing = median(rounds.map((one) => one.empty));
    figures[`${kind}_version_ms`] = round(version);
    figures[`${kind}_empty_ms`] = round(nothing);
    ratios.push(atMost(`${kind}_version_to_empty`, version / nothing, LIMIT));
  };

  const empty = await dir.write("empty.ts", "");
  const { program, flags } = luminaCommand();
  await compare("source", [program, ...flags, "--version"], [program, "run", "--quiet", "--no-check", empty]);
  const { artifact } = await findSubject();
  const compiled = artifact === undefined ? undefined : await compileEmpty(empty, dir.join("empty"));
  if (artifact !== undefined && compiled !== undefined) {
    await compare("artefact", [artifact, "--version"], [compiled]);
  }
  return { name: "version_startup", figures, ratios };
}

/** An empty compiled program by the same compiler and runtime; undefined where they cannot be had. */
async function compileEmpty(source: string, output: string): Promise<string | undefined> {
  const denort = await findDenort();
  if ("skip" in denort) return undefined;
  const { success, stderr } = await new Deno.Command(denort.env.LUMINA_COMPILE_DENO, {
    args: ["compile", "--quiet", "--no-config", "--no-check", "--output", output, source],
    env: denort.env,
    stdin: "null",
  }).output();
  if (!success) {
    throw new Error(`Cannot compile an empty program: ${new TextDecoder().decode(stderr).trim()}`);
  }
  return output;
}

/** Milliseconds from the start of a process to its end. */
async function timed([program = "", ...args]: string[]): Promise<number> {
  const start = performance.now();
  const { success, stderr } = await new Deno.Command(program, { args, stdin: "null" }).output();
  if (!success) throw new Error(`${program} ${args.join(" ")} failed: ${new TextDecoder().decode(stderr)}`);
  return performance.now() - start;
}
