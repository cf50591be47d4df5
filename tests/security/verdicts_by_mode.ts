import { buildPolicy, judgeIn, SHELL_TOOL } from "../../core/permission/mod.ts";
import type { PolicyInput } from "../../core/permission/mod.ts";
import { PERMISSION_MODES } from "../../core/types/mod.ts";
import type { Behavior, PermissionMode } from "../../core/types/mod.ts";

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
