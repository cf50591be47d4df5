import { InvalidArgumentError } from "commander";
import type { Command } from "commander";
import type { CliDeps } from "./cli_deps.ts";
import { requirePair } from "./run_flags.ts";
import type { SearchHit } from "./search_port.ts";

const HELP = `
All words must be in the same message or title; a word of three letters or more also finds words that it begins. "In double
quotes" stands for these words in this order. Chinese, Japanese and Korean text is found by any part of it. Nothing else in
the query has a meaning of its own. The number of a hit is that of the message: lumina session show lists it. What a rewind
took back is not found.`;

interface SearchOptions {
  all?: true;
  cwd?: string;
  archived?: true;
  tools?: true;
  limit: number;
  json?: true;
}

/** `lumina session search`. */
export function addSearchCommands(session: Command, { app, io }: CliDeps): void {
  session.command("search").description("find messages and titles in the saved sessions, best first")
    .addHelpText("after", HELP)
    .argument("<query...>", "words, and phrases in double quotes")
    .option("--all", "sessions of every directory; this is the default")
    .option("--cwd <dir>", "only sessions of this directory")
    .option("--archived", "archived sessions as well")
    .option("--tools", "inputs and results of tools as well")
    .option("--limit <n>", "at most this many hits", parseLimit, 20)
    .option("--json", "as JSON: {hits, open}")
    .action(async (words: string[], options: SearchOptions) => {
      // `lumina --cwd DIR session search` means the same
      const cwd: string | undefined = options.cwd ?? session.parent?.opts()["cwd"];
      requirePair(options.all === true, cwd === undefined, "--all and --cwd exclude each other");
      const result = await app.search.search({
        text: words.join(" "),
        ...(cwd === undefined ? {} : { cwd }),
        archived: options.archived ?? false,
        tools: options.tools ?? false,
        limit: options.limit,
      }, (text) => io.err(`lumina: ${text}\n`));
      if (options.json) return await io.out(`${JSON.stringify(result)}\n`);
      if (result.hits.length === 0) await io.out("Nothing found\n");
      for (const hit of result.hits) await io.out(hitText(hit));
      if (result.open.length === 0) return;
      const open = result.open.length === 1
        ? `The session ${result.open[0]} is open`
        : `${result.open.length} sessions are open (${result.open.slice(0, 3).join(", ")}${
          result.open.length > 3 ? ", …" : ""
        })`;
      io.err(`lumina: ${open}: what was said there since the last search is not found yet\n`);
    });
}

function hitText({ session_id, title, number, role, ts, archived, snippet, marks }: SearchHit): string {
  const when = `${new Date(ts).toISOString().slice(0, 16).replace("T", " ")}Z`;
  const where = role === "title" ? "title" : `#${number} ${role}`;
  return `${session_id}  ${when}  ${where}${archived ? "  archived" : ""}  ${
    title === "" ? "(no title)" : title
  }\n` +
    `    ${marked(snippet, marks)}\n`;
}

function marked(snippet: string, marks: SearchHit["marks"]): string {
  let text = "";
  let at = 0;
  for (const { from, to } of marks) {
    text += `${snippet.slice(at, from)}«${snippet.slice(from, to)}»`;
    at = to;
  }
  return text + snippet.slice(at);
}

function parseLimit(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1) {
    throw new InvalidArgumentError("It must be a whole number from 1.");
  }
  return number;
}
