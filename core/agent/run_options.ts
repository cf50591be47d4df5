import type { World } from "../base/mod.ts";
import type { Effort, Model } from "../model/mod.ts";
import type { CommandKey, Session } from "../session/mod.ts";
import type { PermissionMode, RunResult } from "../types/mod.ts";
import type { AnswerCheck } from "./answer_schema.ts";
import type { BesideUse } from "./run_totals.ts";
import type { Stages } from "./stages.ts";
import type { AskPort, CapturePort, EmitRunEvent, GatePort, HookPort, ToolPort } from "./ports.ts";

/** What a run works with. */
export interface AgentDeps {
  session: Session;
  model: Model;
  tools: ToolPort;
  gate: GatePort;
  asker: AskPort;
  /** Absent: the workspace is not captured. */
  capture?: CapturePort;
  /** Absent: there is none. */
  hooks?: HookPort;
  world: World;
  emit: EmitRunEvent;
  /** USD of a usage, null when the price is unknown. */
  cost(model: string, usage: RunResult["usage"]): number | null;
  /** Absent: no feature takes part. */
  stages?: Stages;
  /** What plugins used of models during the run, asked for once at its end. */
  besideUse?(): readonly BesideUse[];
}

export interface RunOptions {
  run_id: string;
  prompt: string;
  /** Facts of the moment, sent before the prompt in the same message; may be empty. */
  context: string;
  system: string;
  mode: PermissionMode;
  effort?: Effort;
  /** The first run of a session since it was opened; never a run that another one began. */
  first?: boolean;
  /** Model requests this run may make. */
  max_steps: number;
  max_denials: number;
  fail_on_denial: boolean;
  /** What was told before the run began; recorded with it. */
  warnings: readonly string[];
  /** Checks the final answer; one repair turn is allowed. */
  answer_check?: AnswerCheck;
  /** Makes the run happen once. */
  once?: CommandKey;
}
