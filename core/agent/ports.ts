import type { ToolManifest, ToolOutcome } from "../plugin_api/mod.ts";
import type { HookEvent, HookMoment, HookOutcome, JsonObject, RunEvent, Verdict } from "../types/mod.ts";

/** What the host needs to run one call that has been allowed. */
export interface ToolRun {
  call_id: string;
  verdict: Verdict;
  seen: Readonly<Record<string, string>>;
  signal: AbortSignal;
  progress(text: string): void;
  /** Judges the same tool with another input: what a call leads to and nobody was asked about. Absent: nothing is followed. */
  judge?(input: JsonObject): Promise<Verdict>;
}

/** The tools an agent may call. */
export interface ToolPort {
  /** What the model is offered, sorted by name. */
  readonly tools: readonly ToolManifest[];
  /** By name or alias, also when it is not offered. */
  find(name: string): ToolManifest | undefined;
  /** What is wrong with an input, one line per problem; may convert quoted numbers in place. */
  check(tool: ToolManifest, input: JsonObject): string[];
  /** The model has begun to call a tool: starts what a call needs and returns at once. Never throws. */
  prepare(name: string): void;
  call(tool: ToolManifest, input: JsonObject, run: ToolRun): Promise<ToolOutcome>;
}

/** The permission kernel, bound to one session's policy. */
export interface GatePort {
  judge(tool: ToolManifest, input: JsonObject): Promise<Verdict>;
}

/** A question to whoever may answer it. */
export interface PermissionQuestion {
  call_id: string;
  tool: string;
  input: JsonObject;
  verdict: Verdict;
  /** The sub-agent that asks; absent for the session's own agent. */
  agent?: { agent_id: string; agent_type: string; description: string };
}

export type PermissionAnswer =
  & {
    /** How long it holds. */
    remember?: "once" | "session" | "project" | "user";
    /** The rules and folders that were kept with it, as they were shown. */
    kept?: readonly string[];
  }
  & (
    | { behavior: "allow"; by: "user"; updated_input?: JsonObject }
    | { behavior: "deny"; by: "user" | "headless"; message?: string; interrupt?: boolean }
  );

/** Where questions go. Headless without a prompt channel, the answer is always deny. */
export interface AskPort {
  ask(question: PermissionQuestion, signal: AbortSignal): Promise<PermissionAnswer>;
}

/** The workspace as it was before a call, or as a run left it: what `checkpoint.captured` records. */
export interface CaptureNote {
  snapshot: string;
  moment: "write" | "command" | "end";
  skipped: string[];
}

/** Captures the workspace before whatever may change it. Throws only when the signal aborts. */
export interface CapturePort {
  /** The model has begun to call a tool: loads what a capture needs and returns at once. Never throws. */
  prepare(tool: ToolManifest | undefined): void;
  /** Undefined for a call that cannot change the workspace. */
  before(tool: ToolManifest, verdict: Verdict, signal: AbortSignal): Promise<CaptureNote | undefined>;
  /** What the run leaves; undefined when it changed nothing. */
  end(signal: AbortSignal): Promise<CaptureNote | undefined>;
}

/** The hooks of a session. Absent where there is none. */
export interface HookPort {
  /** True when a hook waits for the event: nothing is put together for one that nobody waits for. */
  waits(event: HookEvent): boolean;
  /** Runs all hooks that fit side by side. What goes wrong in them is in the outcome; throws only the signal's reason. */
  run(moment: HookMoment, signal: AbortSignal): Promise<HookOutcome>;
}

/** Receives what a run tells; must not throw. */
export type EmitRunEvent = (event: RunEvent) => void;
