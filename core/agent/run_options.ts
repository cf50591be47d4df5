import type { World } from "../base/mod.ts";
import type { Effort, Model } from "../model/mod.ts";
import type { CommandKey, Session } from "../session/mod.ts";
import type { Denial, MediaBlock, PermissionMode, RunResult } from "../types/mod.ts";
import type { Compactor } from "./compaction/compactor.ts";
import type { AnswerCheck } from "./answer_schema.ts";
import type { Inbox } from "./inbox.ts";
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
  /** Keeps the conversation within the model's window; absent: what does not fit ends the run. */
  compactor?: Compactor;
  /** What waits to be told; a message in it keeps a run going that would end. */
  inbox?: Inbox;
  /** True while work goes on in the background whose end the run waits for before it ends; it tells in the inbox. */
  awaits?(): boolean;
  /** Calls that were refused beside the run's own, such as those of sub-agents, asked for once at its end. */
  besideDenied?(): readonly Denial[];
  /** What plugins used of models during the run, asked for once at its end. */
  besideUse?(): readonly BesideUse[];
}

export interface RunOptions {
  run_id: string;
  /** The first run of a session since it was opened; never a run that another one began. */
  first?: boolean;
  prompt: string;
  /** False for what came through a pipe alone: no address in it was typed. */
  typed?: boolean;
  /** Pictures and documents that came with it. */
  media?: MediaBlock[];
  /** Facts of the moment, sent before the prompt in the same message; may be empty. */
  context: string;
  /** What of `context` holds for the whole run; a compaction keeps it. */
  standing?: string;
  system: string;
  mode: PermissionMode;
  effort?: Effort;
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
