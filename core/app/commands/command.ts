import type { CommandInfo, CommandReply, JsonObject } from "../../types/mod.ts";
import type { LuminaError } from "../../base/mod.ts";
import type { AppPort } from "../../cli/mod.ts";
import type { FeatureScope } from "../features/session_feature.ts";

/** What a builtin command works with: the session that it was typed in, and what the command line has. */
export interface CommandContext extends FeatureScope {
  /** The commands of the program, with this session among the saved ones. */
  readonly app: AppPort;
  /** A person typed it. What came through a pipe alone may change no rule, mode or setting. */
  readonly typed: boolean;
  /** Every command there is, builtins first. */
  list(): Promise<CommandInfo[]>;
  /** What is wrong with the files of commands, skills and agents, one line each. */
  problems(): Promise<string[]>;
  /** The error for a name that no command has. */
  unknown(name: string, all: readonly CommandInfo[]): LuminaError;
  /** Runs a command that is no builtin; undefined when there is none of this name. */
  other(name: string, args: string, signal: AbortSignal): Promise<CommandReply | undefined>;
}

/** A reply of a builtin; a failure may say its exit code (2 when it does not) and its code. */
export type BuiltinReply =
  | Exclude<CommandReply, { kind: "error" | "session" | "text" }>
  | {
    kind: "text";
    text: string;
    data?: JsonObject;
    /** No further prompt is taken. */
    end?: true;
  }
  | { kind: "session"; session_id: string; text: string }
  | { kind: "error"; message: string; exit?: number; code?: string };

/** One slash command of the program. */
export interface Builtin {
  readonly info: Omit<CommandInfo, "source" | "file">;
  /** Its arguments may hold a secret and are not recorded. */
  readonly secret_args?: true;
  /** Throws a `LuminaError` for what a person did wrong. */
  run(context: CommandContext, args: string, signal: AbortSignal): Promise<BuiltinReply> | BuiltinReply;
}
