import type { Command } from "commander";
import { EXIT, LuminaError } from "../base/mod.ts";
import type { CliDeps, SetExit } from "./cli_deps.ts";
import { titleText } from "./list_sessions.ts";
import { parseMessage } from "./parse_message.ts";
import { readLines } from "./read_stdin.ts";
import type { DeletedSession } from "./session_manage_port.ts";

/** `lumina session rename`, `pin`, `unpin`, `archive`, `unarchive`, `delete`, `redact` and `fork`. */
export function addSessionManageCommands(session: Command, deps: CliDeps, setExit: SetExit): void {
  const { app, io } = deps;
  const id_help = "its id, or the beginning of it";
  session.command("rename").description("give a session a title of your own")
    .argument("<id>", id_help).argument("<title...>")
    .action(async (id: string, words: string[]) => {
      const { session_id, title } = await app.session_manage.rename(id, words.join(" "));
      await io.out(`${session_id}: ${title}\n`);
    });
  for (const pinned of [true, false]) {
    session.command(pinned ? "pin" : "unpin")
      .description(pinned ? "keep a session on top of lists and out of every cleanup" : "undo pin")
      .argument("<id>", id_help)
      .action(async (id: string) => {
        const { session_id } = await app.session_manage.pin(id, pinned);
        await io.out(`${session_id}: ${pinned ? "pinned" : "not pinned"}\n`);
      });
  }
  for (const archived of [true, false]) {
    session.command(archived ? "archive" : "unarchive")
      .description(archived ? "put a session away, out of the lists; nothing of it is lost" : "take it back")
      .argument("<id>", id_help)
      .action(async (id: string) => {
        const { session_id, changed } = await app.session_manage.archive(id, archived);
        const state = archived ? "archived" : "active";
        await io.out(`${session_id}: ${changed ? state : `${state} already`}\n`);
      });
  }
  session.command("move").description(
    "say where a session works from now on, when its directory was moved or renamed",
  )
    .argument("<id>", id_help).argument("<dir>", "an existing directory")
    .addHelpText("after", "\nNo file is touched. Snapshots for rewind stay with the old directory.")
    .action(async (id: string, directory: string) => {
      const { session_id, cwd } = await app.session_manage.move(id, directory);
      await io.out(`${session_id}: ${cwd}\n`);
    });
  session.command("delete").description("delete sessions for good, with their tool output and snapshots")
    .argument("<id...>", id_help)
    .option("--yes", "do not ask")
    .option("--force", "pinned ones too")
    .action(async (ids: string[], options: { yes?: true; force?: true }) =>
      setExit(await deleteSessions(deps, ids, options.force ?? false, options.yes ?? false))
    );
  session.command("redact").description("forget messages for good: their text and what their tools gave")
    .argument("<id>", id_help)
    .argument("<message...>", "their numbers in session show", parseMessages, [])
    .requiredOption("--reason <text>", "why (required); it is kept in the journal")
    .option("--yes", "do not ask")
    .addHelpText(
      "after",
      "\nHashes stay, so the session still verifies. Forks, exports and the copies that repairs, imports and updates have kept hold their own text.",
    )
    .action(async (id: string, messages: number[], options: { reason: string; yes?: true }) =>
      setExit(await redactMessages(deps, id, messages, options))
    );
  session.command("fork").description("a new session that begins with the conversation of another one")
    .argument("<id>", id_help)
    .option(
      "--at <message>",
      "up to this message (its number in session show): a prompt is taken back, an answer stays",
      parseMessage,
    )
    .option("--title <title>", "its title; default is that of the other one")
    .option("--json", "as JSON")
    .addHelpText("after", "\nIt prints the id of the new session: go on with lumina --resume ID -p …")
    .action(async (id: string, { json, ...options }: { at?: number; title?: string; json?: true }) => {
      const fork = await app.session_manage.fork(id, options);
      for (const problem of fork.skipped) io.err(`lumina: Left out: ${problem}\n`);
      await io.out(json ? `${JSON.stringify(fork)}\n` : `${fork.session_id}\n`);
    });
}

async function deleteSessions(
  deps: CliDeps,
  ids: readonly string[],
  force: boolean,
  yes: boolean,
): Promise<number> {
  const { app, io } = deps;
  const plan = await app.session_manage.planRemove(ids, force);
  if (!yes) {
    if (io.stdin_is_terminal) io.err(plan.map(lineOf).join(""));
    const what = plan.length === 1 ? "1 session" : `${plan.length} sessions`;
    if (!await confirmed(deps, "Delete for good?", what, "Nothing was deleted")) return EXIT.blocked;
  }
  const warn = (text: string) => io.err(`lumina: ${text}\n`);
  const deleted = await app.session_manage.remove(plan.map(({ session_id }) => session_id), force, warn);
  await io.out(deleted.map(({ session_id }) => `${session_id}: deleted\n`).join(""));
  return EXIT.ok;
}

async function redactMessages(
  deps: CliDeps,
  id: string,
  messages: readonly number[],
  { reason, yes }: { reason: string; yes?: true },
): Promise<number> {
  const { app, io } = deps;
  const what = `${messages.length === 1 ? "message" : "messages"} ${messages.join(", ")}`;
  if (!yes && !await confirmed(deps, `Forget ${what} of ${id} for good?`, what, "Nothing was redacted")) {
    return EXIT.blocked;
  }
  const { session_id, redacted } = await app.session_manage.redact(id, messages, reason);
  await io.out(`${session_id}: ${redacted.length} ${redacted.length === 1 ? "event" : "events"} redacted\n`);
  return EXIT.ok;
}

/** Asks on the terminal; where nobody can be asked, throws `session.unconfirmed` (exit 3). */
async function confirmed(
  { io }: CliDeps,
  question: string,
  what: string,
  otherwise: string,
): Promise<boolean> {
  if (!io.stdin_is_terminal) {
    throw new LuminaError(
      "session.unconfirmed",
      `${otherwise}: nobody can be asked about ${what} here (--yes says that you are sure)`,
      { exit: EXIT.blocked },
    );
  }
  io.err(`${question} [y]es, [N]o: `);
  const { value } = await readLines(io.stdin).next();
  if (/^y(es)?$/i.test(value?.trim() ?? "")) return true;
  io.err(`${otherwise}\n`);
  return false;
}

function lineOf({ session_id, title, pinned }: DeletedSession): string {
  return `  ${session_id}  ${titleText(title)}${pinned ? "  (pinned)" : ""}\n`;
}

function parseMessages(text: string, before: number[]): number[] {
  return [...before, parseMessage(text)];
}
