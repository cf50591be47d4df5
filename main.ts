// The one entry of every personality. `--version` is answered before anything else is loaded.
import { VERSION } from "./core/app/version.ts";

if (Deno.args.length === 1 && (Deno.args[0] === "--version" || Deno.args[0] === "-v")) {
  // deno-lint-ignore no-console -- the one line that must not wait for the rest of the program
  console.log(VERSION);
} else {
  // `as string` keeps Deno from reading the whole module graph before it is needed; the bundler sees through it
  const { run } = await import("./core/app/mod.ts" as string) as typeof import("./core/app/mod.ts");
  Deno.exit(await run(Deno.args, new URL("./", import.meta.url)));
}
