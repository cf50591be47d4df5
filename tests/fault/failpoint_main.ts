/**
 * The real command line in a world that ends the process (SIGKILL, as a crash would) at a named place. Arguments: the
 * place, which of its visits ends it (from 1), then Lumina's own. The product's world has no such places.
 */
import { systemWorld } from "../../core/base/mod.ts";
import { run } from "../../core/app/mod.ts";

const [place, nth, ...args] = Deno.args as [string, string, ...string[]];
let visits = 0;
systemWorld.failpoint = (name) => {
  if (name === place && ++visits === Number(nth)) Deno.kill(Deno.pid, "SIGKILL");
};
Deno.exit(await run(args, new URL("../../", import.meta.url)));
