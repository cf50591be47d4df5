import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { errorMessage } from "../../base/mod.ts";

/** What came of checking types. */
export type TypeCheck =
  | { kind: "checked" }
  | { kind: "skipped"; reason: string }
  | { kind: "failed"; problems: string[] };

/** A compiler that has not answered by then is given up, milliseconds. */
const LIMIT_MS = 120_000;
/** Variables that the compiler needs to find its cache and to reach a registry. */
const INHERITED = ["PATH", "HOME", "DENO_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA", "SYSTEMROOT"];

/**
 * Checks the types of a pack's sources with the Deno at `deno`. JavaScript has none to check. Never throws: a compiler that
 * cannot be run leaves the types unchecked and says why.
 */
export async function checkTypes(
  directory: string,
  source: string,
  deno: string | undefined,
): Promise<TypeCheck> {
  if (!source.endsWith(".ts")) return { kind: "skipped", reason: "the source is JavaScript" };
  if (deno === undefined) return { kind: "skipped", reason: "no Deno was found on the PATH" };
  const installed = existsSync(join(directory, "node_modules"));
  const env: Record<string, string> = { NO_COLOR: "1" };
  for (const name of INHERITED) {
    const value = Deno.env.get(name);
    if (value !== undefined) env[name] = value;
  }
  try {
    const { success, stderr } = await new Deno.Command(deno, {
      // without a folder of packages none is looked for: the types of node: modules then come from Deno itself
      args: ["check", "--quiet", ...(installed ? [] : ["--node-modules-dir=none"]), source],
      cwd: directory,
      clearEnv: true,
      env,
      stdin: "null",
      stdout: "null",
      stderr: "piped",
      signal: AbortSignal.timeout(LIMIT_MS),
    }).output();
    if (success) return { kind: "checked" };
    const output = new TextDecoder().decode(stderr);
    if (output.includes("'npm:@types/node'")) {
      return { kind: "skipped", reason: "they need those of Node: npm install --save-dev @types/node" };
    }
    const problems = typeProblems(output, directory);
    return { kind: "failed", problems };
  } catch (error) {
    return { kind: "skipped", reason: `${deno} cannot be run: ${errorMessage(error)}` };
  }
}

/** One line per problem, `file:line:column: message`. What is not understood stays as it is, on one line. */
export function typeProblems(output: string, directory: string): string[] {
  const problems: string[] = [];
  let message: string | undefined;
  for (const line of output.split("\n")) {
    const place = /^\s+at (file:\/\/\S+):(\d+):(\d+)$/.exec(line);
    if (place !== null && message !== undefined) {
      const file = relative(directory, fileURLToPath(place[1] ?? "")).replaceAll("\\", "/");
      problems.push(`${file}:${place[2]}:${place[3]}: ${message}`);
      message = undefined;
      continue;
    }
    const start = /^(TS\d+) \[ERROR\]: (.*)$/.exec(line);
    if (start !== null) message = `${start[2]} (${start[1]})`;
  }
  return problems.length > 0
    ? problems
    : [`types: ${output.replace(/\s*\n\s*/g, " ").trim().slice(0, 1000)}`];
}
