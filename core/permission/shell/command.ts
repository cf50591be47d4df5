import type { Scope } from "./scope.ts";
import type { Word } from "./word.ts";

/** `name=value` in front of a command or alone. */
export interface Assignment {
  name: string;
  value: Word;
}

/** A redirection that opens a file. */
export interface Redirect {
  access: "read" | "write";
  target: Word;
}

/** What feeds a command's standard input. */
export type Input =
  | { kind: "inherited" }
  | { kind: "text"; text: Word }
  | { kind: "file" }
  | { kind: "pipe"; from: Command | undefined };

/** One simple command of a line, wherever it stands: in a list, a pipe, a loop, a function, a substitution. */
export interface Command {
  /** The part of the line it is, for people. */
  text: string;
  /** Program and arguments; empty for assignments or redirections alone. */
  words: readonly Word[];
  assignments: readonly Assignment[];
  redirects: readonly Redirect[];
  input: Input;
  /** State in front of the command. */
  scope: Scope;
  /** A function of this line is called; its body is judged by itself. */
  calls_function: boolean;
}

/** All commands of a line, and what about it cannot be judged. */
export interface Line {
  commands: Command[];
  /** Words with wildcards, for which the shell lists folders, each with the state in front of it. */
  wildcards: { word: Word; scope: Scope }[];
  /** Constructs whose meaning is not certain; such a line always asks. */
  problems: string[];
  /** Constructs that can run code hidden in data; such a line is never allowed by a rule. */
  hazards: string[];
}
