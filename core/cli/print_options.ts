import { EXIT } from "../base/mod.ts";
import type { RunResult } from "../types/mod.ts";
import type { OutputFormat } from "./output.ts";

/** How `-p` reads and prints. */
export interface PrintOptions {
  prompt?: string;
  output: OutputFormat;
  input: "text" | "stream-json";
  include_partial: boolean;
  replay_user_messages: boolean;
  /** `--permission-prompt stdio`: questions go out on the protocol, or to the terminal in text mode. */
  permission_prompt: boolean;
  verbose: boolean;
  version: string;
}

/** The exit code of a result. */
export function exitOf(result: RunResult): number {
  if (result.exit !== undefined) return result.exit;
  if (result.status === "success") return EXIT.ok;
  if (result.status === "blocked") return EXIT.blocked;
  if (result.status === "interrupted") return EXIT.interrupted;
  if (result.error?.code === "journal.conflict") return EXIT.conflict;
  return EXIT.failed;
}
