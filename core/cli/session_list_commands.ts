import { InvalidArgumentError } from "commander";
import type { Command } from "commander";
import type { CliDeps } from "./cli_deps.ts";
import { minuteText, printSessions, titleText } from "./list_sessions.ts";
import type { SessionBranch } from "./session_list_port.ts";

interface ListOptions {
  all?: true;
  cwd?: string;
  archived?: true;
  limit?: number;
  json?: true;
}

/** `lumina session list` and `lumina session tree`. */
export function addSessionListCommands(session: Command, { app, io }: CliDeps): void {
  // `lumina --cwd DIR session list` means the same
  const cwdOf = ({ cwd = session.parent?.opts()["cwd"] }: { cwd?: string }) =>
    cwd === undefined ? {} : { cwd };
  session.command("list").description(
    "the saved sessions of this directory, pinned ones first, then the newest",
  )
    .option("--all", "those of every directory, by directory")
    .option("--cwd <dir>", "those of another directory")
    .option("--archived", "the archived ones")
    .option("--limit <n>", "at most this many; default 50, with --json all", parseLimit)
    .option("--json", "as JSON")
    .action(async (options: ListOptions) => {
      await printSessions(app.session_list, io, {
        ...cwdOf(options),
        all: options.all ?? false,
        archived: options.archived ?? false,
        ...(options.limit === undefined ? {} : { limit: options.limit }),
        json: options.json ?? false,
      });
    });
  session.command("tree").description("which session was forked from which")
    .argument("[id]", "only the tree of this session; default is what was forked in this directory")
    .option("--all", "of every directory")
    .option("--cwd <dir>", "of another directory")
    .option("--json", "as JSON")
    .action(async (id: string | undefined, options: Omit<ListOptions, "limit" | "archived">) => {
      const trees = await app.session_list.tree(
        { ...(id === undefined ? {} : { session: id }), ...cwdOf(options), all: options.all ?? false },
        (text) => io.err(`lumina: ${text}\n`),
      );
      if (options.json) await io.out(`${JSON.stringify(trees)}\n`);
      else if (trees.length === 0) {
        await io.out(
          "Nothing was forked here: lumina session fork ID makes a fork, --all has every directory\n",
        );
      } else await io.out(trees.map((tree) => treeText(tree, "", "")).join("\n"));
    });
}

function treeText(branch: SessionBranch, first: string, rest: string): string {
  const at = branch.forked_at === null ? "" : `  at event ${branch.forked_at}`;
  const what = branch.exists
    ? `${at}  ${minuteText(branch.updated_ts)}${branch.archived ? "  archived" : ""}  ${
      titleText(branch.title)
    }`
    : "  (deleted)";
  const forks = branch.forks.map((fork, index) => {
    const last = index === branch.forks.length - 1;
    return treeText(fork, `${rest}${last ? "`-- " : "|-- "}`, `${rest}${last ? "    " : "|   "}`);
  });
  return `${first}${branch.session_id}${what}\n${forks.join("")}`;
}

function parseLimit(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1) {
    throw new InvalidArgumentError("It must be a whole number from 1.");
  }
  return number;
}
