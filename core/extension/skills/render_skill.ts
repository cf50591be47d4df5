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

const INLINE = /(?<![\w`!\\])!`([^`\n]+)`/;
const BLOCK = /^[ \t]*```![ \t]*\n([\s\S]*?)\n[ \t]*```[ \t]*$/m;
const COMMAND = new RegExp(`${BLOCK.source}|${INLINE.source}`, "gm");

/** Takes a skill's text apart at its inline commands: `` !`command` `` and fenced blocks that begin with ```` ```! ````. */
export function skillParts(body: string): SkillPart[] {
  const parts: SkillPart[] = [];
  let from = 0;
  for (const match of body.matchAll(COMMAND)) {
    if (match.index > from) parts.push({ kind: "text", text: body.slice(from, match.index) });
    const [whole, block, inline] = match;
    parts.push({ kind: "command", command: (block ?? inline ?? "").trim(), block: block !== undefined });
    from = match.index + whole.length;
  }
  if (from < body.length) parts.push({ kind: "text", text: body.slice(from) });
  return parts;
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
