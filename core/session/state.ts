import type { JsonObject, Message, RepeatClass, ToolResultBlock, Usage } from "../types/mod.ts";
import { NO_USAGE } from "../types/mod.ts";
import type { Compaction } from "./compaction_record.ts";
import type { AgentRecord } from "./agent_record.ts";
import type { TaskVersion } from "./tasks.ts";

/** A tool call that the model asked for and that has no result yet. */
export interface OpenCall {
  call_id: string;
  name: string;
  input: JsonObject;
  /** True once its intent is recorded: it may have acted. */
  started: boolean;
  /** From its intent: the tool's own name and whether it may be repeated. */
  tool?: string;
  repeat?: RepeatClass;
}

/** The run that is going on. */
export interface OpenRun {
  run_id: string;
  step_id: string | null;
  steps: number;
  /** In the order the model asked. */
  calls: OpenCall[];
  results: ToolResultBlock[];
  /** The model that answers the step, where it is not the run's. */
  answers?: string;
  /** Visible text of an attempt that died and was not followed by an answer. */
  partial: string;
}

/** A call that had started and whose outcome nobody recorded: it may have acted, wholly or in part. */
export interface UnknownOutcome {
  call_id: string;
  /** The tool's own name, whatever alias the model used. */
  name: string;
  input: JsonObject;
  repeat: RepeatClass;
  /** Which run of the session it belongs to, from 1. */
  run: number;
  /** The event that says that the outcome is unknown. */
  seq: number;
}

/** A skill whose text the model has been given. */
export interface UsedSkill {
  name: string;
  source: "project" | "user" | "pack" | "bundled";
  /** As the model saw it last. */
  text: string;
  /** How often it was used. */
  uses: number;
  /** The event of its last use. */
  seq: number;
}

/** What a session is, folded from its events. */
export interface SessionState {
  session_id: string;
  /** Whose conversation it is: a sub-agent's id; empty for the session's own. */
  agent: string;
  project_id: string;
  cwd: string;
  created_ts: number;
  updated_ts: number;
  title: string;
  title_by: "prompt" | "auto" | "user";
  pinned: boolean;
  forked_from: { session_id: string; seq: number } | null;
  system: string;
  /** The whole conversation; what of it the next request carries is `contextMessages`. */
  messages: Message[];
  /** For each message the `seq` of the event that made it; a person names a message by it. */
  origins: number[];
  /** What the model is shown in place of parts of the conversation, oldest first. */
  compactions: Compaction[];
  /** The numbers of the messages that a person wrote. */
  requests: number[];
  /** Whose reasoning an answer holds: the model by the answer's number. Another model cannot take it back. */
  thought: { [seq: string]: string };
  /** What the provider counted for the first `at` messages with system prompt and tools; null when nothing holds. */
  anchor: { at: number; tokens: number } | null;
  run: OpenRun | null;
  /** Runs begun. */
  runs: number;
  /** Model answers. */
  turns: number;
  usage: Usage;
  /** Null once a model without a known price has been used. */
  cost_usd: number | null;
  /** What is known of the cost in US dollars, and how many requests have no known price. */
  spent: { usd: number; unpriced: number };
  last_status: string;
  model: string;
  /** SHA-256 of the raw bytes the model last saw, by real path. */
  seen: Map<string, string>;
  /**
   * What the history lacks: the numbers of the prompts since `to`, the end of the last summary; with the first `tried`
   * of them a summary failed.
   */
  memory: { to: number; prompts: number[]; tried: number };
  /** Web addresses that the person wrote in prompts, oldest first (`typedUrls`). */
  typed_urls: string[];
  /** Skills that were used, the last one last. */
  skills: UsedSkill[];
  /** Every version of every task, oldest first (`tasksOf`). */
  tasks: TaskVersion[];
  /** Calls whose outcome is not known and that have not run since. */
  unknown: UnknownOutcome[];
  /** Sub-agents that it started, in their order. */
  agents: AgentRecord[];
  /** Commands that were left running and whose end is not recorded; after an opening they are gone. */
  shells: { shell_id: string; command: string }[];
  /** The highest number that one of them had. */
  shell_count: number;
  /** Last sequence folded. */
  seq: number;
  /** Version of each stream that may still grow: a run's is gone when it has ended. */
  versions: Map<string, number>;
}

/** The state before the first event. */
export function emptySession(): SessionState {
  return {
    session_id: "",
    agent: "",
    project_id: "",
    cwd: "",
    created_ts: 0,
    updated_ts: 0,
    title: "",
    title_by: "prompt",
    pinned: false,
    forked_from: null,
    system: "",
    messages: [],
    origins: [],
    compactions: [],
    requests: [],
    thought: {},
    anchor: null,
    run: null,
    runs: 0,
    turns: 0,
    usage: NO_USAGE,
    cost_usd: 0,
    spent: { usd: 0, unpriced: 0 },
    last_status: "",
    model: "",
    seen: new Map(),
    memory: { to: 0, prompts: [], tried: 0 },
    typed_urls: [],
    skills: [],
    tasks: [],
    unknown: [],
    agents: [],
    shells: [],
    shell_count: 0,
    seq: 0,
    versions: new Map(),
  };
}
