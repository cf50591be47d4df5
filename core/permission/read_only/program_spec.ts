/**
 * What a program's arguments may be for it to only read. Every option that is not named here makes it unknown, so the
 * command asks.
 */
export interface ProgramSpec {
  /** Short options without a value, each one letter. */
  flags?: string;
  /** Short options with a value, glued or in the next word. */
  values?: string;
  /** Short options whose value is optional and so always glued. */
  glued?: string;
  /** Long options, and single-dash words, without a value of their own in the next word; `=value` may follow. */
  long?: readonly string[];
  /** Long options whose value is glued with `=` or stands in the next word. */
  long_values?: readonly string[];
  /** Long options with a name and a value in the next two words. */
  long_pairs?: readonly string[];
  /** Options among the above whose value is a file that is read. */
  path_values?: readonly string[];
  /** `-20` is a number of lines. */
  number?: boolean;
  /** What the operands are: files, plain text, one text and then files, nothing at all. */
  operands: "paths" | "text" | "text-then-paths" | "none";
  /** Options that make the first operand a file too (`grep -e`). */
  pattern_options?: readonly string[];
  /** It takes options in front of its first operand alone: an option behind it is another operand. */
  options_first?: boolean;
  /** It drops `--` and hands the rest on, where a word behind it is an option again. */
  drops_end?: boolean;
  /** Most operands it may have; a further one could be an output file. */
  max_operands?: number;
  /** No option of it writes or runs anything, so an unknown word may stand anywhere. */
  harmless?: boolean;
  /** It goes through folders and reads the files in them. */
  recursive?: boolean;
  /** Given a folder it opens what lies in it, and follows links there. */
  follows?: boolean;
  /** Without a file it reads the working folder (and not standard input). */
  default_cwd?: boolean;
  /** An operand `@file` names a file of further options. */
  response_files?: boolean;
  /** Judges what a table cannot say; a text is the reason against it. */
  check?: (call: ParsedCall) => string | undefined;
}

/** Arguments sorted by a spec. */
export interface ParsedCall {
  options: { name: string; value?: string }[];
  operands: string[];
}

/** Words of a list written with blanks. */
export function list(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== "");
}
