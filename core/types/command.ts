import type { JsonObject } from "./json.ts";

/** Where a slash command comes from. */
export type CommandSource = "builtin" | "skill" | "user" | "project" | "pack";

/** One slash command as lists show it. */
export interface CommandInfo {
  /** Without the slash. */
  name: string;
  aliases: string[];
  /** What may follow the name, such as `[name]`; empty where nothing does. */
  argument_hint: string;
  description: string;
  source: CommandSource;
  /** The file that says what it does; absent for a part of the program. */
  file?: string;
}

/** What narrows the one run that a prompt begins. */
export interface TurnLimits {
  /** The only tools of the run, by their names or as rules (`Bash(git *)`); absent: all of the session's. */
  allowed_tools?: string[];
  /** Rules that allow for this run alone; only a file of the user's own or of the program may give them. */
  allow?: string[];
  model?: string;
  effort?: string;
}

/** What a command gives. */
export type CommandReply =
  /** The answer of the turn: no model is asked. */
  | { kind: "text"; text: string; data?: JsonObject }
  /**
   * A prompt for the agent. `display` is what the person typed; with `hidden` that alone is what transcripts show, and
   * `prompt` travels before it in the same message.
   */
  | { kind: "prompt"; prompt: string; display: string; turn?: TurnLimits; hidden?: boolean }
  /** The next prompts go to another session. */
  | { kind: "session"; session_id: string; text: string }
  | { kind: "error"; message: string };

/** Commands that are no part of the table of builtins: skills, files, packs. */
export interface CommandProvider {
  list(): CommandInfo[] | Promise<CommandInfo[]>;
  /** `name` is one of `list()`, without the slash. */
  run(name: string, args: string, signal: AbortSignal): Promise<CommandReply>;
}
