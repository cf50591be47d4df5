import { EXIT } from "../base/mod.ts";
import type { World } from "../base/mod.ts";
import type { AppPort, RunFlags } from "./app_port.ts";
import type { CliIo } from "./io.ts";
import { exitOf } from "./print_options.ts";
import type { PrintOptions } from "./print_options.ts";
import { sessionPrinter } from "./session_printer.ts";
import { SignalAbort } from "./signals.ts";

/**
 * `lumina -p --provider replay…` without a prompt: the recorded prompts, one after the other, in one session. It stops at
 * the first run that did not end as it should; when all have run and the recording goes on, that is told and exit 1.
 */
export async function runRecorded(
  app: AppPort,
  io: CliIo,
  world: World,
  flags: RunFlags,
  options: PrintOptions,
): Promise<number> {
  const signals = new SignalAbort();
  const warn = (text: string) => io.err(`lumina: ${text}\n`);
  try {
    const session = await app.openSession(flags, warn);
    try {
      const { prompts, answers } = session.replay ?? { prompts: [], answers: 0 };
      const printer = await sessionPrinter(session, io, world, options);
      let turns = 0;
      let exit: number = EXIT.ok;
      for (const text of prompts) {
        const result = await session.run({ text }, (event) => printer.event(event), signals.signal);
        await printer.done();
        if (signals.exit !== undefined) return signals.exit;
        turns += result.turns;
        exit = exitOf(result);
        if (result.error?.code === "model.protocol") return exit; // where it differs is told by the run
      }
      if (turns === answers) return exit;
      warn(
        prompts.length === 0
          ? "the recording names no prompts: give one with -p"
          : `the replay ended after ${turns} of ${answers} recorded answers`,
      );
      return EXIT.failed;
    } finally {
      await session.close();
    }
  } finally {
    signals.stop();
  }
}
