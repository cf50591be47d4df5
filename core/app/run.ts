import { basename } from "node:path";
import { argv0 } from "node:process";
import { errorMessage, EXIT, LuminaError, systemWorld } from "../base/mod.ts";
import { processIo, runCli } from "../cli/mod.ts";
import { makeApp } from "./make_app.ts";
import { VERSION } from "./version.ts";

/**
 * Runs the program under the name it was started with and gives its exit code.
 *
 * @param root where `resources/`, `plugins/` and the worker entries lie: the repository, or the folder inside the
 * compiled file.
 */
export async function run(args: readonly string[], root: URL): Promise<number> {
  const io = processIo();
  if (Deno.env.get("DENO_PERMISSION_BROKER_PATH") !== undefined) {
    io.err(
      "lumina: DENO_PERMISSION_BROKER_PATH is set: it would void every permission; unset it and start again\n",
    );
    return EXIT.usage;
  }
  const name = personality();
  if (name === "allinluna" || (name === "lumina" && args[0] === "luna")) {
    io.err("lumina: this version has no workflow engine yet; run a prompt with lumina -p\n");
    return EXIT.usage;
  }
  const app = makeApp(root, systemWorld);
  try {
    const exit = await runCli({ app, io, world: systemWorld, version: VERSION, name }, args);
    await io.flushed();
    return exit;
  } catch (error) {
    if (error instanceof LuminaError) {
      io.err(`lumina: ${errorMessage(error)}\n`);
      return error.exit;
    }
    io.err(`lumina: internal error: ${errorMessage(error)}\n`);
    return EXIT.failed;
  }
}

/** Installers make the other names as links; under `deno run` the name is always `lumina`. */
function personality(): string {
  const name = basename(argv0).replace(/\.exe$/i, "");
  return name === "lumina-backend" || name === "allinluna" ? name : "lumina";
}
