// The one entry of every personality. `--version` is answered before anything else is loaded, and the process of a pack
// loads nothing but what that needs.
import { VERSION } from "./core/app/version.ts";

if (Deno.args.length === 1 && (Deno.args[0] === "--version" || Deno.args[0] === "-v")) {
  // deno-lint-ignore no-console -- the one line that must not wait for the rest of the program
  console.log(VERSION);
} else if (Deno.args[0] === "__plugin") {
  const { pluginProcess } = await import(
    "./core/plugin_host/process/plugin_process.ts" as string
  ) as typeof import("./core/plugin_host/process/plugin_process.ts");
  await pluginProcess();
} else if (Deno.args[0] === "__bridge") {
  const { bridgeProcess } = await import(
    "./core/app/sandbox/bridge.ts" as string
  ) as typeof import("./core/app/sandbox/bridge.ts");
  await bridgeProcess(Deno.args[1] ?? "");
} else if (Deno.args[0] === "__telemetry") {
  const { telemetryProcess } = await import(
    "./core/app/telemetry/telemetry_process.ts" as string
  ) as typeof import("./core/app/telemetry/telemetry_process.ts");
  await telemetryProcess();
} else {
  // `as string` keeps Deno from reading the whole module graph before it is needed; the bundler sees through it
  const { run } = await import("./core/app/mod.ts" as string) as typeof import("./core/app/mod.ts");
  Deno.exit(await run(Deno.args, new URL("./", import.meta.url)));
}
