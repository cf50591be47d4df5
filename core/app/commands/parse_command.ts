/** A prompt that may be a slash command. */
export interface CommandCall {
  /** As it was typed, without the slash. */
  name: string;
  /** What follows the name, without the blanks around it. */
  args: string;
}

/** What `-p` puts before piped input. */
const PIPED = "\n\n<stdin>\n";

/**
 * Reads `/name args`. Undefined for everything else that may begin with a slash: a path (a second slash in its first word),
 * a comment, a slash alone.
 */
export function parseCommand(text: string): CommandCall | undefined {
  const match = /^\s*\/([\p{L}\p{N}_][\p{L}\p{N}_.:-]*)(?:\s+([\s\S]*))?$/u.exec(text);
  if (match === null) return undefined;
  return { name: match[1] ?? "", args: (match[2] ?? "").trim() };
}

/** The arguments without piped input behind them, for commands that take words. */
export function typedArgs(text: string): string {
  const at = text.startsWith("<stdin>\n") ? 0 : text.indexOf(PIPED);
  return (at < 0 ? text : text.slice(0, at)).trim();
}
