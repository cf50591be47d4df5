import { requiredLiteral } from "./required_literal.ts";
import { SearchError } from "./search_error.ts";

/** A search pattern, ready to run. */
export interface SearchPattern {
  /** As the caller wrote it. */
  source: string;
  /** Finds matches in one line without its line end, or in a whole file when `multiline`. Global: set `lastIndex`. */
  line: RegExp;
  /**
   * Finds places in a text of many lines where a line may match; every matching line has one. Undefined when the
   * pattern looks around: then each line must be tried.
   */
  scan: RegExp | undefined;
  /** Text that every match contains, in either case when `ignore_case`; undefined when there is none. */
  literal: string | undefined;
  /** The literal is the whole pattern. */
  is_literal: boolean;
  multiline: boolean;
  ignore_case: boolean;
}

/** Bracket classes of POSIX, which ripgrep knows and JavaScript does not. */
const POSIX_CLASSES: Readonly<Record<string, string>> = {
  alnum: "0-9A-Za-z",
  alpha: "A-Za-z",
  blank: " \\t",
  cntrl: "\\x00-\\x1f\\x7f",
  digit: "0-9",
  graph: "!-~",
  lower: "a-z",
  print: " -~",
  punct: "!-\\/:-@\\[-`\\{-~",
  space: "\\s",
  upper: "A-Z",
  word: "\\w",
  xdigit: "0-9A-Fa-f",
};

/**
 * Compiles a pattern. The syntax is JavaScript's (`u`, then `v` for set operations, then the lenient one), and what
 * ripgrep users write besides is understood: `(?i)` in front, `(?P<name>…)`, `\A`, `\z`, `[[:alpha:]]`, a first `]`
 * as a member of its class. `\w`, `\d` and `\b` are ASCII. Throws a `SearchError` that names the position of the fault.
 */
export function compilePattern(
  source: string,
  options: { case_insensitive?: boolean; multiline?: boolean },
): SearchPattern {
  if (source === "") throw new SearchError("The pattern is empty: give a regular expression to search for");
  const multiline = options.multiline ?? false;
  let ignoreCase = options.case_insensitive ?? false;
  let body = source;
  const flags = /^\(\?([imsu]+)\)/.exec(body);
  if (flags !== null) {
    body = body.slice(flags[0].length);
    if (flags[1]!.includes("i")) ignoreCase = true;
  }
  if (!multiline && /\n|(?<!\\)(?:\\\\)*\\n/.test(body)) {
    throw new SearchError(
      `The pattern ${quote(source)} spans lines, but lines are searched one by one: set multiline to true`,
    );
  }
  const base = ignoreCase ? "gi" : "g";
  const line = compile(source, body, multiline ? base + "ms" : base);
  const looksAround = /\(\?<?[=!]/.test(body);
  // classes nest in `v` mode alone, and the search for plain text does not follow them
  const literal = line.unicodeSets ? undefined : requiredLiteral(line.source);
  return {
    source,
    line,
    scan: multiline || looksAround ? undefined : new RegExp(line.source, line.flags + "m"),
    literal: literal?.text,
    is_literal: !ignoreCase && (literal?.whole ?? false),
    multiline,
    ignore_case: ignoreCase,
  };
}

function compile(source: string, body: string, flags: string): RegExp {
  const translated = translate(body);
  const modes = ["u", "v"];
  if (!/\\[pPu]\{|\(\?</.test(translated)) modes.push("");
  let last: unknown;
  for (const mode of modes) {
    try {
      return new RegExp(translated, flags + mode);
    } catch (error) {
      last = error; // the last one speaks: what the most lenient mode refuses, every mode refuses
    }
  }
  const reason = reasonOf(last);
  const at = faultPosition(body, reason, flags + modes.at(-1)!) + source.length - body.length;
  throw new SearchError(
    `Invalid regular expression ${quote(source)}: ${reason} at position ${at} (${
      quote(source.slice(at))
    }); ` +
      "write \\ before a special character to search for the character itself",
  );
}

/** V8's words without the pattern it repeats. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.slice(message.lastIndexOf(": ") + 2).toLowerCase();
}

/**
 * Where the pattern goes wrong, counted in characters from 0. V8 does not say, so the bracket that has no partner
 * is looked up, and any other fault is at the end of the shortest piece that has it.
 */
function faultPosition(body: string, reason: string, flags: string): number {
  if (/unterminated|missing|unmatched/.test(reason)) {
    const open: number[] = [];
    let inClass = -1;
    for (let index = 0; index < body.length; index++) {
      const char = body[index];
      if (char === "\\") index++;
      else if (inClass >= 0) inClass = char === "]" ? -1 : inClass;
      else if (char === "[") inClass = index;
      else if (char === "(") open.push(index);
      else if (char === ")" && open.pop() === undefined) return index;
    }
    if (inClass >= 0) return inClass;
    if (open.length > 0) return open.at(-1)!;
  }
  for (let end = 1; end <= body.length; end++) {
    try {
      new RegExp(body.slice(0, end), flags);
    } catch (error) {
      if (reasonOf(error) === reason) return end - 1;
    }
  }
  return body.length;
}

/** Writes what ripgrep understands in JavaScript's syntax. */
function translate(body: string): string {
  let out = "";
  let inClass = false;
  for (let index = 0; index < body.length; index++) {
    const char = body[index]!;
    const next = body[index + 1];
    if (char === "\\" && next !== undefined) {
      index++;
      if (!inClass && (next === "A" || next === "z")) out += next === "A" ? "^" : "$";
      else if (/[-"'`:;<>#%&@!,~=_ ]/.test(next) && !(inClass && next === "-")) {
        out += next; // a quoted character that needs no quoting, which strict JavaScript refuses
      } else out += char + next;
    } else if (inClass && char === "[" && next === ":") {
      const name = /^\[:(\^?)([a-z]+):\]/.exec(body.slice(index));
      const members = name?.[1] === "" ? POSIX_CLASSES[name[2]!] : undefined;
      if (members === undefined) out += "\\[";
      else {
        out += members;
        index += name![0].length - 1;
      }
    } else if (inClass) {
      if (char === "]") inClass = false;
      out += char;
    } else if (char === "[") {
      inClass = true;
      out += char;
      const negated = next === "^" ? 1 : 0;
      if (body[index + 1 + negated] === "]") { // a first ] is a member, as in ripgrep
        out += (negated ? "^" : "") + "\\]";
        index += 1 + negated;
      }
    } else if (char === "(" && body.startsWith("?P<", index + 1)) {
      out += "(?<";
      index += 3;
    } else out += char;
  }
  return out;
}

/** A pattern in quotes, cut when long. */
function quote(text: string): string {
  return text.length > 80 ? `"${text.slice(0, 80)}…"` : `"${text}"`;
}
