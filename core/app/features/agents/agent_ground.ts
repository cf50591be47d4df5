import type { AskPort, CapturePort, Compactor, EmitRunEvent, HookPort } from "../../../agent/mod.ts";
import type { OpenModel } from "../../../model/mod.ts";
import type { ToolManifest } from "../../../plugin_api/mod.ts";
import type { PermissionMode } from "../../../types/mod.ts";
import type { SessionSandbox } from "../../sandbox/session_sandbox.ts";
import type { TurnScope } from "../../turn_scope.ts";
import type { SharedPlace } from "../../work_place.ts";

/** What a run shares with the sub-agents that it starts: its rules, its person, its model and who watches it. */
export interface AgentGround {
  readonly run_id: string;
  /** Ends everything that the run began. */
  readonly signal: AbortSignal;
  readonly shared: SharedPlace;
  readonly sandbox: SessionSandbox;
  readonly model: OpenModel;
  readonly asker: AskPort;
  readonly capture?: CapturePort;
  readonly hooks?: HookPort;
  readonly emit: EmitRunEvent;
  /** What commands and skills narrow in the runs above a sub-agent's; they hold for it as well. */
  readonly turns: readonly TurnScope[];
  /** The loosest mode of the agent itself; absent: the session's. */
  readonly loosest?: PermissionMode;
  /** False for a tool that the agent itself is not offered. */
  readonly offered?: (tool: ToolManifest) => boolean;
  /** A compactor for one more conversation. */
  readonly compactor?: () => Compactor;
}
