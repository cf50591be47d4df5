import type { Command } from "../shell/command.ts";
import { systemProgram } from "../shell/program_name.ts";
import { literal } from "../shell/word.ts";
import type { Word } from "../shell/word.ts";
import { unwrapWords, WRAPPERS } from "../shell/wrappers.ts";
import { standsIn } from "../path_facts.ts";
import { expandArguments } from "./arguments.ts";
import { classifyAwk } from "./awk_command.ts";
import { classifyBuiltin } from "./builtin_command.ts";
import { classifyBySpec } from "./classify_by_spec.ts";
import { classifyFind } from "./find_command.ts";
import { classifyGit } from "./git_command.ts";
import { PROGRAMS } from "./programs.ts";
import { no } from "./read_only.ts";
import type { ClassifyContext, ReadOnly } from "./read_only.ts";
import { classifySed } from "./sed_command.ts";
import { classifyTar } from "./tar_command.ts";
import { classifyXargs } from "./xargs_command.ts";

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

/** Programs that start further ones by name. */
const STARTS_OTHERS = new Set(["tar", "zcat", "zgrep"]);

/** What decides which program a name is. */
export type ProgramPlace = Pick<ClassifyContext, "home" | "own_programs">;

/** Decides from program, options and operands whether a command only reads. Everything not known to does not. */
export function classifyCommand(command: Command, place: ProgramPlace): ReadOnly {
  const context: ClassifyContext = {
    command,
    cwds: command.scope.cwds,
    home: place.home,
    own_programs: place.own_programs,
    classify: (words) => classifyWords(words, context),
    classifyOther: (other) => classifyCommand(other, place),
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
  if (context.own_programs.length > 0 && written === name) {
    if (
      context.cwds === null || STARTS_OTHERS.has(name) || standsIn(context.own_programs, name, context.cwds)
    ) {
      return no(`${name} may be a program of the workspace, which the PATH leads to`);
    }
  }
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
