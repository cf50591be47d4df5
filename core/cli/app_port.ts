import type { SearchPort } from "./search_port.ts";
import type { ExportPort } from "./export_port.ts";
import type { ReportPort } from "./report_port.ts";
import type { ReplayFrom, ReplayPort } from "./replay_port.ts";
import type {
  CommandInfo,
  JsonObject,
  MediaBlock,
  PermissionMode,
  RunEvent,
  RunResult,
  Verdict,
} from "../types/mod.ts";
import type { DoctorPort } from "./doctor_port.ts";
import type { PermissionImportPort } from "./permission_import_port.ts";
import type { PermissionPort } from "./permission_port.ts";
import type { PermissionTestPort } from "./permission_test_port.ts";
import type { PluginAuthorPort } from "./plugin_author_port.ts";
import type { PluginInstallPort } from "./plugin_install_port.ts";
import type { PluginListPort } from "./plugin_list_port.ts";
import type { RepairPort } from "./repair_port.ts";
import type { RewindPort } from "./rewind_port.ts";
import type { SessionListPort } from "./session_list_port.ts";
import type { AgentsPort } from "./agent_port.ts";
import type { HooksPort } from "./hook_port.ts";
import type { SkillsPort } from "./skill_port.ts";
import type { HistoryPort } from "./history_port.ts";
import type { ImportPort } from "./import_port.ts";
import type { SessionManagePort } from "./session_manage_port.ts";
import type { SessionShowPort } from "./session_show_port.ts";
import type { ServicesPort } from "./services_port.ts";
import type { TrustPort, TrustReport } from "./trust_port.ts";
import type { StoragePort } from "./storage_port.ts";

/** What flags say about a run. Absent = not given. */
export interface RunFlags {
  cwd?: string;
  settings_file?: string;
  model?: string;
  api_type?: string;
  base_url?: string;
  api_key?: string;
  effort?: string;
  max_tokens?: number;
  permission_mode?: PermissionMode;
  allowed_tools: string[];
  disallowed_tools: string[];
  add_dirs: string[];
  append_system_prompt?: string;
  max_turns?: number;
  max_budget_usd?: number;
  json_schema?: JsonObject;
  fail_on_denial: boolean;
  bare: boolean;
  /** What the run gives up for good, as the command line has it: names with commas. */
  lockdown?: string;
  /** Take what the project brings as looked at and trusted. */
  trust_project: boolean;
  /** Asks a person about what the project brings; absent = nobody can be asked. */
  ask_trust?: (report: TrustReport) => Promise<boolean>;
  /**
   * Which session: a new one with this id, an old one, or the newest of this project. With `fork` a new one (with this
   * id) that begins with the old one's conversation.
   */
  session:
    | { kind: "new"; id?: string }
    | { kind: "resume"; id: string; fork?: { id?: string } }
    | { kind: "continue"; fork?: { id?: string } };
  /** Recorded answers in the place of a model. */
  replay?: ReplayFrom;
  /** The first prompt may be a slash command that asks no model: what is missing for one is told when it is needed. */
  model_later?: true;
  /** Where permission questions go; absent = refused. */
  ask?: (question: CliQuestion, signal: AbortSignal) => Promise<CliAnswer>;
}

export interface CliQuestion {
  call_id: string;
  tool: string;
  input: JsonObject;
  verdict: Verdict;
  /** The sub-agent that asks; absent for the session's own agent. */
  agent?: { agent_id: string; agent_type: string; description: string };
}

/** For how long something holds: while the session runs, for every session of this project, or in every project. */
export type KeepFor = "session" | "project" | "user";

/** Rules to keep from now on. */
export interface RuleUpdate {
  list: "allow" | "ask" | "deny";
  rules: readonly string[];
  keep: KeepFor;
}

/** What an answer keeps from now on: rules, folders that count as workspace, or another mode for the session. */
export type PermissionUpdate =
  | RuleUpdate
  | { directories: readonly string[]; keep: KeepFor }
  | { mode: PermissionMode };

export type CliAnswer =
  & {
    updates?: readonly PermissionUpdate[];
    /** What of the answer could not be carried out, one line each. */
    problems?: readonly string[];
  }
  & (
    | { behavior: "allow"; updated_input?: JsonObject }
    | { behavior: "deny"; message?: string; interrupt?: boolean }
  );

/** What a locked run has given up: its modes, and what is not there because of them. */
export interface LockdownReport {
  modes: string[];
  absent: { what: string; why: string }[];
}

/** What a person says: words, and pictures or documents beside them. `key` makes it happen once. */
export interface SessionPrompt {
  text: string;
  /** False for what came through a pipe alone: as a slash command it changes no rule, mode or setting. */
  typed?: boolean;
  key?: string;
  media?: MediaBlock[];
}

/** What a client may offer a person in a session. */
export interface SessionCatalogue {
  /** The slash commands, builtins first. */
  commands: CommandInfo[];
  agents: { name: string; description: string }[];
  output_style: string;
  output_styles: string[];
  /** Empty when none is configured. */
  model: string;
}

/** An open session that runs prompts one after the other. */
export interface OpenSession {
  readonly session_id: string;
  readonly api_key_source: string;
  readonly plugins: { name: string; path: string }[];
  /** Set for a locked run. */
  readonly lockdown?: LockdownReport | undefined;
  /** What is recorded, when it answers in the model's place: the prompts, and how many answers the model gave. */
  readonly replay?: { prompts: readonly string[]; answers: number };
  /** Never throws for a failed run: the result says how it ended. Throws when the settings no longer hold. */
  run(
    prompt: SessionPrompt,
    emit: (event: RunEvent) => void,
    signal: AbortSignal,
  ): Promise<RunResult>;
  /**
   * Tells the model a message at the next step of the run that goes on; a run that would end goes on with it. A `user` event
   * of the run says that it was told.
   */
  steer(message: SessionPrompt): void;
  /** The messages that no run has taken, oldest first: each is a prompt now. */
  unsteered(): SessionPrompt[];
  /** Throws `permission.mode` for a mode that is disabled here. */
  setMode(mode: PermissionMode): Promise<void>;
  setModel(model: string): Promise<void>;
  /** What may be called by name here; made when it is asked for. */
  catalogue(): Promise<SessionCatalogue>;
  close(): Promise<void>;
}

/** What the command line needs from the application. */
export interface AppPort {
  openSession(flags: RunFlags, warn: (text: string) => void): Promise<OpenSession>;
  session_list: SessionListPort;
  session_show: SessionShowPort;
  session_manage: SessionManagePort;
  session_history: HistoryPort;
  session_import: ImportPort;
  storage: StoragePort;
  repair: RepairPort;
  /** Serves the scripted provider until the signal aborts. */
  runProvider(options: {
    script_file: string;
    port: number;
    signal: AbortSignal;
    print(line: string): void;
  }): Promise<void>;
  config: {
    /** Effective settings with secrets masked: key, value, where it comes from. */
    list(cwd: string): Promise<{ key: string; value: string; source: string }[]>;
    set(key: string, value: string): Promise<{ file: string }>;
    docs(): Promise<string>;
    /** JSON Schema of the settings file, for editors. */
    schema(): Promise<string>;
  };
  replay: ReplayPort;
  session_export: ExportPort;
  report: ReportPort;
  rewind: RewindPort;
  search: SearchPort;
  trust: TrustPort;
  services: ServicesPort;
  hooks: HooksPort;
  agents: AgentsPort;
  skills: SkillsPort;
  plugin_install: PluginInstallPort;
  plugin_list: PluginListPort;
  plugin_author: PluginAuthorPort;
  permission: PermissionPort;
  permission_test: PermissionTestPort;
  permission_import: PermissionImportPort;
  doctor: DoctorPort;
}
