/** Linux takes no longer single argument (MAX_ARG_STRLEN, execve(2)). */
export const MAX_COMMAND_BYTES = 131_071;

/** A command ready to be started. */
export interface PreparedCommand {
  program: string;
  args: string[];
  env: Record<string, string>;
  /** What the model should know about how it runs. */
  notes: string[];
}
