import type { Command } from "commander";
import { errorMessage, EXIT, LuminaError } from "../base/mod.ts";
import { isJsonObject, PERMISSION_MODES } from "../types/mod.ts";
import type { CliDeps, SetExit } from "./cli_deps.ts";
import { readPipedText } from "./read_stdin.ts";
import { rulePlace } from "./rule_place.ts";
import type { PlaceOptions } from "./rule_place.ts";

const TEST_HELP = `
FILE holds one JSON object a line: {"id": "e001", "line": "git status"}; further keys (class, why) are left out.
For each it prints {"id", "line", "verdicts": {"plan", "ask", "accept-edits", "auto", "yolo"}} with allow, ask or deny.
The lines are judged as commands of the Bash tool in the workspace, and never run.

Without --bare all rules in force there hold, and auto is judged as with a sandbox only where this machine has one that
works. With --bare the built-in rules alone hold, and auto is judged as with a sandbox: the answer depends on the
workspace alone. A line that cannot be read is named on standard error, the others are judged, and the exit code is 1.`;

/** `lumina permission test FILE`: what each mode says of many command lines. */
export function addPermissionTest(
  permission: Command,
  program: Command,
  { app, io }: CliDeps,
  setExit: SetExit,
): void {
  permission.command("test").description("judge the command lines of a file in every mode; runs none of them")
    .argument("<file>", "JSON lines, or - for standard input")
    .option("--bare", "by the built-in rules alone")
    .option("--cwd <dir>", "the workspace")
    .option("--settings <file>", "the settings file of a run")
    .option("--json", "taken and without effect: it is always JSON lines")
    .addHelpText("after", TEST_HELP)
    .action(async (file: string, options: { bare?: true; cwd?: string; settings?: string }) => {
      const warn = (text: string) => io.err(`lumina: ${text}\n`);
      // flags of the program itself may stand before the command
      const before: PlaceOptions & { bare?: true } = program.opts();
      const bare = options.bare ?? before.bare ?? false;
      const bytes = file === "-" ? undefined : await readFile(file);
      const text = bytes ??
        new TextEncoder().encode(await readPipedText(io.stdin, { optional: false, warn }));
      const judge = await app.permission_test.lineJudge(
        rulePlace(options, before),
        bare,
        warn,
      );
      const name = file === "-" ? "standard input" : file;
      for (const [index, part] of splitLines(text).entries()) {
        const read = readLine(part);
        if (read === undefined) continue;
        if ("fault" in read) {
          io.err(`lumina: ${name}:${index + 1}: ${read.fault}\n`);
          setExit(EXIT.failed);
          continue;
        }
        const said = await judge(read.line);
        const verdicts = Object.fromEntries(PERMISSION_MODES.map((mode) => [mode, said[mode]]));
        await io.out(`${JSON.stringify({ id: read.id, line: read.line, verdicts })}\n`);
      }
    });
}

async function readFile(file: string): Promise<Uint8Array> {
  try {
    return await Deno.readFile(file);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) {
      throw new LuminaError("cli.not_found", `There is no file ${file}; name a file of JSON lines`, {
        exit: EXIT.not_found,
        cause: error,
      });
    }
    throw new LuminaError("cli.unreadable", `Cannot read ${file}: ${errorMessage(error)}`, { cause: error });
  }
}

/** Bytes between line ends, so that one broken character spoils its own line alone. */
function splitLines(bytes: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = [];
  let start = 0;
  for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, start)) {
    lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  lines.push(bytes.subarray(start));
  return lines;
}

/** One line of the file; undefined for a blank one. */
function readLine(bytes: Uint8Array): { id: string | number; line: string } | { fault: string } | undefined {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes).trim();
  } catch {
    return { fault: "it is not UTF-8 text; the line is left out" };
  }
  if (text === "") return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { fault: `it is no JSON (${errorMessage(error)}); the line is left out` };
  }
  if (!isJsonObject(value)) {
    return { fault: 'it is no object; write {"id": …, "line": …}, the line is left out' };
  }
  const { id, line } = value;
  if (typeof id !== "string" && typeof id !== "number") {
    return { fault: "it has no id, a text; the line is left out" };
  }
  if (typeof line !== "string") return { fault: 'it has no "line", a text; the line is left out' };
  return { id, line };
}
