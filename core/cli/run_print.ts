import { EXIT, LuminaError } from "../base/mod.ts";
import type { World } from "../base/mod.ts";
import type { RunResult } from "../types/mod.ts";
import type { AppPort, RunFlags } from "./app_port.ts";
import type { CliIo } from "./io.ts";
import { runPrinter } from "./output.ts";
import type { OutputFormat } from "./output.ts";
import { askOnTerminal } from "./permission_prompt.ts";
import { readLines, readPipedText } from "./read_stdin.ts";
import { SignalAbort } from "./signals.ts";
import { runStreamInput } from "./run_stream_input.ts";

export interface PrintOptions {
  prompt?: string;
  output: OutputFormat;
  input: "text" | "stream-json";
  include_partial: boolean;
  replay_user_messages: boolean;
  /** `--permission-prompt stdio`: questions go out on the protocol, or to the terminal in text mode. */
  permission_prompt: boolean;
  verbose: boolean;
  version: string;
}

/** `lumina -p`: one prompt, or a stream of them, and the exit code that says how it went. */
export async function runPrint(
  app: AppPort,
  io: CliIo,
  world: World,
  flags: RunFlags,
  options: PrintOptions,
): Promise<number> {
  if (options.input === "stream-json") return await runStreamInput(app, io, world, flags, options);
  const signals = new SignalAbort();
  const warn = (text: string) => io.err(`lumina: ${text}\n`);
  try {
    const asking = options.permission_prompt && options.prompt !== undefined;
    const lines = asking ? readLines(io.stdin) : undefined;
    if (lines !== undefined) flags.ask = (question) => askOnTerminal(io, lines, question);
    const piped = asking || io.stdin_is_terminal
      ? Promise.resolve("")
      : readPipedText(io.stdin, { optional: options.prompt !== undefined, warn });
    piped.catch(() => {}); // awaited below; an early failure must not count as unhandled
    const session = await app.openSession(flags, warn);
    let result: RunResult;
    try {
      const text = combine(options.prompt, await piped);
      const printer = runPrinter(options.output, io, {
        session_id: session.session_id,
        version: options.version,
        api_key_source: session.api_key_source,
        plugins: session.plugins,
        include_partial: options.include_partial,
        uuid: () => world.uuid(),
      }, options.verbose);
      result = await session.run({ text }, (event) => printer.event(event), signals.signal);
      await printer.done();
    } finally {
      await session.close();
    }
    return signals.exit ?? exitOf(result);
  } finally {
    signals.stop();
  }
}

/** The exit code of a result. */
export function exitOf(result: RunResult): number {
  if (result.status === "success") return EXIT.ok;
  if (result.status === "blocked") return EXIT.blocked;
  if (result.status === "interrupted") return EXIT.interrupted;
  return EXIT.failed;
}

/** Piped input is context for the prompt, or the prompt itself when there is no other. */
function combine(prompt: string | undefined, piped: string): string {
  const text = prompt?.trim() ?? "";
  const context = piped.trim();
  if (text === "" && context === "") {
    throw new LuminaError("cli.no_prompt", 'No prompt: give one as in lumina -p "…", or pipe it in', {
      exit: EXIT.usage,
    });
  }
  if (context === "") return text;
  return text === "" ? context : `${text}\n\n<stdin>\n${piped.replace(/\n$/, "")}\n</stdin>`;
}
