import type { ToolFacts } from "./tool_match.ts";

/** The shell tool as the kernel sees it. */
export const SHELL_TOOL: Readonly<ToolFacts> = {
  name: "Bash",
  aliases: ["bash", "run_shell"],
  effect: "run",
  subject: { kind: "command", param: "command" },
};
