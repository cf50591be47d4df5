import type { Word } from "../shell/word.ts";
import { expandArguments, onlyText, sortArguments } from "./arguments.ts";
import { no } from "./read_only.ts";
import type { ClassifyContext, ReadOnly } from "./read_only.ts";
import { list } from "./program_spec.ts";
import type { ProgramSpec } from "./program_spec.ts";

/** `-i` writes files and `-f` hides the script, so neither is here. */
const SED: ProgramSpec = {
  flags: "nErsuz",
  values: "el",
  long: list(
    "--quiet --silent --regexp-extended --separate --unbuffered --null-data --sandbox --posix --debug",
  ),
  long_values: list("--expression --line-length"),
  operands: "text-then-paths",
  pattern_options: list("-e --expression"),
};

/** `sed` reads when its script is known and has no command that writes, reads another file or runs a program. */
export function classifySed(words: readonly Word[], context: ClassifyContext): ReadOnly {
  const sorted = sortArguments(expandArguments(words.slice(1), context.cwds), SED);
  if (typeof sorted === "string") return no(`sed: ${sorted}`);
  const given = sorted.options.filter(({ name }) => SED.pattern_options?.includes(name));
  const files = given.length > 0 ? sorted.operands : sorted.operands.slice(1);
  const scripts = given.length > 0
    ? given.map(({ value }) => onlyText(value))
    : [onlyText(sorted.operands[0])];
  for (const script of scripts) {
    if (script === undefined) return no("sed: the script is known only when the line runs");
    if (!isReadingScript(script)) return no("sed: the script has a command that may write or run something");
  }
  return { paths: files.map((argument) => ({ argument, recursive: false })) };
}

/**
 * Reads a sed script (POSIX and GNU) and accepts only commands that edit the output: no `w`, `W`, `r`, `R`, `e`, no `w`,
 * `e` or `m`-less flag of `s` that writes or runs. A script that is not understood is not accepted.
 */
export function isReadingScript(script: string): boolean {
  let at = 0;
  const skip = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const found = pattern.exec(script);
    if (found === null) return false;
    at += found[0].length;
    return true;
  };
  /** Text up to an unescaped `end`; brackets protect it. */
  const delimited = (end: string, brackets: boolean): boolean => {
    for (; at < script.length; at++) {
      const char = script[at];
      if (char === "\n" && end !== "\n") return false;
      if (char === "\\") at += 1;
      else if (char === end) {
        at += 1;
        return true;
      } else if (brackets && char === "[") {
        // `[]…]` and `[^]…]` begin with a literal bracket
        let close = at + 1;
        if (script[close] === "^") close += 1;
        close = script.indexOf("]", close + 1);
        if (close === -1) return false;
        const inside = script.slice(at, close + 1);
        if (inside.includes(end) || inside.includes("\n") || inside.includes("\\")) return false;
        if (/\[[.:=]/.test(inside.slice(1))) {
          const class_end = /^\[\^?(?:\[:[a-z]+:\]|[^\]\[\n])*\]/.exec(script.slice(at));
          if (class_end === null || class_end[0].includes(end)) return false;
          close = at + class_end[0].length - 1;
        }
        at = close;
      }
    }
    return false;
  };
  const address = (): boolean => {
    if (skip(/\d+(~\d+)?|\$/y)) return true;
    if (script[at] === "/") {
      at += 1;
      return delimited("/", true) && skip(/[IM]*/y);
    }
    return false;
  };
  while (at < script.length) {
    if (skip(/[\s;}]+/y)) continue;
    if (script[at] === "#") {
      skip(/[^\n]*/y);
      continue;
    }
    if (/[\d$/\\]/.test(script[at] ?? "")) {
      if (!address()) return false;
      skip(/[ \t]*/y);
      if (script[at] === ",") {
        at += 1;
        skip(/[ \t]*/y);
        if (!skip(/[+~]\d+/y) && !address()) return false;
      }
    }
    skip(/[ \t]*(![ \t]*)*/y);
    const command = script[at++] ?? "";
    if (command === "{") continue;
    if (command === "s" || command === "y") {
      const end = script[at++];
      if (end === undefined || /[\s\\\w;{}[\]]/.test(end)) return false;
      if (!delimited(end, command === "s") || !delimited(end, false)) return false;
      if (command === "s") skip(/[gpiI\d]*/y);
    } else if (/[pPdDgGhHnNxlz=]/.test(command)) continue_flags();
    else if (command === "q" || command === "Q") skip(/[ \t]*\d*/y);
    else return false;
    if (!skip(/[ \t]*(?=[;\n}#]|$)/y)) return false;
  }
  return true;

  function continue_flags(): void {
    skip(/[ \t]*(?=[;\n}#]|$)/y);
  }
}
