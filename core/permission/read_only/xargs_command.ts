import type { Command } from "../shell/command.ts";
import { systemProgram } from "../shell/program_name.ts";
import { literal, textWord } from "../shell/word.ts";
import type { Word } from "../shell/word.ts";
import { expandArguments, sortArguments } from "./arguments.ts";
import { hasTypeFile } from "./find_command.ts";
import { GIT_SPECS } from "./git_specs.ts";
import { PROGRAMS } from "./programs.ts";
import { no } from "./read_only.ts";
import type { ClassifyContext, ReadOnly } from "./read_only.ts";

/** Options of xargs that only shape how its command is called. */
const FLAGS =
  /^-(0|r|t|n\d*|P\d*|L\d*|d.*|s\d*)$|^--(null|no-run-if-empty|max-args=\d+|max-procs=\d+|max-lines=\d+)$/;
const SEPARATE = /^-[nPLds]$/;

/**
 * `xargs` reads when its command does with any further words. What comes in through the pipe must be file names of the
 * workspace (from `find`, `git ls-files`, `rg -l` and their like), unless the command takes its words as plain text.
 */
export function classifyXargs(words: readonly Word[], context: ClassifyContext): ReadOnly {
  let at = 1;
  let separated = false;
  for (; at < words.length; at++) {
    const text = literal(words[at]);
    if (text === undefined) return no("xargs: an option is known only when the line runs");
    if (!text.startsWith("-")) break;
    if (!FLAGS.test(text)) return no(`xargs: ${text} is not known to be harmless`);
    if (text === "-0" || text === "--null") separated = true;
    if (SEPARATE.test(text)) at += 1;
  }
  const inner = words.slice(at);
  const name = systemProgram(literal(inner[0]) ?? "echo");
  const spec = name !== undefined && Object.hasOwn(PROGRAMS, name) ? PROGRAMS[name] : undefined;
  if (spec?.harmless !== true) return no("xargs: its command could take a name from the pipe for an option");
  if (spec.operands === "text") return context.classify(inner.length === 0 ? [textWord("echo")] : inner);
  const source = context.command.input.kind === "pipe" ? context.command.input.from : undefined;
  const names = source === undefined ? undefined : listedFolders(source, context);
  if (names === undefined) return no("xargs: the files are known only when the line runs");
  const verdict = context.classify([...inner, ...names.folders.map((folder) => textWord(folder))]);
  if (verdict.reason !== undefined) return verdict;
  return {
    paths: verdict.paths.map((path) => ({ ...path, recursive: true })),
    ...(names.plain && separated ? {} : { scan: names.folders }),
  };
}

/** Folders that all names printed by a command lie in; undefined when it prints anything else. */
function listedFolders(
  source: Command,
  context: ClassifyContext,
): { folders: string[]; plain: boolean } | undefined {
  if (source.assignments.length > 0 || source.redirects.some(({ access }) => access === "write")) {
    return undefined;
  }
  const verdict = context.classifyOther(source);
  if (verdict.reason !== undefined) return undefined;
  const name = literal(source.words[0]) ?? "";
  const folders = verdict.paths.flatMap(({ argument }) => argument.texts);
  if (verdict.paths.some(({ argument }) => argument.texts.length === 0)) return undefined;
  if (name === "find") {
    const prints = source.words.some((word) => /^-(printf|ls|exec|execdir)$/.test(literal(word) ?? ""));
    const print = source.words.findIndex((word) => /^-print0?$/.test(literal(word) ?? ""));
    const tests = source.words.slice(1, print === -1 ? undefined : print);
    return prints ? undefined : { folders, plain: hasTypeFile(tests) };
  }
  const subcommand = name === "git" ? literal(source.words[1]) : undefined;
  const spec = name === "git" ? GIT_SPECS[subcommand ?? ""] : PROGRAMS[name];
  if (spec === undefined || !["fd", "rg", "grep", "git"].includes(name)) return undefined;
  const args = expandArguments(source.words.slice(name === "git" ? 2 : 1), context.cwds);
  const sorted = sortArguments(args, spec);
  if (typeof sorted === "string") return undefined;
  const options = sorted.options.map((option) => option.name);
  // these print texts of their own, which could be any name
  if (options.some((option) => OWN_TEXT.test(option))) return undefined;
  if (name === "fd") return { folders, plain: false };
  if (name === "git") {
    return subcommand === "ls-files" ? { folders: [".", ...folders], plain: false } : undefined;
  }
  return options.some((option) => LISTS_FILES.test(option)) ? { folders, plain: true } : undefined;
}

const LISTS_FILES = /^(-l|-L|--files|--files-with(out)?-match(es)?)$/;
const OWN_TEXT = /^--(label|path-separator|format|type-list|json|stats|eol|full-name)$/;
