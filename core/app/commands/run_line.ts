import { EXIT } from "../../base/mod.ts";
import { runCli } from "../../cli/mod.ts";
import { VERSION } from "../version.ts";
import type { BuiltinReply, CommandContext } from "./command.ts";

/** What a command line printed. */
export interface PrintedLine {
  exit: number;
  out: string;
  err: string;
}

/** Runs a command of the program, such as `["hooks", "list"]`, as a shell would, in this process and without a terminal. */
export async function runLine({ app, parts }: CommandContext, argv: readonly string[]): Promise<PrintedLine> {
  const printed = { exit: EXIT.ok as number, out: "", err: "" };
  printed.exit = await runCli({
    app,
    world: parts.world,
    version: VERSION,
    name: "lumina",
    io: {
      out(text) {
        printed.out += text;
        return Promise.resolve();
      },
      flushed: () => Promise.resolve(),
      err(text) {
        printed.err += text;
      },
      stdin: new ReadableStream({ start: (controller) => controller.close() }),
      stdin_is_terminal: false,
    },
  }, argv);
  return printed;
}

/**
 * The same as a reply: what was printed, warnings first. A line that failed without printing anything is an error with the
 * exit code of that line.
 */
export async function lineReply(context: CommandContext, argv: readonly string[]): Promise<BuiltinReply> {
  const { exit, out, err } = await runLine(context, argv);
  const told = err.trim().split("\n").map((line) => line.replace(/^lumina: /, "")).join("\n");
  if (exit !== EXIT.ok && out.trim() === "") {
    return { kind: "error", message: told.replaceAll("\n", "; "), exit };
  }
  return { kind: "text", text: [told, out].filter((part) => part.trim() !== "").join("\n").trimEnd() };
}
