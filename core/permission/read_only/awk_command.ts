import type { Word } from "../shell/word.ts";
import { expandArguments, onlyText, sortArguments } from "./arguments.ts";
import { no } from "./read_only.ts";
import type { ClassifyContext, ReadOnly } from "./read_only.ts";
import type { ProgramSpec } from "./program_spec.ts";

const AWK: ProgramSpec = { values: "Fv", operands: "text-then-paths" };

/** `awk` reads when its program is known and neither runs a command nor writes a file. */
export function classifyAwk(words: readonly Word[], context: ClassifyContext): ReadOnly {
  const sorted = sortArguments(expandArguments(words.slice(1), context.cwds), AWK);
  if (typeof sorted === "string") return no(`awk: ${sorted}`);
  const program = onlyText(sorted.operands[0]);
  if (program === undefined) return no("awk: the program is known only when the line runs");
  if (!isReadingProgram(program)) return no("awk: the program may write a file or run a command");
  return { paths: sorted.operands.slice(1).map((argument) => ({ argument, recursive: false })) };
}

/**
 * Looks through an awk program (POSIX and gawk) for what leaves it: `system`, `getline`, pipes, output redirections,
 * loaded files, indirect calls. The words are looked for in strings too, so it errs to the safe side.
 */
export function isReadingProgram(program: string): boolean {
  if (/system|getline|@|fflush|close|ARGV|ENVIRON|PROCINFO|extension/.test(program)) return false;
  const bare = withoutLiterals(program);
  if (bare === undefined) return false;
  if (/\|/.test(bare.replaceAll("||", "")) || bare.includes("|&")) return false;
  // `>` compares in a pattern or condition, but in a print statement it writes a file
  let depth = 0;
  let statement = "";
  for (const char of bare) {
    if (char === "{") depth += 1;
    if (char === "}") depth -= 1;
    // not at a line break: behind a comma it continues the statement
    if (char === ";" || char === "{" || char === "}") {
      statement = "";
      continue;
    }
    if (char === ">" && depth > 0 && /\bprintf?\b/.test(statement)) return false;
    statement += char;
  }
  return depth === 0;
}

/**
 * The program with strings and regular expressions emptied; undefined where a `/` could be either of two things: behind
 * `++`, `--`, `$`, a bare `length`, and behind the condition of a statement, where awks differ.
 */
function withoutLiterals(program: string): string | undefined {
  let out = "";
  /** For each open parenthesis, whether a statement's condition stands in it. */
  const open: boolean[] = [];
  let condition_ended = false;
  for (let at = 0; at < program.length; at++) {
    const char = program[at] ?? "";
    if (char === "#") {
      const end = program.indexOf("\n", at);
      at = end === -1 ? program.length : end - 1;
    } else if (char === '"') {
      const end = closing(program, at, '"');
      if (end === undefined) return undefined;
      out += '""';
      at = end;
    } else if (char === "/") {
      const before = out.trimEnd();
      if (/(\+\+|--|\$|\blength)$/.test(before) || (condition_ended && before.endsWith(")"))) {
        return undefined;
      }
      const word = /[A-Za-z_]\w*$/.exec(before)?.[0];
      const keyword = word !== undefined && /^(print|printf|return|in|else|do|case|exit)$/.test(word);
      // a line break ends the statement, so that nothing is left to divide
      const divides = !keyword && !out.slice(before.length).includes("\n") && /[\w)\]"]$/.test(before);
      if (divides) out += "/";
      else {
        const end = closing(program, at, "/");
        if (end === undefined) return undefined;
        out += '""';
        at = end;
      }
    } else if (char === "\\") {
      out += " ";
      at += 1;
    } else {
      if (char === "(") open.push(/\b(if|while|for|switch)\s*$/.test(out));
      if (char === ")") condition_ended = open.pop() === true;
      out += char;
    }
  }
  return out;
}

function closing(program: string, start: number, quote: string): number | undefined {
  for (let at = start + 1; at < program.length; at++) {
    const char = program[at];
    if (char === "\n") return undefined;
    if (char === "\\") at += 1;
    else if (char === quote) return at;
    // a slash inside brackets does not end the expression in every awk
    else if (quote === "/" && char === "[" && /^\[[^\]\n]*\//.test(program.slice(at))) return undefined;
  }
  return undefined;
}
