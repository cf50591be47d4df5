import type { Command } from "../shell/command.ts";
import { systemProgram } from "../shell/program_name.ts";
import { literal, textWord } from "../shell/word.ts";
import type { Word } from "../shell/word.ts";
import { hasTypeFile } from "./find_command.ts";
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
  const texts = source.words.map(literal);
  const has = (pattern: RegExp) => texts.some((text) => text !== undefined && pattern.test(text));
  const folders = verdict.paths.flatMap(({ argument }) => argument.texts);
  if (verdict.paths.some(({ argument }) => argument.texts.length === 0)) return undefined;
  switch (texts[0]) {
    case "find":
      return has(/^-(printf|ls|exec|execdir)$/)
        ? undefined
        : { folders, plain: hasTypeFile(source.words.slice(1)) };
    case "fd":
    case "rg":
    case "grep":
      if (texts[0] !== "fd" && !has(/^(--files|--files-with(out)?-match(es)?|-[a-zA-Z]*[lL][a-zA-Z]*)$/)) {
        return undefined;
      }
      return { folders, plain: texts[0] !== "fd" };
    case "git":
      return texts[1] === "ls-files" ? { folders: ["."], plain: false } : undefined;
    default:
      return undefined;
  }
}
