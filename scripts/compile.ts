// deno-lint-ignore-file no-console
// Makes dist/lumina: bundle, staging folder, `deno compile`. Uses $LUMINA_COMPILE_DENO when set, else the running Deno.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleProgram } from "./bundle_program.ts";
import { RUN_FLAGS } from "./run_flags.ts";
import { stageAssets } from "./stage_assets.ts";

/** What `compileProgram` made. */
export interface Compiled {
  path: string;
  bytes: number;
  bundle_bytes: number;
  modules: number;
  seconds: number;
}

/** Compiles the checkout at `root` into `<dist>/lumina`. Throws with the compiler's words when it fails. */
export async function compileProgram(
  root: string,
  dist = join(root, "dist"),
  env: Record<string, string> = {},
): Promise<Compiled> {
  const started = performance.now();
  const stage = join(dist, "stage");
  const maps = join(dist, "maps");
  for (const old of [stage, maps]) await Deno.remove(old, { recursive: true }).catch(ignoreMissing);
  const bundle = await bundleProgram(root, stage, maps);
  const assets = await stageAssets(root, stage);
  await Deno.writeTextFile(join(stage, IMPORT_MAP), JSON.stringify(importMap(bundle.files)));

  const deno = env.LUMINA_COMPILE_DENO ?? Deno.env.get("LUMINA_COMPILE_DENO") ?? Deno.execPath();
  const path = join(dist, Deno.build.os === "windows" ? "lumina.exe" : "lumina");
  const [main = "main.js", ...workers] = bundle.entries;
  const included = [...workers, ...assets].sort().flatMap((file) => ["--include", file]);
  const { success, stderr } = await new Deno.Command(deno, {
    args: [
      "compile",
      "--quiet",
      "--no-config",
      "--import-map",
      IMPORT_MAP,
      "--no-check",
      // the cache would be a file of a known name in the shared temporary folder, and code that others may have put there
      "--no-code-cache",
      ...RUN_FLAGS,
      ...included,
      "--output",
      path,
      main,
    ],
    cwd: stage,
    env,
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).output();
  if (!success) throw new Error(`${deno} compile failed: ${new TextDecoder().decode(stderr).trim()}`);
  return {
    path,
    bytes: (await Deno.stat(path)).size,
    bundle_bytes: bundle.bytes,
    modules: bundle.modules,
    seconds: (performance.now() - started) / 1000,
  };
}

const IMPORT_MAP = "imports.json";

/**
 * Which files modules may be loaded from: the program's own, by name, and no other. The runtime of a compiled file loads any
 * module and any JSON from disk without asking for `read`, in a worker that may read nothing too, so an import would be a way
 * out of every grant. A name that nothing stands behind is what every other file becomes.
 */
function importMap(files: readonly string[]): { imports: Record<string, string> } {
  const own = files.map((file) => [`./${file}`, `./${file}`]);
  return { imports: { "file:///": "lumina-no-module:///", ...Object.fromEntries(own) } };
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}

if (import.meta.main) {
  const made = await compileProgram(fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, ""));
  const mb = (bytes: number) => (bytes / 1e6).toFixed(1);
  console.log(
    `${made.path}: ${mb(made.bytes)} MB (bundle ${mb(made.bundle_bytes)} MB of ${made.modules} modules) ` +
      `in ${made.seconds.toFixed(1)} s`,
  );
}
