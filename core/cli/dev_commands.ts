import { InvalidArgumentError } from "commander";
import type { Command } from "commander";
import type { CliDeps } from "./cli_deps.ts";
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

/** `lumina dev …`: tools for people who build on Lumina. */
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
