import type { ToolManifest } from "../plugin_api/mod.ts";
import { findUnknown } from "../session/mod.ts";
import type { SessionState } from "../session/mod.ts";
import type { ToolUseBlock, Verdict } from "../types/mod.ts";

/**
 * A call of class `ask` that equals one whose outcome is unknown needs a person, whatever the policy allows: it may
 * have acted already. Until the same call has run to an end; what only reads may always run.
 */
export function askAgain(
  verdict: Verdict,
  tool: ToolManifest,
  block: ToolUseBlock,
  state: Readonly<SessionState>,
): Verdict {
  if (tool.repeat !== "ask" || verdict.behavior !== "allow" || verdict.reads_only === true) return verdict;
  if (findUnknown(state, tool.name, block.input) === undefined) return verdict;
  const { rule: _rule, ...rest } = verdict;
  return {
    ...rest,
    behavior: "ask",
    source: "recovery",
    reason:
      "the same call was interrupted before and its outcome is unknown, so running it again may do it twice",
    suggestions: [],
  };
}
