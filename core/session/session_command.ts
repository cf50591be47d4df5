import type {
  AssistantMessage,
  CommandSource,
  JsonObject,
  MediaBlock,
  Message,
  RepeatClass,
  RunStatus,
  StopReason,
  ToolEffect,
  Usage,
} from "../types/mod.ts";
import type { AgentWorktree } from "./agent_record.ts";
import type { UsedSkill } from "./state.ts";
import type { Task } from "./tasks.ts";

/** Who decided about a call, and why. See the event `permission.decided`. */
export interface DecidedPermission {
  by: "policy" | "user" | "headless" | "hook";
  source: string;
  reason: string;
  rule?: string;
  mode?: string;
  /** SHA-256 over tool, canonical input and resolved paths. */
  shown?: string;
  remember?: "once" | "session" | "project" | "user";
  kept?: string[];
  hook?: string;
}

/** What can be asked of a session. Each command either gives its events or a `session.*` error. */
export type SessionCommand =
  | {
    type: "create";
    system: string;
    session_id: string;
    project_id: string;
    cwd: string;
    lumina_version: string;
    origin: "headless" | "interactive" | "import";
  }
  | { type: "set_prompt"; system: string }
  | { type: "set_title"; title: string; by: "user" | "auto" }
  | { type: "set_pinned"; pinned: boolean }
  | { type: "mark_fork"; parent_id: string; parent_seq: number; message: number | null }
  | {
    type: "rewind";
    to: number;
    scope: "files" | "conversation" | "both";
    snapshot: string | null;
    changed: number;
  }
  | {
    type: "compact";
    trigger: "auto" | "manual" | "overflow";
    tier: "clear" | "summary";
    head?: string[];
    /** Number of the first message that stays; it begins no tool result. */
    from?: number | null;
    replaced: { call_id: string; content: string }[];
    tokens_before: number;
    tokens_after: number;
  }
  | {
    type: "note_compaction_usage";
    model: string;
    usage: Usage;
    cost_usd: number | null;
    duration_ms: number;
  }
  | { type: "import_message"; message: Message }
  | { type: "import_usage"; usage: Usage }
  | {
    type: "import_summary";
    from: number;
    to: number;
    title: string;
    summary: string;
    tags: string[];
    model: string;
  }
  | { type: "place"; project_id: string; cwd: string }
  | {
    type: "note_command";
    name: string;
    args: string;
    source: CommandSource;
    outcome: "text" | "prompt" | "session" | "error";
  }
  | {
    type: "note_summary";
    from: number;
    to: number;
    title: string;
    summary: string;
    tags: string[];
    model: string;
    usage: Usage;
    cost_usd: number | null;
    duration_ms: number;
  }
  | {
    type: "note_summary_failure";
    from: number;
    to: number;
    reason: string;
    /** What the attempts used; null when no answer came at all. */
    spent: { model: string; usage: Usage; cost_usd: number | null; duration_ms: number } | null;
  }
  | {
    type: "start_run";
    run_id: string;
    /** The first step, which begins with the run. */
    step_id: string;
    prompt: string;
    context: string;
    model: string;
    mode: string;
    tools: string[];
    media?: MediaBlock[];
    /** False for what came through a pipe alone. */
    typed?: boolean;
  }
  | { type: "add_note"; text: string }
  | { type: "steer_run"; text: string; context: string; media?: MediaBlock[]; key?: string }
  | { type: "note_shell_start"; shell_id: string; call_id: string; command: string }
  | {
    type: "note_shell_end";
    shell_id: string;
    reason: "exited" | "killed" | "gone";
    exit_code: number | null;
  }
  | { type: "start_step"; step_id: string }
  | {
    type: "record_answer";
    model: string;
    message_id: string;
    message: AssistantMessage;
    stop: StopReason;
    usage: Usage;
    cost_usd: number | null;
    duration_ms: number;
  }
  | {
    type: "record_retry";
    attempt: number;
    code: string;
    error: string;
    delay_ms: number;
    status?: number;
    partial: AssistantMessage | null;
  }
  | { type: "record_fallback"; from: string; to: string; reason: string }
  | { type: "record_model_failure"; code: string; message: string; partial: AssistantMessage | null }
  | (DecidedPermission & {
    type: "decide_permission";
    call_id: string;
    tool: string;
    behavior: "allow" | "deny";
    pack?: string;
  })
  | { type: "emit_plugin"; pack: string; name: string; call_id: string; data: JsonObject }
  | { type: "trip_quota"; pack: string; quota: string; limit: number; value: number; call_id?: string }
  | { type: "disable_plugin"; pack: string; reason: string }
  | {
    type: "note_plugin_usage";
    model: string;
    usage: Usage;
    cost_usd: number | null;
    duration_ms: number;
  }
  | {
    type: "note_capture";
    snapshot: string;
    moment: "write" | "command" | "end" | "rewind";
    call_id?: string;
    skipped: string[];
  }
  | { type: "start_tool"; call_id: string; name: string; effect: ToolEffect; repeat: RepeatClass }
  | {
    type: "finish_tool";
    call_id: string;
    name: string;
    content: string;
    is_error: boolean;
    ran: boolean;
    seen: { path: string; sha256: string }[];
    data?: JsonObject;
    media?: MediaBlock[];
    duration_ms: number;
  }
  | {
    type: "start_agent";
    agent_id: string;
    agent_type: string;
    description: string;
    call_id?: string;
    background: boolean;
    model: string;
    tools: string[];
    worktree?: AgentWorktree;
  }
  | {
    type: "finish_agent";
    agent_id: string;
    status: RunStatus;
    error?: { code: string; message: string };
    turns: number;
    usage: Usage;
    cost_usd: number | null;
    duration_ms: number;
    worktree?: AgentWorktree;
  }
  | { type: "interrupt_agent"; agent_id: string; reason: string; done: string }
  | { type: "keep_output"; call_id: string; content: string }
  | { type: "use_skill"; name: string; source: UsedSkill["source"]; by: "person" | "model"; text: string }
  | {
    type: "start_skill_commands";
    skill: string;
    commands: {
      command: string;
      by: DecidedPermission["by"];
      source: string;
      reason: string;
      rule?: string;
    }[];
  }
  | { type: "finish_skill_commands"; skill: string; ok: boolean; error?: string }
  | { type: "note_mode"; from: string; to: string; by: string }
  | { type: "create_task" | "update_task"; task: Task }
  | { type: "warn"; text: string }
  | {
    type: "note_hook";
    event: string;
    hook: string;
    source: "managed" | "user" | "repo" | "pack";
    outcome: "allow" | "ask" | "deny" | "block" | "stop" | "changed" | "failed" | "slow";
    text: string;
    duration_ms: number;
    call_id?: string;
  }
  | {
    type: "finish_run";
    status: RunStatus;
    error?: { code: string; message: string };
    denials: number;
    duration_ms: number;
  }
  | { type: "interrupt_run"; reason: string };
