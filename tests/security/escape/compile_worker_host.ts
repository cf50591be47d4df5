import * as esbuild from "esbuild";
import { join } from "node:path";
import { RUN_FLAGS } from "../../../scripts/run_flags.ts";
import { REPO_ROOT } from "../../support/repo_root.ts";

/** Compiles worker_host.ts and its worker into `directory` the way the product is compiled; gives the program's path. */
export async function compileWorkerHost(directory: string, env: Record<string, string>): Promise<string> {
  const here = join(REPO_ROOT, "tests/security/escape");
  await esbuild.build({
    absWorkingDir: here,
    entryPoints: ["worker_host.ts", "escape_worker.ts"],
    outdir: directory,
    bundle: true,
    format: "esm",
    platform: "node",
    mainFields: ["module", "main"],
    target: "chrome142",
    logLevel: "warning",
  });
  await esbuild.stop();
  const own = ["./worker_host.js", "./escape_worker.js"].map((file) => [file, file]);
  const imports = { "file:///": "lumina-no-module:///", ...Object.fromEntries(own) };
  await Deno.writeTextFile(join(directory, "imports.json"), JSON.stringify({ imports }));
  const program = join(directory, "worker_host");
  const only = ["--quiet", "--no-config", "--no-check", "--no-code-cache", "--import-map", "imports.json"];
  const { success, stderr } = await new Deno.Command(env["LUMINA_COMPILE_DENO"] ?? Deno.execPath(), {
    args: [
      "compile",
      ...only,
      ...RUN_FLAGS,
      "--include",
      "escape_worker.js",
      "--output",
      program,
      "worker_host.js",
    ],
    cwd: directory,
    env,
    stdin: "null",
  }).output();
  if (!success) throw new Error(`deno compile failed: ${new TextDecoder().decode(stderr)}`);
  return program;
}
