import type { HostTool, Inbox, StageParticipant } from "../../agent/mod.ts";
import type { RunEvent } from "../../types/mod.ts";
import type { PermissionMode } from "../../types/mod.ts";
import type { SessionParts } from "../session_parts.ts";

/** What a feature may ask of its session later, while it lives. */
export interface FeatureSession {
  readonly session_id: string;
  setMode(mode: PermissionMode): Promise<void>;
  setModel(model: string): Promise<void>;
}

/** What a feature is made from: the parts of its session, and the session itself for what happens later. */
export interface FeatureScope {
  readonly parts: SessionParts;
  readonly session: FeatureSession;
  /** What waits to be told to the model. */
  readonly inbox: Inbox;
  /** Tells whoever watches now; a warning between runs is recorded with the next one. */
  tell(event: RunEvent): void;
}

/** What one feature gives a session. Loading and making it costs next to nothing: heavy parts are imported at their first use. */
export interface SessionFeature {
  /** Tools that Lumina itself carries out. */
  readonly tools?: readonly HostTool[];
  /** Its part in each run. */
  readonly participant?: StageParticipant;
  /** Ends what the feature still holds. */
  close?(): Promise<void>;
}
