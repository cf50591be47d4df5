import { Option } from "commander";
import type { Command } from "commander";
import { EXIT, LuminaError } from "../base/mod.ts";
import type { CliDeps, SetExit } from "./cli_deps.ts";
import type { CliIo } from "./io.ts";
import { parseMessage } from "./parse_message.ts";
import { readLines } from "./read_stdin.ts";
import type { RewindDecision, RewindReport, RewindScope } from "./rewind_port.ts";

interface RewindOptions {
  to?: number;
  undo?: true;
  files?: true;
  conversation?: true;
  both?: true;
  dryRun?: true;
  force?: true;
  keep?: true;
  yes?: true;
  json?: true;
}

const MORE = `
The files are the workspace's, whoever changed them: the agent's tools, its commands or you. Left alone are .git, ignored
folders and files too large to be captured. What you changed since the agent last wrote is shown and asked about; without
a terminal --force or --keep says what becomes of it, else nothing is changed (exit 3). Before anything is restored the
present files are captured: --undo brings them back. Messages that were taken back stay in the journal: session fork --at
one of them begins a new session with them.`;

/** `lumina session rewind`. */
export function addRewindCommands(session: Command, deps: CliDeps, setExit: SetExit): void {
  const alone = (flag: string, help: string, others: string[]) => new Option(flag, help).conflicts(others);
  session.command("rewind").description("go back to a message: files, conversation, or both")
    .argument("<id>", "its id, or the beginning of it")
    .addOption(
      alone(
        "--to <message>",
        "the message (its number in session show): a prompt is taken back, an answer stays",
        ["undo"],
      ).argParser(parseMessage),
    )
    .addOption(
      alone("--undo", "bring back the files as they were before the last rewind", ["conversation", "both"]),
    )
    .addOption(alone("--files", "only the files", ["conversation", "both"]))
    .addOption(alone("--conversation", "only the conversation", ["files", "both"]))
    .option("--both", "files and conversation (default)")
    .option("--dry-run", "only say what would be done")
    .addOption(alone("--force", "overwrite what you have changed", ["keep"]))
    .option("--keep", "keep what you have changed")
    .option("--yes", "do not ask, unless files of yours would be overwritten")
    .option("--json", "as JSON")
    .addHelpText("after", MORE)
    .action(async (id: string, options: RewindOptions) => setExit(await rewind(deps, id, options)));
}

async function rewind({ app, io }: CliDeps, id: string, options: RewindOptions): Promise<number> {
  const to = options.undo === true ? "undo" : options.to;
  if (to === undefined) {
    throw new LuminaError("cli.usage", "Where to? Give --to MESSAGE (lumina session show has the numbers)", {
      exit: EXIT.usage,
    });
  }
  const scope: RewindScope = options.files ? "files" : options.conversation ? "conversation" : "both";
  let blocked = false;
  const lines = readLines(io.stdin);
  const report = await app.rewind.rewind(
    { id, to, scope, dry_run: options.dryRun ?? false },
    async (plan) => {
      const conflicts = plan.changes.some(({ conflict }) => conflict);
      if (conflicts && options.force === true) return "overwrite";
      if (conflicts && options.keep === true) return "keep";
      if (io.stdin_is_terminal) {
        return conflicts || options.yes !== true ? await ask(io, lines, plan, conflicts) : "overwrite";
      }
      blocked = conflicts;
      return conflicts ? "cancel" : "overwrite";
    },
  );
  if (options.json) await io.out(`${JSON.stringify(report)}\n`);
  else if (report.outcome !== "cancelled" || blocked) await io.out(text(report));
  if (report.outcome === "failed") {
    const [first] = report.failed;
    throw new LuminaError(
      "session.rewind_failed",
      `${
        count(report.failed.length, "path")
      } could not be restored, the first: ${first?.path} (${first?.message}); the same command goes on where it stopped`,
    );
  }
  if (report.outcome !== "cancelled") return EXIT.ok;
  if (!blocked) {
    io.err("Nothing was changed\n");
    return EXIT.blocked;
  }
  const mine = report.changes.filter(({ conflict }) => conflict).length;
  throw new LuminaError(
    "session.rewind_conflict",
    `Nothing was changed: ${
      count(mine, "path")
    } changed by something other than the agent (marked with !). --force overwrites, --keep keeps`,
    { exit: EXIT.blocked },
  );
}

async function ask(
  io: CliIo,
  lines: AsyncIterator<string>,
  plan: RewindReport,
  conflicts: boolean,
): Promise<RewindDecision> {
  io.err(text(plan));
  io.err(
    conflicts
      ? "Paths marked with ! were changed by something other than the agent: [o]verwrite all, [k]eep them, [C]ancel: "
      : "Go back? [y]es, [N]o: ",
  );
  const { value } = await lines.next();
  const said = value?.trim() ?? "";
  if (conflicts) {
    return /^o(verwrite)?$/i.test(said) ? "overwrite" : /^k(eep)?$/i.test(said) ? "keep" : "cancel";
  }
  return /^y(es)?$/i.test(said) ? "overwrite" : "cancel";
}

function text(report: RewindReport): string {
  const done = report.outcome === "done";
  const kept = new Set(report.kept);
  const lines = report.changes.map(({ path, action, conflict }) => {
    const mark = kept.has(path) ? "keep  " : action.padEnd(6);
    return `${conflict ? "!" : " "} ${mark}  ${line(path)}\n`;
  });
  for (const path of report.left) {
    lines.push(`  stays   ${line(path)} (what is not captured is left alone)\n`);
  }
  const changed = report.changes.length - report.kept.length;
  const parts = [];
  if (report.scope !== "conversation") {
    parts.push(changed === 0 ? "no file changes" : `${count(changed, "path")} in ${report.workspace}`);
  }
  if (report.scope !== "files") parts.push(`${count(report.messages, "message")} of the conversation`);
  const said = parts.join(", ");
  const undo = done && changed > 0
    ? `  lumina session rewind ${report.session_id} --undo brings the files back\n`
    : "";
  const fork = done && report.messages > 0
    ? `  lumina session fork ${report.session_id} --at ${report.last_message} brings the conversation back as a new session\n`
    : "";
  return `${lines.join("")}${done ? "Taken back" : "To be taken back"}: ${said}\n${undo}${fork}`;
}

/** A path on one line. */
function line(path: string): string {
  return /[\p{Cc}\u2028\u2029]/u.test(path) ? JSON.stringify(path) : path;
}

function count(number: number, what: string): string {
  return `${number} ${number === 1 ? what : `${what}s`}`;
}
