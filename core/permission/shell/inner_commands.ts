import { baseName } from "./program_name.ts";
import type { Command } from "./command.ts";
import { knownPrefix, knownTexts, literal, textWord, unknownWord } from "./word.ts";
import type { Word } from "./word.ts";
import { LOOSE_WRAPPERS, unwrapWords, WRAPPERS } from "./wrappers.ts";

/** What a command runs besides itself. */
export interface Inner {
  /** Commands that are certain to be the ones that run. */
  commands: { words: Word[]; transparent: boolean }[];
  /** Words that may be a command, where the options in front are not all known. */
  guesses: Word[][];
  /** Shell text that is run; undefined when it is known only when the line runs. */
  code: (string | undefined)[];
}

/** Variables whose value is a command that some program or the shell itself runs. */
const COMMAND_VARIABLES = new Set(
  ("PAGER EDITOR VISUAL FCEDIT BROWSER LESSOPEN LESSCLOSE MANPAGER GIT_PAGER GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_SSH " +
    "GIT_SSH_COMMAND GIT_EXTERNAL_DIFF GIT_ASKPASS GIT_PROXY_COMMAND SSH_ASKPASS SUDO_ASKPASS PROMPT_COMMAND PS0 PS1 PS2 " +
    "PS4 MAKEFLAGS TAR_OPTIONS RSYNC_RSH CVS_RSH SVN_SSH SVN_EDITOR HGEDITOR SHELL GREP_OPTIONS CC CXX LD AR RUSTC_WRAPPER")
    .split(" "),
);

function isCommandVariable(name: string): boolean {
  return COMMAND_VARIABLES.has(name);
}

const SHELLS = new Set(["sh", "bash", "dash", "zsh", "ksh", "ash", "mksh", "fish", "rbash", "csh", "tcsh"]);

/** Finds the commands and the shell text that a command hands on: wrappers, `xargs`, `find -exec`, `sh -c` and others. */
export function innerCommands(command: Command): Inner {
  const found: Inner = { commands: [], guesses: [], code: [] };
  const { words } = command;
  for (const { name, value } of command.assignments) {
    if (isCommandVariable(name)) found.code.push(literal(value));
  }
  const name = baseName(literal(words[0]) ?? "");
  const wrapper = Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined;
  if (wrapper !== undefined) {
    const { inner, certain, assignments } = unwrapWords(words, wrapper);
    for (const word of assignments) {
      const [, variable = "", value] = /^(\w+)\+?=([\s\S]*)$/.exec(literal(word) ?? "") ?? [];
      if (isCommandVariable(variable)) found.code.push(value);
    }
    // `timeout 5` needs its number, `nice -n 5` its value: with all options known the rest is the command
    const transparent = wrapper.transparent && certain && literal(words[0]) === name;
    if (name === "env") envSplit(words, found);
    if (name === "command" && /^-[pvV]*[vV]/.test(literal(words[1]) ?? "")) return found;
    if (inner.length > 0) found.commands.push({ words: [...inner], transparent });
    if (!certain) suffixes(words, found);
  } else if (LOOSE_WRAPPERS.has(name)) {
    suffixes(words, found);
    for (const word of words.slice(1)) {
      const text = literal(word);
      // `-o ProxyCommand=…`, `-ex '!…'`
      if (text !== undefined && /\s/.test(text)) found.code.push(text.replace(/^(-*[\w-]+=|[:!])/, ""));
    }
    if (name === "ssh" || name === "watch") found.code.push(joined(words.slice(name === "ssh" ? 2 : 1)));
  } else if (SHELLS.has(name)) shell(command, found);
  else if (name === "eval") found.code.push(joined(words.slice(1)));
  else if (name === "trap" && words.length > 2) found.code.push(literal(words[1]));
  else if (name === "alias") aliases(words, found);
  else if (name === "xargs") xargs(words, found);
  else if (name === "find") find(words, found);
  else if (name === "fd" || name === "fdfind") afterOption(words, /^(-x|-X|--exec|--exec-batch)$/, found);
  else if (name === "git") git(words, found);
  else if (name === "awk" || name === "gawk" || name === "mawk" || name === "nawk") awk(words, found);
  else optionCode(name, words, found);
  return found;
}

/** The words as one text for `eval`, `ssh` and `watch`; undefined when a part is not known. */
function joined(words: readonly Word[]): string | undefined {
  const texts = words.map(literal);
  return texts.includes(undefined) ? undefined : texts.join(" ");
}

function suffixes(words: readonly Word[], found: Inner): void {
  for (let at = 1; at < words.length; at++) found.guesses.push([...words.slice(at)]);
}

function shell({ words, input }: Command, found: Inner): void {
  let at = 1;
  let takes_code = false;
  for (; at < words.length; at++) {
    const text = literal(words[at]);
    if (text === undefined) {
      found.code.push(undefined);
      return;
    }
    if (text === "--" || text === "-") {
      at += 1;
      break;
    }
    if (!/^[-+]./.test(text)) break;
    if (["--rcfile", "--init-file", "-O", "+O", "-o", "+o"].includes(text)) at += 1;
    else if (/^-[a-zA-Z]*o$/.test(text) && !text.includes("c")) at += 1;
    else if (!text.startsWith("--") && text.startsWith("-") && text.includes("c")) takes_code = true;
  }
  if (takes_code) {
    const texts = words[at] === undefined ? undefined : knownTexts(words[at] ?? unknownWord(""));
    if (texts === undefined) found.code.push(undefined);
    else found.code.push(...texts);
    // "$@" and "$0" inside see the words behind
  } else if (at >= words.length || words.slice(1).some((word) => literal(word) === "-s")) {
    if (input.kind === "text") found.code.push(literal(input.text));
    else found.code.push(input.kind === "pipe" ? pipedText(input.from) : undefined);
  }
}

/** What `echo text | sh` feeds to the shell. */
function pipedText(from: Command | undefined): string | undefined {
  if (from === undefined || !["echo", "printf"].includes(literal(from.words[0]) ?? "")) return undefined;
  const text = joined(from.words.slice(1));
  return text === undefined || /[\\%]/.test(text) || text.startsWith("-") ? undefined : text;
}

function aliases(words: readonly Word[], found: Inner): void {
  for (const word of words.slice(1)) {
    const text = literal(word);
    const value = text === undefined ? undefined : /^[^=]+=([\s\S]*)$/.exec(text)?.[1];
    if (text === undefined) found.code.push(undefined);
    else if (value !== undefined) found.code.push(value);
  }
}

/** Options of `xargs` with a value of their own. */
const XARGS_VALUES = ["-I", "-L", "-n", "-P", "-s", "-d", "-E", "-a", "-R", "-J", "-S"];
const XARGS_LONG =
  /^--(replace|max-lines|max-args|max-procs|max-chars|delimiter|eof|arg-file|process-slot-var)(=|$)/;

/** Where the inner command of `xargs` begins, its replacement text, and whether it has options at all. */
export function xargsCommand(words: readonly Word[]): { at: number; replace?: string; has_options: boolean } {
  let at = 1;
  let replace: string | undefined;
  for (; at < words.length; at++) {
    const text = literal(words[at]);
    if (text === undefined || !text.startsWith("-") || text === "-") break;
    if (text === "--") {
      at += 1;
      break;
    }
    if (text.startsWith("-I")) replace = text.length > 2 ? text.slice(2) : literal(words[at + 1]);
    else if (text === "-i" || text === "--replace") replace = "{}";
    else if (text.startsWith("--replace=")) replace = text.slice(10);
    else if (/^-i./.test(text)) replace = text.slice(2);
    if (XARGS_VALUES.includes(text)) at += 1;
    else if (XARGS_LONG.test(text) && !text.includes("=") && !/^--(replace|max-lines|eof)$/.test(text)) {
      at += 1;
    }
  }
  return { at, has_options: at > 1, ...(replace === undefined ? {} : { replace }) };
}

function xargs(words: readonly Word[], found: Inner): void {
  const { at, replace, has_options } = xargsCommand(words);
  const inner = words.slice(at);
  if (inner.length === 0) return;
  const filled = replace === undefined
    ? [...inner, unknownWord("…")]
    : inner.map((word) => replacePart(word, replace));
  found.commands.push({ words: filled, transparent: !has_options && literal(words[0]) === "xargs" });
}

/** Makes every place of `mark` in a word unknown. */
function replacePart(word: Word, mark: string): Word {
  const text = literal(word);
  if (text === undefined || mark === "" || !text.includes(mark)) return word;
  const parts = text.split(mark).flatMap((piece, index) => [
    ...(index === 0 ? [] : [{ kind: "hole" as const, quoted: true }]),
    ...(piece === "" ? [] : [{ kind: "text" as const, text: piece, quoted: true }]),
  ]);
  return { raw: word.raw, parts };
}

function find(words: readonly Word[], found: Inner): void {
  for (const [index, word] of words.entries()) {
    const action = literal(word);
    if (action === "-delete") {
      found.commands.push({ words: [textWord("rm"), unknownWord("…")], transparent: false });
    } else if (action !== undefined && /^-(exec|execdir|ok|okdir)$/.test(action)) {
      const end = words.findIndex((other, at) =>
        at > index && (literal(other) === ";" ||
          (literal(other) === "+" && literal(words[at - 1]) === "{}"))
      );
      const inner = words.slice(index + 1, end === -1 ? undefined : end);
      if (inner.length > 0) {
        found.commands.push({ words: inner.map((part) => replacePart(part, "{}")), transparent: false });
      }
    } else if (action === undefined) {
      // an unknown word may be an action
      found.guesses.push([unknownWord(word.raw)]);
    }
  }
}

function afterOption(words: readonly Word[], option: RegExp, found: Inner): void {
  const at = words.findIndex((word) => option.test(literal(word) ?? ""));
  if (at === -1) return;
  found.commands.push({
    words: [...words.slice(at + 1).map((word) => replacePart(word, "{}")), unknownWord("…")],
    transparent: false,
  });
}

/** Settings of git that name commands. */
const GIT_COMMAND_KEY =
  /^(alias\.|core\.(pager|editor|fsmonitor|sshcommand|askpass|hookspath|gitproxy)|pager\.|diff\.external|diff\..*\.(command|textconv)|(diff|merge)tool\..*\.cmd|merge\..*\.driver|filter\..*\.(clean|smudge|process)|credential\.(.*\.)?helper|gpg\.(.*\.)?program|sequence\.editor)/i;

function git(words: readonly Word[], found: Inner): void {
  const setting = (key: string, value: string | undefined) => {
    if (!GIT_COMMAND_KEY.test(key)) return;
    found.code.push(
      /^alias\./i.test(key) && value?.startsWith("!") !== true ? `git ${value}` : value?.replace(/^!/, ""),
    );
  };
  const texts = words.map(literal);
  texts.forEach((text, index) => {
    const next = texts[index + 1];
    if ((text === "-c" || text === "--config") && next !== undefined) {
      const pair = /^([^=]+)=([\s\S]*)$/.exec(next);
      if (pair !== null) setting(pair[1] ?? "", pair[2]);
    } else if (text !== undefined && /^-c./.test(text)) {
      const pair = /^-c([^=]+)=([\s\S]*)$/.exec(text);
      if (pair !== null) setting(pair[1] ?? "", pair[2]);
    } else if (text !== undefined && GIT_COMMAND_KEY.test(text) && texts.includes("config")) {
      setting(text, next);
    } else if (
      text !== undefined &&
      /^(-x|--exec|--extcmd|--tree-filter|--index-filter|--msg-filter|--upload-pack)$/.test(text)
    ) {
      found.code.push(next);
    } else if (text !== undefined) {
      const glued = /^--(exec|extcmd|[a-z]+-filter|upload-pack|receive-pack|open-files-in-pager)=([\s\S]*)$/
        .exec(text);
      if (glued !== null) found.code.push(glued[2]);
    }
  });
  const each = texts.indexOf("foreach");
  if (each > 0) found.code.push(joined(words.slice(each + 1)));
  const run = texts.indexOf("run");
  if (run > 0 && texts[run - 1] === "bisect") {
    found.commands.push({ words: [...words.slice(run + 1)], transparent: false });
  }
}

function envSplit(words: readonly Word[], found: Inner): void {
  words.forEach((word, index) => {
    const text = literal(word);
    if (text === "-S" || text === "--split-string") found.code.push(literal(words[index + 1]));
    else if (text !== undefined && /^(-S.|--split-string=)/.test(text)) {
      found.code.push(text.replace(/^(-S|--split-string=)/, ""));
    }
  });
}

/** Commands inside an awk program: `system("…")`, `"…" | getline`, `print | "…"`. */
function awk(words: readonly Word[], found: Inner): void {
  // the program is the first word that is no option, unless it stands in a file
  const program = words.slice(1).find((word) => !knownPrefix(word).startsWith("-"));
  if (program !== undefined && literal(program) === undefined) found.code.push(undefined);
  for (const word of words.slice(1)) {
    const text = literal(word);
    if (text === undefined) continue;
    for (const match of text.matchAll(/system\s*\(\s*([^)]*)\)/g)) found.code.push(awkString(match[1] ?? ""));
    for (const match of text.matchAll(/"((?:[^"\\]|\\.)*)"\s*\|&?\s*getline/g)) {
      found.code.push(unescape(match[1] ?? ""));
    }
    for (const match of text.matchAll(/[^|]\|&?\s*"((?:[^"\\]|\\.)*)"/g)) {
      found.code.push(unescape(match[1] ?? ""));
    }
  }
}

function awkString(text: string): string | undefined {
  const plain = /^"((?:[^"\\]|\\.)*)"\s*$/.exec(text);
  if (plain !== null) return unescape(plain[1] ?? "");
  const first = /^"((?:[^"\\]|\\.)*)"/.exec(text);
  // `system("rm " $1)`: the beginning is known
  return first === null ? undefined : `${unescape(first[1] ?? "")} "$unknown"`;
}

function unescape(text: string): string {
  return text.replace(/\\(.)/g, "$1");
}

/** Options whose value is a command, by program. */
const OPTION_CODE: Readonly<Record<string, RegExp>> = {
  rg: /^--(pre|hostname-bin)$/,
  tar:
    /^(--to-command|--checkpoint-action|-I|--use-compress-program|--info-script|--new-volume-script|-F|--rsh-command)$/,
  sort: /^--compress-program$/,
  rsync: /^(-e|--rsh|--rsync-path)$/,
  man: /^(-P|--pager|-H|--html)$/,
  zip: /^(-TT|--unzip-command)$/,
  scp: /^-S$/,
  split: /^--filter$/,
  perl: /^-[a-zA-Z]*e$/,
  ruby: /^-[a-zA-Z]*e$/,
  python: /^-[a-zA-Z]*c$/,
  python3: /^-[a-zA-Z]*c$/,
  node: /^(-e|--eval|-p|--print)$/,
  php: /^-r$/,
  lua: /^-e$/,
  vim: /^(-c|--cmd)$/,
  vi: /^-c$/,
  nvim: /^(-c|--cmd)$/,
  ex: /^-c$/,
};
const INTERPRETERS = /^(perl|ruby|python|python3|node|php|lua|vim|vi|nvim|ex)$/;

function optionCode(name: string, words: readonly Word[], found: Inner): void {
  const option = Object.hasOwn(OPTION_CODE, name) ? OPTION_CODE[name] : undefined;
  if (option === undefined) return;
  words.forEach((word, index) => {
    const text = literal(word);
    if (text === undefined) return;
    const [flag, glued] = /^(--[a-z-]+)=([\s\S]*)$/.exec(text)?.slice(1) ?? [text, undefined];
    if (flag === undefined || !option.test(flag)) return;
    const value = glued ?? literal(words[index + 1]);
    if (INTERPRETERS.test(name)) calledCode(value, found);
    else found.code.push(value === undefined ? undefined : `${value.replace(/^exec=/, "")} ${HOLE_WORD}`);
  });
}

/** A word of unknown text, written as the shell writes it. */
const HOLE_WORD = '"$unknown"';

/** Shell text in the calls that languages have for it: `system("…")`, `exec('…')`, `` `…` ``, `:!…`. */
function calledCode(text: string | undefined, found: Inner): void {
  if (text === undefined) {
    found.code.push(undefined);
    return;
  }
  const call =
    /(?:system|popen|exec\w*|spawn\w*|run|call|check_output|check_call|shell_exec|passthru|execute)\s*\(?\s*\[?\s*(["'])((?:[^"'\\]|\\.)*)\1((?:\s*,\s*\[?\s*["'][^"']*["'])*)/g;
  for (const match of text.matchAll(call)) {
    const rest = [...(match[3] ?? "").matchAll(/["']([^"']*)["']/g)].map((part) => part[1] ?? "");
    found.code.push([unescape(match[2] ?? ""), ...rest].join(" "));
  }
  for (const match of text.matchAll(/`([^`]*)`/g)) found.code.push(match[1]);
  const bang = /^:?!\s*(.+)$/.exec(text.trim());
  if (bang !== null) found.code.push(bang[1]);
}
