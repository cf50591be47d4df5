import type { ToolFacts } from "../../permission/mod.ts";
import type { AgentDefinition } from "./agent_definition.ts";

/** What starts further sub-agents. */
export const AGENT_TOOL = "Agent";

/**
 * Whether a sub-agent may use a tool that its parent has: its type names it or names none, and does not take it away. `may_delegate` is false at the deepest level, where the tool that starts sub-agents is not offered.
 */
export function mayUse(
  tool: ToolFacts,
  { tools, disallowed_tools, read_only }: Pick<AgentDefinition, "tools" | "disallowed_tools" | "read_only">,
  { may_delegate, allowed_tools }: { may_delegate: boolean; allowed_tools?: readonly string[] | undefined },
): boolean {
  const names = [tool.name, ...tool.aliases];
  const named = (list: readonly string[]) => list.some((entry) => names.includes(baseName(entry)));
  if (!may_delegate && tool.name === AGENT_TOOL) return false;
  if (tools !== undefined && !named(tools)) return false;
  if (allowed_tools !== undefined && !named(allowed_tools)) return false;
  if (named(disallowed_tools)) return false;
  return !read_only || tool.effect === "read" || tool.effect === "net";
}

/** `Bash(git *)` names `Bash`. */
function baseName(rule: string): string {
  const open = rule.indexOf("(");
  return (open < 0 ? rule : rule.slice(0, open)).trim();
}
