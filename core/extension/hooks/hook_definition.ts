import type { HookEvent } from "../../types/mod.ts";

/** One hook as a file has it, checked. */
export type HookDefinition = HookHead & (CommandHook | HttpHook);

interface HookHead {
  event: HookEvent;
  /** Absent: every moment of the event. */
  matcher?: string;
  /** A permission rule that the call must fit. */
  condition?: string;
  timeout_ms: number;
  /** Runs beside the work: nothing waits for it. */
  background: boolean;
  /** Where it stands in the file, from the `hooks` object on. */
  path: readonly (string | number)[];
}

/** A shell line, or with `args` a program that is started without a shell. */
export interface CommandHook {
  type: "command";
  command: string;
  args?: readonly string[];
}

/** The input is posted to an address; the body of the answer is the output. */
export interface HttpHook {
  type: "http";
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Variables that `$NAME` in a header may stand for. */
  allowed_env: readonly string[];
}

/** What is wrong with a part of a file, or is not done by this version. */
export interface HookProblem {
  path: readonly (string | number)[];
  text: string;
}

/** Events that this version runs hooks at. */
export const FIRED_EVENTS: ReadonlySet<HookEvent> = new Set<HookEvent>([
  "SessionStart",
  "UserPromptSubmit",
  "PreToolUse",
  "PermissionRequest",
  "PermissionDenied",
  "PostToolUse",
  "PostToolUseFailure",
  "PostToolBatch",
  "Notification",
  "Stop",
  "StopFailure",
  "SubagentStart",
  "SubagentStop",
  "TaskCreated",
  "TaskCompleted",
  "PreCompact",
  "PostCompact",
  "SessionEnd",
]);

/** Events about one call of a tool. */
export const TOOL_EVENTS: ReadonlySet<HookEvent> = new Set<HookEvent>([
  "PreToolUse",
  "PermissionRequest",
  "PermissionDenied",
  "PostToolUse",
  "PostToolUseFailure",
]);

/** What tells two hooks apart: of those that are the same, one runs. */
export function hookKey(hook: HookDefinition): string {
  const { condition, background } = hook;
  const act = hook.type === "command"
    ? ["command", hook.command, ...hook.args ?? []]
    : ["http", hook.url, JSON.stringify(hook.headers)];
  return JSON.stringify([act, condition ?? null, background]);
}

/** What a hook does, in one text for people: nothing of it is left out. */
export function hookText(hook: HookDefinition): string {
  if (hook.type === "http") {
    const headers = Object.entries(hook.headers).map(([name, value]) => ` ${name}: ${value}`).join(";");
    return `POST ${hook.url}${headers === "" ? "" : ` with${headers}`}`;
  }
  return hook.args === undefined ? hook.command : JSON.stringify([hook.command, ...hook.args]);
}
