import type {
  BesideUse,
  CompactReport,
  ContextUse,
  HostTool,
  Inbox,
  StageParticipant,
  Stages,
} from "../../agent/mod.ts";
import type { Effort, Model } from "../../model/mod.ts";
import type { CommandProvider, Denial, PermissionMode, RunEvent } from "../../types/mod.ts";
import type { KeptRules } from "../kept_rules.ts";
import type { SessionParts } from "../session_parts.ts";
import type { ShellInfo } from "../session_shells.ts";
import type { TurnScope } from "../turn_scope.ts";
import type { CallPorts } from "./skills/skill_commands.ts";
import type { AgentGround } from "./agents/agent_ground.ts";
import type { SharedFeatures } from "./shared_features.ts";

/** What a feature may ask of its session later, while it lives. */
export interface FeatureSession {
  readonly session_id: string;
  setMode(mode: PermissionMode): Promise<void>;
  setModel(model: string): Promise<void>;
  /** Holds from the next prompt on. */
  setEffort(effort: Effort): Promise<void>;
  /** The model of the next prompt; its name is empty when none is configured. */
  readonly model: Model;
  /** The mode of the next prompt. */
  mode(): Promise<PermissionMode>;
  /** What the run that goes on shares with sub-agents; undefined before the first one. */
  readonly ground: AgentGround | undefined;
  /** Rules and folders that a person decided on while the session runs. */
  readonly kept: KeptRules;
  /** How a call outside of the model's own is judged and carried out, by the rules of this moment. */
  callPorts(signal: AbortSignal): Promise<CallPorts>;
  /** What its commands left running, and how it ended. */
  shells(): ShellInfo[];
  /** Who uses what of the model's window at this moment. */
  context(): Promise<ContextUse>;
  /**
   * Compacts the conversation now, whatever its size; what `instructions` say is what the summary must keep. Throws
   * `session.busy` while a run goes on, `agent.compaction_failed` when no summary came, and the signal's reason.
   */
  compact(instructions: string, signal: AbortSignal): Promise<CompactReport>;
}

/** What a feature is made from: the parts of its session, and the session itself for what happens later. */
export interface FeatureScope {
  readonly parts: SessionParts;
  readonly session: FeatureSession;
  /** What waits to be told to the model. */
  readonly inbox: Inbox;
  /** 0 for the session's own agent, 1 for its sub-agents, and so on. */
  readonly depth: number;
  /** What commands and skills say of the run that goes on. */
  readonly turn: TurnScope;
  /** Makes the features of a sub-agent: the same ones, of its own scope. */
  readonly makeFeatures: (scope: FeatureScope) => FeatureSet;
  /** What features offer each other. */
  readonly shared: SharedFeatures;
  /** Tells whoever watches now; a warning between runs is recorded with the next one. */
  tell(event: RunEvent): void;
}

/** The features of one agent, made together and closed together. */
export interface FeatureSet {
  readonly tools: readonly HostTool[];
  readonly stages: Stages;
  besideUse(): BesideUse[];
  besideDenied(): Denial[];
  awaits(): boolean;
  close(): Promise<void>;
}

/** What one feature gives a session. Loading and making it costs next to nothing: heavy parts are imported at their first use. */
export interface SessionFeature {
  /** Tools that Lumina itself carries out. */
  readonly tools?: readonly HostTool[];
  /** Its part in each run. */
  readonly participant?: StageParticipant;
  /** Slash commands that it brings. */
  readonly commands?: CommandProvider;
  /** Requests to models beside the run's own turns since the last time this was asked. */
  besideUse?(): readonly BesideUse[];
  /** Refused calls beside the run's own since the last time this was asked. */
  besideDenied?(): readonly Denial[];
  /** True while work goes on in the background whose end a run waits for before it ends. */
  awaits?(): boolean;
  /** Ends what the feature still holds. */
  close?(): Promise<void>;
}
