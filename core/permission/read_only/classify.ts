import type { Command } from "../shell/command.ts";
import { systemProgram } from "../shell/program_name.ts";
import { literal } from "../shell/word.ts";
import type { Word } from "../shell/word.ts";
import { expandArguments, parsedCall, sortArguments } from "./arguments.ts";
import type { Argument, SortedArguments } from "./arguments.ts";
import { classifyAwk } from "./awk_command.ts";
import { classifyBuiltin } from "./builtin_command.ts";
import { classifyFind } from "./find_command.ts";
import { classifyGit } from "./git_command.ts";
import type { ProgramSpec } from "./program_spec.ts";
import { RG } from "./search_programs.ts";
import { classifySed } from "./sed_command.ts";
import { SYSTEM_PROGRAMS } from "./system_programs.ts";
import { classifyTar } from "./tar_command.ts";
import { TEXT_PROGRAMS } from "./text_programs.ts";
import { unwrapWords, WRAPPERS } from "../shell/wrappers.ts";
import { classifyXargs } from "./xargs_command.ts";

/** A file or folder that a command reads, as it stands in the line. */
export interface ReadPath {
  argument: Argument;
  /** Files below it are read too: all, or those whose names do not begin with a dot. */
  recursive: boolean | "visible";
}

/** Whether a command only reads, and what. */
export interface ReadOnly {
  /** Why it is not known to only read; absent when it is. */
  reason?: string;
  paths: ReadPath[];
  /** Folders whose links must not lead out of the workspace, since the command follows them unseen. */
  scan?: readonly string[];
}

/** What a classifier may ask for beside the words. */
export interface ClassifyContext {
  command: Command;
  cwds: readonly string[] | null;
  home: string;
  /** Judges another command in the place of this one. */
  classify(words: readonly Word[]): ReadOnly;
}

export const PROGRAMS: Readonly<Record<string, ProgramSpec>> = {
  ...TEXT_PROGRAMS,
  ...SYSTEM_PROGRAMS,
  rg: RG,
};

const CLASSIFIERS: Readonly<Record<string, (words: readonly Word[], context: ClassifyContext) => ReadOnly>> =
  {
    git: classifyGit,
    find: classifyFind,
    sed: classifySed,
    awk: classifyAwk,
    gawk: classifyAwk,
    mawk: classifyAwk,
    nawk: classifyAwk,
    tar: classifyTar,
    xargs: classifyXargs,
  };

/** Wrappers that change nothing about what their command reads. */
const READING_WRAPPERS = new Set(["timeout", "time", "nice", "stdbuf", "command", "builtin"]);

/** Decides from program, options and operands whether a command only reads. Everything not known to does not. */
export function classifyCommand(command: Command, home: string): ReadOnly {
  const context: ClassifyContext = {
    command,
    cwds: command.scope.cwds,
    home,
    classify: (words) => classifyWords(words, context),
  };
  return classifyWords(command.words, context);
}

function classifyWords(words: readonly Word[], context: ClassifyContext): ReadOnly {
  const written = literal(words[0]);
  if (words.length === 0) return { paths: [] };
  if (written === undefined) return no("the program is known only when the line runs");
  const builtin = classifyBuiltin(words, context);
  if (builtin !== undefined) return builtin;
  const name = systemProgram(written);
  if (name === undefined) return no(`${written} is a file, not a program of the system`);
  if (READING_WRAPPERS.has(name)) {
    const wrapper = WRAPPERS[name];
    const inner = wrapper === undefined ? undefined : unwrapWords(words, wrapper);
    if (name === "command" && /^-[vV]$/.test(literal(words[1]) ?? "")) return { paths: [] };
    if (inner === undefined || !inner.certain || inner.inner.length === 0) {
      return no(`what ${name} runs is not certain`);
    }
    return classifyWords(inner.inner, context);
  }
  const classifier = Object.hasOwn(CLASSIFIERS, name) ? CLASSIFIERS[name] : undefined;
  if (classifier !== undefined) return classifier(words, context);
  const version = `${name} --version`;
  const key = words.length === 2 && literal(words[1]) === "--version" && Object.hasOwn(PROGRAMS, version)
    ? version
    : name;
  const spec = Object.hasOwn(PROGRAMS, key) ? PROGRAMS[key] : undefined;
  if (spec === undefined) return no(`${name} is not known to only read`);
  return classifyBySpec(name, expandArguments(words.slice(1), context.cwds), spec);
}

/** Judges arguments by a table entry. */
export function classifyBySpec(name: string, args: readonly Argument[], spec: ProgramSpec): ReadOnly {
  const sorted = sortArguments(args, spec);
  if (typeof sorted === "string") return no(`${name}: ${sorted}`);
  const against = spec.check?.(parsedCall(sorted));
  if (against !== undefined) return no(against);
  const files = fileOperands(sorted, spec);
  if (spec.operands === "none" && sorted.operands.length > 0) return no(`${name} with an operand`);
  const { max_operands } = spec;
  if (
    max_operands !== undefined &&
    (sorted.operands.length > max_operands || sorted.operands.some((operand) => operand.several))
  ) return no(`${name} with a file that it may write`);
  const visible = name === "rg" &&
    !sorted.options.some((option) => /^(-u|-\.|--hidden|--unrestricted|--no-ignore)/.test(option.name));
  const recursive: ReadPath["recursive"] = spec.recursive === true && (visible ? "visible" : true);
  const paths: ReadPath[] = [...files, ...sorted.option_paths].map((argument) => ({ argument, recursive }));
  if (spec.default_cwd === true && files.length === 0) paths.push({ argument: fixed("."), recursive });
  return { paths };
}

function fileOperands({ options, operands }: SortedArguments, spec: ProgramSpec): Argument[] {
  const files = spec.operands === "paths" || spec.operands === "text-then-paths" ? operands : [];
  const pattern_given = options.some(({ name }) => spec.pattern_options?.includes(name));
  const kept = spec.operands === "text-then-paths" && !pattern_given ? files.slice(1) : files;
  return kept.filter((file) => onlyDash(file) === false);
}

function onlyDash({ texts }: Argument): boolean {
  return texts.length === 1 && texts[0] === "-";
}

/** An argument of one known text. */
export function fixed(text: string): Argument {
  return { texts: [text], raw: text, prefix: "", several: false };
}

/** The answer for a command that is not known to only read. */
export function no(reason: string): ReadOnly {
  return { reason, paths: [] };
}
