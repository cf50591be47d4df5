import type { HookEvent, HookInput, HookReply } from "../../types/mod.ts";

/** Whose hook it is: one of a repository or of a pack is never stronger than what its person allowed it to be. */
export type HookOrigin = "managed" | "user" | "repo" | "pack";

/** One hook that can be run. */
export interface HookHandler {
  /** For people: its file and command, or the id of its pack. */
  name: string;
  source: HookOrigin;
  event: HookEvent;
  /** Which of the event's moments; absent: all. */
  matcher?: string;
  /** Handlers with the same key run once a moment. */
  key: string;
  timeout_ms: number;
  /** Nothing waits for it and nothing is decided by it. */
  background?: boolean;
  /** Only calls that fit this permission rule, e.g. `Bash(git *)`. */
  condition?: string;
  /** Never throws for a broken hook: that is a reply. Throws only the signal's reason. */
  run(input: HookInput, signal: AbortSignal): Promise<HookReply>;
}

/** Hooks from one place: settings, a project's files, packs. */
export interface HookSource {
  /** In the order in which they stand there. */
  handlers(event: HookEvent): readonly HookHandler[];
}
