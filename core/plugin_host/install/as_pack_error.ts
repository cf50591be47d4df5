import { errorMessage, LuminaError } from "../../base/mod.ts";
import { PackProblem } from "./pack_problem.ts";

/** Anything that went wrong with a pack as one line that names it. What is one already passes. */
export function asPackError(
  error: unknown,
  name: string,
  action: "install" | "update" | "remove",
): LuminaError {
  if (
    error instanceof LuminaError && (error.code.startsWith("plugin.") || error.message.startsWith("Pack "))
  ) {
    return error;
  }
  if (error instanceof PackProblem) {
    const { code, exit, message } = error;
    return new LuminaError(code, `Pack ${JSON.stringify(name)}: ${message}`, { exit, cause: error });
  }
  const hint = diskHint(error);
  return new LuminaError(
    "plugin.change",
    `Pack ${JSON.stringify(name)}: cannot ${action} it: ${errorMessage(error)}${hint}; nothing was changed`,
    { cause: error, ...(error instanceof LuminaError ? { exit: error.exit } : {}) },
  );
}

function diskHint(error: unknown): string {
  const text = errorMessage(error);
  if (/ENOSPC|os error 28|No space left/i.test(text)) return " (make room on the disk)";
  if (/EROFS|EACCES|EPERM|os error (1|13|30)\b/i.test(text)) return " (the AppRoot must be writable)";
  return "";
}
