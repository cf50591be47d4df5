/**
 * The real command line in a world that writes down who comes when in its runs: the file's name, then Lumina's own arguments.
 * Each line is a run, a stage and a participant.
 */
import { run } from "../../core/app/mod.ts";
import { systemWorld } from "../../core/base/mod.ts";

const [file, ...args] = Deno.args as [string, ...string[]];
systemWorld.stage = (run_id, stage, participant) =>
  Deno.writeTextFileSync(file, `${JSON.stringify([run_id, stage, participant])}\n`, { append: true });
Deno.exit(await run(args, new URL("../../", import.meta.url)));
