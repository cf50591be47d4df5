import type { HookEvent, HookInput, Json, JsonObject } from "../types/mod.ts";
import type { PluginServices } from "./services.ts";

/** What the host tells a hook of one call. Paths are absolute with all links resolved. */
export interface HookContext {
  /** Our id of the call. */
  readonly call_id: string;
  /** The workspace: where relative paths start. */
  readonly cwd: string;
  /** The directories and files that the hook may read itself. */
  readonly read_roots: readonly string[];
  /** The same for writing. */
  readonly write_roots: readonly string[];
  /** `data_dir`, the pack's own folder, and where each of the hook's programs is: `<name>_path`. */
  readonly config: JsonObject;
  /** Aborts when the run is interrupted or the hook's time is over. */
  readonly signal: AbortSignal;
  /** What the host does for the hook. */
  readonly services: PluginServices;
}

/** What a hook may answer: the words of the published hook protocol. */
export interface HookOutput {
  /** False ends the run. */
  continue?: boolean;
  /** Why, for the person. */
  stopReason?: string;
  /** A line for the person. */
  systemMessage?: string;
  /** What the event is about must not happen. */
  decision?: "block";
  /** Why, for the model. */
  reason?: string;
  /** What only some events know. */
  hookSpecificOutput?: {
    /** The event that was answered. */
    hookEventName: HookEvent;
    /** PreToolUse: `deny` and `ask` always count; `allow` answers what the mode would ask, and no rule. */
    permissionDecision?: "allow" | "deny" | "ask";
    permissionDecisionReason?: string;
    /** PreToolUse: another input, which is judged in its turn. */
    updatedInput?: JsonObject;
    /** A text that the model reads beside what happened. */
    additionalContext?: string;
    /** PostToolUse: what the model reads in the result's place. */
    updatedToolOutput?: Json;
    /** PermissionRequest: the answer in the person's place. */
    decision?: { behavior: "allow" | "deny"; message?: string; updatedInput?: JsonObject };
  };
}

/** Answers one event. Nothing says nothing; an exception is told to the person and decides nothing. */
export type HookHandler = (
  input: HookInput,
  context: HookContext,
) => Promise<HookOutput | undefined> | HookOutput | undefined;
