/** Puts arguments into a text. What is put in is never looked at again: an argument cannot bring placeholders or commands. */
export interface Arguments {
  /** As they were typed. */
  text: string;
  /** Split at white space as a shell would, quotes taken away. */
  words: readonly string[];
  /** Names by position. */
  names: readonly string[];
  /** What `${NAME}` stands for besides. */
  variables: Readonly<Record<string, string>>;
}

/** A part of a skill's text: words, or a command whose output stands in its place. */
export type SkillPart =
  | { kind: "text"; text: string }
  | { kind: "command"; command: string; block: boolean };

const INLINE = /(?<![\w`!\\])!`([^`\n]+)`/g;
const OPENING = /^[ \t]*```![ \t]*\n/gm;
const CLOSING = /\n[ \t]*```[ \t]*$/gm;

/** Takes a skill's text apart at its inline commands: `` !`command` `` and fenced blocks that begin with ```` ```! ````. */
export function skillParts(body: string): SkillPart[] {
  const parts: SkillPart[] = [];
  let from = 0;
  const take = (start: number, end: number, command: string, block: boolean) => {
    if (start > from) parts.push({ kind: "text", text: body.slice(from, start) });
    parts.push({ kind: "command", command: command.trim(), block });
    from = end;
  };
  let inline = next(INLINE, body, 0);
  const takeInline = (to: number) => {
    while (inline !== null && inline.index < to) {
      const [whole, command = ""] = inline;
      take(inline.index, inline.index + whole.length, command, false);
      inline = next(INLINE, body, from);
    }
  };
  // each search goes on where the last one ended: a long text is looked at once
  for (let open = next(OPENING, body, 0); open !== null; open = next(OPENING, body, from)) {
    const start = open.index + open[0].length;
    const close = next(CLOSING, body, start);
    if (close === null) break;
    takeInline(open.index);
    take(open.index, close.index + close[0].length, body.slice(start, close.index), true);
    if (inline !== null && inline.index < from) inline = next(INLINE, body, from);
  }
  takeInline(body.length);
  if (from < body.length) parts.push({ kind: "text", text: body.slice(from) });
  return parts;
}

function next(pattern: RegExp, text: string, from: number): RegExpExecArray | null {
  pattern.lastIndex = from;
  return pattern.exec(text);
}

/** Splits a line as a shell splits words; a quote without its partner is a letter. */
export function splitWords(text: string): string[] {
  const words: string[] = [];
  const token = /"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)|([^\s"'\\]+|["'\\])/gsy;
  let word: string | undefined;
  let index = 0;
  while (index < text.length) {
    const blank = /\s+/y;
    blank.lastIndex = index;
    if (blank.test(text)) {
      index = blank.lastIndex;
      if (word !== undefined) words.push(word);
      word = undefined;
      continue;
    }
    token.lastIndex = index;
    const match = token.exec(text);
    if (match === null) break;
    index = token.lastIndex;
    word = (word ?? "") + (match[1]?.replace(/\\(["\\$`])/g, "$1") ?? match[2] ?? match[3] ?? match[4] ?? "");
  }
  if (word !== undefined) words.push(word);
  return words;
}

/**
 * Replaces `$ARGUMENTS`, `$ARGUMENTS[n]`, `$n` (from 0), `$name` and `${name}` of named arguments, and `${VARIABLE}`, in
 * one pass. A position that was not given leaves `$n` as it is, since it may be a price. `used` is told when an argument's
 * place was found.
 */
export function substitute(text: string, given: Arguments, used: () => void = () => {}): string {
  const named = new Map(given.names.map((name, index) => [name, given.words[index] ?? ""]));
  return text.replaceAll(
    /\$(?:ARGUMENTS(?:\[(\d{1,3})\])?(?!\w)|(\d{1,3})(?!\w|\.\d)|\{([A-Za-z_][\w-]*)\}|([A-Za-z_]\w*))/g,
    (
      whole,
      position: string | undefined,
      index: string | undefined,
      braced: string | undefined,
      bare: string | undefined,
    ) => {
      if (index === undefined && braced === undefined && bare === undefined) {
        used();
        return position === undefined ? given.text : given.words[Number(position)] ?? "";
      }
      if (index !== undefined) {
        const word = given.words[Number(index)];
        if (word === undefined) return whole;
        used();
        return word;
      }
      if (braced !== undefined && Object.hasOwn(given.variables, braced)) {
        return given.variables[braced] ?? whole;
      }
      const value = named.get(braced ?? bare ?? "");
      if (value === undefined) return whole;
      used();
      return value;
    },
  );
}
