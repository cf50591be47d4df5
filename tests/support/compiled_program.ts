import { join } from "node:path";
import { type Compiled, compileProgram } from "../../scripts/compile.ts";
import { newestSource } from "./newest_source.ts";
import { REPO_ROOT } from "./repo_root.ts";

let built: Promise<string> | undefined;

/** The compiled program for tests: `dist/lumina` when it is newer than every source, else made now. */
export function compiledProgram(env: Record<string, string>): Promise<string> {
  return built ??= (async () => {
    const path = join(REPO_ROOT, "dist/lumina");
    const made = await modified(path);
    if (made !== undefined && made > (await newestSource()).modified) return path;
    const compiled: Compiled = await compileProgram(REPO_ROOT, undefined, env);
    return compiled.path;
  })();
}

async function modified(path: string): Promise<number | undefined> {
  try {
    return (await Deno.stat(path)).mtime?.getTime();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
