import type { PermissionAnswer, ToolRun } from "../../../agent/mod.ts";
import type { JsonObject } from "../../../types/mod.ts";

/** Asks whoever answers questions about permissions; `headless` where there is nobody. */
export type AskPerson = (
  tool: string,
  input: JsonObject,
  reason: string,
  run: ToolRun,
) => Promise<PermissionAnswer>;
