import { InvalidArgumentError, Option } from "commander";
import type { Command } from "commander";
import { PERMISSION_MODES } from "../types/mod.ts";
import type { PermissionMode } from "../types/mod.ts";
import type { CliDeps } from "./cli_deps.ts";
import { parseMode } from "./parse_mode.ts";
import { runFlags } from "./run_flags.ts";
import { SignalAbort } from "./signals.ts";

const PROVIDER_HELP = `
It prints its address: run Lumina with that as LUMINA_API_BASE_URL, and any LUMINA_API_KEY and LUMINA_API_MODEL.
Turns are used in order, each once: the first one whose \`match\` is in the prompt or the tool results. A script:
  {"turns": [
    {"match": "list", "text": "I look.", "tool_calls": [{"name": "Bash", "input": {"command": "ls"}}]},
    {"match": "slow", "text": "A slow answer.", "fault": {"drip_ms": 100, "chunk_bytes": 40}},
    {"text": "That is all.", "repeat": true}
  ]}
core/model/scripted/script_schema.ts in the sources lists every key and fault.`;

/** `lumina dev …` and `lumina permission …`: tools for people who build on Lumina or wonder why a call asks. */
export function addDevCommands(program: Command, { app, io }: CliDeps): void {
  const dev = program.command("dev").description("tools for building on Lumina");
  dev.command("provider").description("serve a scripted model on both wires, on loopback, until interrupted")
    .addHelpText("after", PROVIDER_HELP)
    .requiredOption("--script <file>", "what it answers; JSON")
    .option("--port <n>", "0 takes a free one", parsePort, 0)
    .action(async ({ script, port }: { script: string; port: number }) => {
      const { signal, stop } = listen();
      await app.runProvider({ script_file: script, port, signal, print: (line) => void io.out(`${line}\n`) });
      stop();
    });
  const permission = program.command("permission").description("look into the permission rules");
  permission.command("explain").description(
    'how a call would be judged, e.g. explain "Bash(git status && rm x)"',
  )
    .argument("<call>").option("--cwd <dir>", "the workspace")
    .addOption(
      new Option("--permission-mode <mode>", `one of ${PERMISSION_MODES.join(", ")}`).argParser(parseMode),
    )
    .action(async (call: string, options: { cwd?: string; permissionMode?: PermissionMode }) => {
      // flags of the program itself may stand before the command
      const before: { cwd?: string; permissionMode?: PermissionMode } = program.opts();
      const { cwd = before.cwd, permissionMode = before.permissionMode } = options;
      const flags = runFlags({
        ...(cwd === undefined ? {} : { cwd }),
        ...(permissionMode === undefined ? {} : { permissionMode }),
      });
      for (const line of await app.explainPermission(call, flags)) await io.out(`${line}\n`);
    });
}

function listen(): { signal: AbortSignal; stop(): void } {
  const signals = new SignalAbort();
  return { signal: signals.signal, stop: () => signals.stop() };
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65535) {
    throw new InvalidArgumentError("It must be 0 to 65535.");
  }
  return port;
}
