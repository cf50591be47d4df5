import type { JsonObject } from "../../core/plugin_api/mod.ts";

export const DEFAULT_TIMEOUT_MS = 120_000;
/** Twenty minutes. */
export const MAX_TIMEOUT_MS = 1_200_000;

/** The input of Bash after checking. */
export interface BashInput {
  command: string;
  timeout_ms: number;
  background: boolean;
}

/**
 * Checks the input of Bash; a string is what is wrong with it, for the model. `shell_timeout_ms` of the config is the
 * limit of a call that names none.
 */
export function readBashInput(input: JsonObject, config: JsonObject = {}): BashInput | string {
  const { shell_timeout_ms = DEFAULT_TIMEOUT_MS } = config;
  const { command, timeout = shell_timeout_ms, run_in_background = false, escalate } = input;
  if (typeof command !== "string" || command.trim() === "") return "command must be a text that is not empty";
  if (typeof run_in_background !== "boolean") return "run_in_background must be true or false";
  if (escalate !== undefined && escalate !== "network" && escalate !== "outside") {
    return 'escalate must be "network" or "outside"';
  }
  if (typeof timeout !== "number" || !Number.isFinite(timeout) || timeout <= 0) {
    return "timeout must be a number of milliseconds above 0";
  }
  if (timeout > MAX_TIMEOUT_MS && !run_in_background) {
    return `timeout is ${timeout} ms, at most ${MAX_TIMEOUT_MS} (20 minutes) are allowed; ` +
      "use run_in_background for what takes longer";
  }
  return { command, timeout_ms: timeout, background: run_in_background };
}
