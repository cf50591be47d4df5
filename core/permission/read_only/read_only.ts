import type { Command } from "../shell/command.ts";
import type { Word } from "../shell/word.ts";
import type { Argument } from "./arguments.ts";

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
  /** Folders of the PATH that may hold programs of the workspace's own. */
  own_programs: readonly string[];
  /** Judges another command in the place of this one. */
  classify(words: readonly Word[]): ReadOnly;
  /** Judges a command elsewhere in the line. */
  classifyOther(command: Command): ReadOnly;
}

/** An argument of one known text. */
export function fixed(text: string): Argument {
  return { texts: [text], raw: text, prefix: "", several: false };
}

/** The answer for a command that is not known to only read. */
export function no(reason: string): ReadOnly {
  return { reason, paths: [] };
}
