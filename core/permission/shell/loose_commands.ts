import type { Command } from "./command.ts";
import { baseName } from "./program_name.ts";
import { literal, wordsLine } from "./word.ts";

/** Programs of which it is known that none of their words is the command line of another. */
const OWN_WORDS = new Set(
  ("git npm pip pip3 cargo go bun deno gem bundle composer dotnet mvn gradle brew apt apt-get yum dnf gh glab aws gcloud " +
    "az terraform helm systemctl journalctl svn hg jj uv poetry curl wget tsc eslint prettier jest vitest pytest cmake " +
    "ninja gcc g++ clang rustc javac java tar zip unzip rsync scp sftp kill pkill export declare local readonly typeset " +
    "unset read cd set printenv alias . source return exit trap umask ulimit shopt hash type jobs wait let getopts")
    .split(
      " ",
    ),
);

/** Programs whose words or input are code that can start others, in more ways than are taken apart here. */
const CODE = new Set(
  ("python python2 python3 perl ruby node nodejs php lua luajit tclsh expect osascript pwsh powershell jshell ghci R Rscript " +
    "julia elixir erl sbcl guile vim vi nvim ex ed emacs emacsclient nano less more most man info sed awk gawk mawk nawk " +
    "gdb lldb make gmake bmake just ssh mosh at batch crontab mapfile readarray complete compgen bind fc script tmux " +
    "screen watch entr sqlite3 psql mysql redis-cli mongosh ftp sftp lftp zsh fish csh tcsh cmd nix-shell su sg")
    .split(" "),
);

const MAX_LINES = 40;
const MAX_TEXT = 2000;

/**
 * Lines that may run although nobody can tell: the words behind a program that is not known, and what the code of an
 * interpreter or an editor says. A rule that refuses one of these makes the command ask.
 */
export function looseLines(command: Command): string[] {
  const { words, input } = command;
  const name = baseName(literal(words[0]) ?? "");
  if (words.length === 0 || OWN_WORDS.has(name)) return [];
  const lines: string[] = [];
  for (let at = 1; at < words.length && lines.length < MAX_LINES; at++) {
    if (literal(words[at])?.startsWith("-") === true) continue;
    lines.push(wordsLine(words.slice(at), { globs_unknown: true, inner_spaces: false }));
  }
  if (!CODE.has(name)) return lines;
  const fed = input.kind === "text" ? [input.text] : input.kind === "pipe" ? input.from?.words ?? [] : [];
  for (const word of [...words.slice(1), ...fed]) {
    const text = literal(word);
    if (text === undefined) continue;
    lines.push(...calledIn(text));
    // a slash also divides the parts of a command of sed
    if (/^g?sed$/.test(name)) lines.push(...calledIn(text.replaceAll("/", " ")));
  }
  return lines.slice(0, 4 * MAX_LINES);
}

/** A text from each of its words on, signs of languages taken for blanks: `run(["rm", "x"])` holds `rm x`. */
function calledIn(text: string): string[] {
  const words = text.slice(0, MAX_TEXT).replace(/[^\w./~$@%+*=:-]+/g, " ").trim().split(" ");
  const starts = words.length > MAX_LINES ? words.slice(0, MAX_LINES) : words;
  return starts.map((_, at) => words.slice(at, at + 40).join(" ").replace(/^[-=:$+@%]+/, ""));
}
