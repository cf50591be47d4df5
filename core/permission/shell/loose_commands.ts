import type { Command } from "./command.ts";
import { baseName } from "./program_name.ts";
import { literal } from "./word.ts";
import type { Word } from "./word.ts";

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

/** Words looked at of a command and of a text, and lines made of all its texts. */
const MAX_WORDS = 16;
const MAX_STARTS = 40;
const MAX_LINES = 160;
const MAX_TEXT = 2000;

/** The words behind a program that nobody knows, from each of them on: it may run them. */
export function looseCommands({ words }: Command): (readonly Word[])[] {
  const name = baseName(literal(words[0]) ?? "");
  if (words.length === 0 || OWN_WORDS.has(name) || CODE.has(name)) return [];
  const found: (readonly Word[])[] = [];
  for (let at = 1; at < words.length && found.length < MAX_WORDS; at++) {
    if (literal(words[at])?.startsWith("-") !== true) found.push(words.slice(at));
  }
  return found;
}

/** Lines that the code of an interpreter or an editor may run. A rule that refuses one of these makes the command ask. */
export function codeLines({ words, input }: Command): string[] {
  const name = baseName(literal(words[0]) ?? "");
  if (!CODE.has(name)) return [];
  const fed = input.kind === "text" ? [input.text] : input.kind === "pipe" ? input.from?.words ?? [] : [];
  const lines: string[] = [];
  for (const word of [...words.slice(1), ...fed]) {
    const text = literal(word);
    if (text === undefined) continue;
    lines.push(...calledIn(text));
    // a slash also divides the parts of a command of sed
    if (/^g?sed$/.test(name)) lines.push(...calledIn(text.replaceAll("/", " ")));
  }
  return lines.slice(0, MAX_LINES);
}

/** A text from each of its words on, signs of languages taken for blanks: `run(["rm", "x"])` holds `rm x`. */
function calledIn(text: string): string[] {
  const words = text.slice(0, MAX_TEXT).replace(/[^\w./~$@%+*=:-]+/g, " ").trim().split(" ");
  const starts = words.slice(0, MAX_STARTS);
  return starts.map((_, at) => words.slice(at, at + 40).join(" ").replace(/^[-=:$+@%]+/, ""));
}
