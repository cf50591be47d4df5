import type { World } from "../base/mod.ts";
import type { StreamJsonHeader } from "../protocol/mod.ts";
import type { LockdownReport, OpenSession, SessionCatalogue } from "./app_port.ts";
import type { CliIo } from "./io.ts";
import { runPrinter } from "./output.ts";
import type { RunPrinter } from "./output.ts";
import type { PrintOptions } from "./print_options.ts";

/** The printer of an open session in the chosen format. */
export async function sessionPrinter(
  session: OpenSession,
  io: CliIo,
  world: World,
  options: PrintOptions,
): Promise<RunPrinter> {
  // nothing else names what can be called here
  const catalogue = options.output === "stream-json" ? await session.catalogue() : undefined;
  const header = {
    session_id: session.session_id,
    version: options.version,
    api_key_source: session.api_key_source,
    plugins: session.plugins,
    ...(catalogue === undefined ? {} : { catalogue: publicCatalogue(catalogue) }),
    include_partial: options.include_partial,
    uuid: () => world.uuid(),
    ...(session.lockdown === undefined ? {} : { lockdown: session.lockdown }),
  };
  if (session.lockdown !== undefined && options.output === "text") {
    io.err(`lumina: ${lockdownLine(session.lockdown)}\n`);
  }
  return runPrinter(options.output, io, header, options.verbose);
}

/** What the first line of a stream says may be called. */
function publicCatalogue(
  { commands, agents, output_style }: SessionCatalogue,
): StreamJsonHeader["catalogue"] {
  return {
    slash_commands: commands.map(({ name }) => name),
    skills: commands.filter(({ source }) => source === "skill").map(({ name }) => name),
    agents: agents.map(({ name }) => name),
    output_style,
  };
}

/** The start line of a locked run. */
function lockdownLine({ modes, absent }: LockdownReport): string {
  const lacks = absent.map(({ what, why }) => `${what} (${why})`).join("; ");
  return `locked: ${modes.join(", ")}; absent: ${lacks}`;
}
