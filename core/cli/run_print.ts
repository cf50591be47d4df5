import { EXIT, LuminaError } from "../base/mod.ts";
import type { World } from "../base/mod.ts";
import type { RunResult } from "../types/mod.ts";
import type { AppPort, RunFlags } from "./app_port.ts";
import type { CliIo } from "./io.ts";
import { sessionPrinter } from "./session_printer.ts";
import { terminalAsker } from "./permission_prompt.ts";
import { exitOf } from "./print_options.ts";
import type { PrintOptions } from "./print_options.ts";
import { readLines, readPipedText } from "./read_stdin.ts";
import { SignalAbort } from "./signals.ts";
import { runStreamInput } from "./run_stream_input.ts";
import { saysYes, trustText } from "./trust_text.ts";
import { untilAborted } from "./until_aborted.ts";

const NOBODY = { done: true as const, value: undefined };

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
    if (asking || (io.stdin_is_terminal && options.prompt !== undefined)) {
      const lines = readLines(io.stdin);
      if (asking) flags.ask = terminalAsker(io, lines);
      flags.ask_trust = async (report) => {
        io.err(`${trustText(report)}Trust it as it is now? [y]es, [N]o: `);
        return saysYes((await untilAborted(lines.next(), signals.signal, NOBODY)).value);
      };
    }
    const piped = asking || io.stdin_is_terminal
      ? Promise.resolve("")
      : readPipedText(io.stdin, { optional: options.prompt !== undefined, warn });
    piped.catch(() => {}); // awaited below; an early failure must not count as unhandled
    const input = () => untilAborted(piped, signals.signal, "");
    if (options.prompt === undefined) {
      // nothing to open a session for before the prompt is there
      const prompt = await input();
      if (signals.exit !== undefined) return signals.exit;
      if (combine(undefined, prompt).startsWith("/")) flags.model_later = true;
    }
    if (options.prompt?.trim().startsWith("/")) flags.model_later = true;
    const session = await app.openSession(flags, warn);
    let result: RunResult;
    try {
      const context = await input();
      if (signals.exit !== undefined) return signals.exit;
      const text = combine(options.prompt, context);
      const printer = await sessionPrinter(session, io, world, options);
      const typed = options.prompt !== undefined;
      result = await session.run({ text, typed }, (event) => printer.event(event), signals.signal);
      await printer.done();
      world.failpoint?.("cli.after_answer");
    } finally {
      await session.close();
    }
    return signals.exit ?? exitOf(result);
  } finally {
    signals.stop();
  }
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
