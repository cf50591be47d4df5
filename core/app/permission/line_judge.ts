import { projectIdentity, startDirectory } from "../../app_root/mod.ts";
import type { AppRoot } from "../../app_root/mod.ts";
import type { LineVerdicts, RulePlace } from "../../cli/mod.ts";
import { buildPolicy, judgeIn, SHELL_TOOL } from "../../permission/mod.ts";
import type { Policy } from "../../permission/mod.ts";
import { PERMISSION_MODES } from "../../types/mod.ts";
import type { Behavior, PermissionMode } from "../../types/mod.ts";
import { policyHere } from "../policy_here.ts";
import { placeFlags } from "./place_flags.ts";

/** What a judge of lines is made from. */
export interface LineJudgeOptions {
  place: RulePlace;
  /** The built-in rules alone, and auto as with a sandbox. */
  bare: boolean;
  app_root: AppRoot;
  home: string;
  /** Where the program's own files lie. */
  root: URL;
  warn(text: string): void;
}

/** Judges command lines in every mode; the rules are read once. Throws what settings and rules throw. */
export async function lineJudge(options: LineJudgeOptions): Promise<(line: string) => Promise<LineVerdicts>> {
  const { policy, yolo_disabled_by } = options.bare
    ? { ...bareRules(options), yolo_disabled_by: undefined }
    : await rulesInForce(options);
  return async (line) => {
    const verdicts: Record<PermissionMode, Behavior> = {
      plan: "deny",
      ask: "deny",
      "accept-edits": "deny",
      auto: "deny",
      yolo: "deny",
    };
    const judged = await judgeIn(PERMISSION_MODES, { tool: SHELL_TOOL, input: { command: line } }, policy);
    for (const [index, mode] of PERMISSION_MODES.entries()) {
      // a mode that cannot be chosen runs nothing
      if (mode === "yolo" && yolo_disabled_by !== undefined) continue;
      verdicts[mode] = judged[index]?.behavior ?? "deny";
    }
    return verdicts;
  };
}

function bareRules({ place, app_root, home }: LineJudgeOptions): { policy: Policy } {
  return buildPolicy({
    mode: "ask",
    layers: [],
    workspace: projectIdentity(startDirectory(place.cwd)).root,
    home,
    sandbox: { available: true },
    protected_paths: [app_root.root],
    path: Deno.env.get("PATH") ?? "/usr/bin:/bin",
  });
}

async function rulesInForce(
  { place, app_root, home, root, warn }: LineJudgeOptions,
): Promise<{ policy: Policy; yolo_disabled_by: string | undefined }> {
  // the mode that the settings name plays no part: every one is judged
  const flags = { ...placeFlags(place), permission_mode: "ask" as const };
  const { loaded, policy } = await policyHere(flags, app_root, home, root);
  for (const text of new Set([...loaded.warnings, ...policy.warnings])) warn(text);
  const { yolo_disabled_by } = policy.built;
  if (yolo_disabled_by !== undefined) {
    warn(`Mode yolo is disabled by ${yolo_disabled_by}: its verdicts are deny`);
  }
  return { policy: policy.built.policy, yolo_disabled_by };
}
