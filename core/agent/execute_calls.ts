import type { ToolUseBlock } from "../types/mod.ts";
import { executeTool } from "./execute_tool.ts";
import type { ExecutedCall, ExecutorDeps } from "./execute_tool.ts";

/** At most this many calls run side by side. */
const MAX_PARALLEL = 10;

/**
 * Runs the calls of one turn: neighbours that may run in parallel do, everything else strictly in order. The result
 * has the order of the calls. When one throws (abort, journal), the others are awaited before it is passed on, so
 * that nothing outlives the run.
 */
export async function executeCalls(
  deps: ExecutorDeps,
  calls: readonly ToolUseBlock[],
  signal: AbortSignal,
): Promise<ExecutedCall[]> {
  const results: ExecutedCall[] = [];
  let next = 0;
  while (next < calls.length) {
    const batch: ToolUseBlock[] = [];
    while (batch.length < MAX_PARALLEL) {
      const call = calls[next];
      if (call === undefined || (batch.length > 0 && !isParallel(deps, call))) break;
      batch.push(call);
      next++;
      if (!isParallel(deps, call)) break;
    }
    const settled = await Promise.allSettled(batch.map((call) => executeTool(deps, call, signal)));
    for (const result of settled) {
      if (result.status === "rejected") throw result.reason;
      results.push(result.value);
    }
  }
  return results;
}

function isParallel(deps: ExecutorDeps, call: ToolUseBlock): boolean {
  return deps.tools.find(call.name)?.parallel ?? true; // an unknown tool runs nothing
}
