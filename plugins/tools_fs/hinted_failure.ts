import { fileErrorCode } from "../../core/files/mod.ts";
import type { ToolContext } from "../../core/plugin_api/mod.ts";
import type { JudgedPath } from "./judged_path.ts";
import { nearestNames } from "./nearest_names.ts";
import { ToolFailure } from "./tool_failure.ts";

/** The error of opening a file, with what to do about it where that is known. */
export async function hintedFailure(
  context: ToolContext,
  judged: JudgedPath,
  error: unknown,
): Promise<unknown> {
  const code = fileErrorCode(error);
  if (!(error instanceof Error) || code === null) return error;
  if (code === "files.not_found") {
    return new ToolFailure(`${error.message}; ${await nearestNames(context, judged.path)}`);
  }
  if (code === "files.is_directory") {
    return new ToolFailure(`${error.message}; use List to see what is in it`);
  }
  return error;
}
