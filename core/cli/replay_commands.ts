import { InvalidArgumentError, Option } from "commander";
import type { Command } from "commander";
import { EXIT } from "../base/mod.ts";
import type { CliDeps } from "./cli_deps.ts";
import { assertTarget, writeTarget } from "./export_file.ts";
import { OUTPUT_FORMATS, runPrinter } from "./output.ts";
import type { OutputFormat } from "./output.ts";
import type { PlayedEvent } from "./replay_port.ts";
import { requirePair } from "./run_flags.ts";
import { SignalAbort } from "./signals.ts";

/** No pause is longer, whatever the speed: milliseconds. */
const LONGEST_PAUSE_MS = 2_000;

interface PlayOptions {
  speed?: number;
  instant?: true;
  json?: true;
  outputFormat?: OutputFormat;
  includePartialMessages?: true;
  verbose?: true;
}

const RECORD_HELP = `
The file answers in the model's place:
  lumina -p --provider replay --replay-file FILE           runs the recorded prompts again
  lumina -p "PROMPT" --provider replay --replay-file FILE  runs this prompt
  lumina -p --provider replay:ID                           needs no file
Tools run for real again, under the permissions of the new run. Each request must equal the recorded one (date, branch,
mode and the workspace's path aside); at the first that does not, the run ends with exit 1 and says where they differ.`;

/** `lumina session replay` and `lumina session record`. */
export function addReplayCommands(
  session: Command,
  { app, io, world }: CliDeps,
  setExit: (code: number) => void,
): void {
  const warn = (text: string) => io.err(`lumina: ${text}\n`);
  session.command("replay").description("play what happened in a session; nothing runs again")
    .argument("<id>", "its id, or the beginning of it")
    .option(
      "--speed <n>",
      "how many times as fast; 1 is as it happened, with pauses of at most 2 s",
      parseSpeed,
    )
    .option("--instant", "without pauses")
    .option("--json", "the same as --output-format json: the result of each run")
    .addOption(new Option("--output-format <format>", "as a run prints it").choices(OUTPUT_FORMATS))
    .option("--include-partial-messages", "with stream-json: the deltas too, one for each block")
    .option("--verbose", "tell on standard error what happens")
    .action(async (id: string, options: PlayOptions) => {
      // the program has flags of the same names, which may stand before the command
      const before: PlayOptions = session.parent?.opts() ?? {};
      requirePair(
        options.instant === true,
        options.speed === undefined,
        "--instant and --speed exclude each other",
      );
      requirePair(
        options.json === true,
        options.outputFormat === undefined,
        "--json is --output-format json",
      );
      const format = options.json ? "json" : options.outputFormat ?? before.outputFormat ?? "text";
      const partial = options.includePartialMessages ?? before.includePartialMessages ?? false;
      requirePair(
        partial,
        format === "stream-json",
        "--include-partial-messages needs --output-format stream-json",
      );
      const { session_id, version, events } = await app.replay.play(id, warn);
      const header = {
        session_id,
        version,
        api_key_source: "none",
        plugins: [],
        include_partial: partial,
        uuid: () => world.uuid(),
      };
      const printer = runPrinter(format, io, header, options.verbose ?? before.verbose ?? false);
      const signals = new SignalAbort();
      let last: number | undefined;
      try {
        for await (const page of events) {
          for (const played of page) {
            const pause = last === undefined || options.instant
              ? 0
              : (played.ts - last) / (options.speed ?? 1);
            last = played.ts;
            if (pause >= 1) await world.sleep(Math.min(pause, LONGEST_PAUSE_MS), signals.signal);
            if (signals.exit !== undefined) return;
            if ("event" in played) printer.event(played.event);
            else if (format === "text") await io.out(promptText(played));
          }
          await printer.done();
        }
      } catch (error) {
        if (signals.exit === undefined) throw error;
      } finally {
        signals.stop();
        setExit(signals.exit ?? EXIT.ok);
      }
    });
  session.command("record").description("write a session as a file that answers in the model's place")
    .addHelpText("after", RECORD_HELP)
    .argument("<id>", "its id, or the beginning of it")
    .option("-o, --output <file>", "where to; default is standard output")
    .option("--force", "replace a file that is there")
    .action(async (id: string, options: { output?: string; force?: true }) => {
      assertTarget(options);
      await writeTarget(io, await app.replay.record(id, warn), options);
    });
}

function promptText({ prompt }: PlayedEvent & { prompt: string }): string {
  return `${prompt.trimEnd().split("\n").map((line) => `> ${line}`).join("\n")}\n`;
}

function parseSpeed(text: string): number {
  const speed = Number(text);
  if (!Number.isFinite(speed) || speed <= 0) throw new InvalidArgumentError("It must be a number above 0.");
  return speed;
}
