import { PERMISSION_MODES } from "../types/mod.ts";
import type { Behavior, PermissionMode } from "../types/mod.ts";
import { judgeIn } from "./judge.ts";
import { buildPolicy } from "./policy.ts";
import type { PolicyInput } from "./policy.ts";
import type { ToolFacts } from "./tool_match.ts";

/** The shell tool as the kernel sees it. */
export const SHELL_TOOL: Readonly<ToolFacts> = {
  name: "Bash",
  aliases: ["bash", "run_shell"],
  effect: "run",
  subject: { kind: "command", param: "command" },
};

/** What the kernel says of one shell line in each of the five modes. */
export type VerdictsByMode = Record<PermissionMode, Behavior>;

/** Judges a shell line in every mode under rules and folders of `input`. Throws what `buildPolicy` throws. */
export async function verdictsByMode(
  line: string,
  input: Omit<PolicyInput, "mode">,
): Promise<VerdictsByMode> {
  // rules and folders are the same in every mode, so they are read once
  const { policy } = buildPolicy({ ...input, mode: "ask" });
  const verdicts: VerdictsByMode = {
    plan: "deny",
    ask: "deny",
    "accept-edits": "deny",
    auto: "deny",
    yolo: "deny",
  };
  const call = { tool: SHELL_TOOL, input: { command: line } };
  const judged = await judgeIn(PERMISSION_MODES, call, policy);
  for (const [index, mode] of PERMISSION_MODES.entries()) verdicts[mode] = judged[index]?.behavior ?? "deny";
  return verdicts;
}
