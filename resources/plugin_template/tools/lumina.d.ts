// What Lumina gives a pack, version 1 of its API. Made by `lumina plugin new`; it needs no change.

/** Any value that JSON can hold. */
export type Json = null | boolean | number | string | Json[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  [key: string]: Json;
}

/**
 * What a call does to the world, judged by the permission kernel:
 * `read` looks at files, `write` changes files in place, `run` starts a program, `net` reaches a host,
 * `none` touches nothing outside Lumina.
 */
export type ToolEffect = "none" | "read" | "write" | "run" | "net";

/** Which input the permission rules look at. `param` names the input key; `fallback` stands when it is absent. */
export type ToolSubject =
  | { kind: "path"; param: string; fallback?: string }
  | { kind: "command"; param: string }
  | { kind: "url"; param: string }
  /** A patch: every file that it names is written. */
  | { kind: "patch"; param: string }
  | { kind: "none" };

/**
 * What a crash between intent and outcome means for a call: `retry` may run again unseen, `ask` needs a person,
 * `mark` is only marked as having an unknown outcome.
 */
export type RepeatClass = "retry" | "ask" | "mark";

/**
 * How far the operating system holds a command back.
 *
 * - `closed`: it writes in the workspace and in a /tmp of its own, sees no other process and no secret
 * - `guarded`: the person's whole system, but no secret
 * - `none`: nothing holds it
 */
export type ConfinementLevel =
  | "closed"
  | "guarded"
  | "none";

/** What the operating system enforces around a command. */
export interface Confinement {
  level: ConfinementLevel;
  /** The whole network; without it a command reaches no more than the domains that the settings list. */
  network: boolean;
  /** Places with secrets that the command may read nevertheless: absolute paths, files or folders. */
  secrets: string[];
}

/** What a plugin may ask for. Each kind has exactly one Deno permission, or is a service of the host. */
export type CapabilityKind =
  | "fs.read"
  | "fs.write"
  | "net"
  | "run"
  | "env"
  | "sys"
  | "model"
  | "memory"
  | "session.spawn"
  | "session.read"
  | "tasks"
  | "artifact"
  | "ask"
  | "journal.emit";

/**
 * What a pack asks for: a kind alone, or a kind narrowed to what it names. Paths are `workspace`, `data` (the pack's own
 * folder), absolute, or begin with `~/`; hosts are `name`, `name:port` or `*.name`; programs are plain names. No paths and no
 * hosts: through the host's services alone, which judge each path and each address.
 */
export type CapabilityRequest =
  | CapabilityKind
  | { kind: "fs.read" | "fs.write"; paths: string[] }
  | { kind: "net"; hosts: string[] }
  | { kind: "run"; programs: string[] }
  | { kind: "env"; names: string[] }
  | { kind: "sys"; kinds: string[] };

/** What a pack in the process tier may use. What it asks for beyond the host's limits is lowered to them. */
export interface PackLimits {
  /** Calls of its tools in one run. */
  calls_per_run: number;
  /** Bytes of one result, chunks included. */
  result_bytes: number;
  /** Bytes of one message between host and pack. */
  frame_bytes: number;
  /** Memory of the whole process group, MiB. */
  rss_mib: number;
  /** Processor time of the whole process group in one call, seconds. */
  cpu_seconds_per_call: number;
  /** Processes in the group. */
  processes: number;
  /** Requests to the host's services in one call. */
  service_requests_per_call: number;
}

/**
 * What a tool may ask of the host during a call. Each method rejects with an error whose `code` says why: `denied` (no
 * capability, or the rules of the session say no), `quota`, `invalid`, `unavailable`, `failed`.
 */
export interface PluginServices {
  model: {
    /** One answer of the session's model, from the pack's own budget of tokens. */
    complete(request: { system?: string; prompt: string; max_tokens?: number }): Promise<{ text: string }>;
  };
  /** Files of this session that belong to the pack. */
  artifact: {
    put(name: string, content: string): Promise<{ name: string; bytes: number }>;
    get(name: string): Promise<string>;
    list(): Promise<{ name: string; bytes: number }[]>;
  };
  ask: {
    /** Asks the person; rejects with `unavailable` where nobody can be asked. */
    question(text: string, options?: string[]): Promise<string>;
  };
  session: {
    /** The conversation's texts, newest last; never what tools were given or gave. */
    messages(options?: { limit?: number }): Promise<{ role: "user" | "assistant"; text: string }[]>;
  };
  tasks: {
    list(): Promise<Json[]>;
    create(task: JsonObject): Promise<Json>;
    update(id: string, change: JsonObject): Promise<Json>;
  };
  journal: {
    /** Records something of the pack's own in the session, at most 16 KiB. */
    emit(name: string, data: JsonObject): Promise<void>;
  };
  /** Files, judged as the session's rules say; for packs without a grant of their own. */
  fs: {
    read(path: string): Promise<string>;
    write(path: string, content: string): Promise<void>;
    list(path: string): Promise<{ name: string; kind: "file" | "directory" | "link" }[]>;
  };
  net: {
    /** A GET or POST through the host; every hop is judged. */
    fetch(
      url: string,
      options?: { method?: "GET" | "POST"; headers?: Record<string, string>; body?: string },
    ): Promise<{ status: number; headers: Record<string, string>; body: string }>;
  };
  log: {
    /** For people: shown with the pack's name; never in the conversation. */
    write(level: "info" | "warning", text: string): Promise<void>;
  };
  config: {
    /** The pack's section of the settings, checked against its schema. */
    get(): Promise<JsonObject>;
  };
}

/** What the host tells a tool about one call. Paths are absolute with all links resolved. */
export interface ToolContext {
  /** Our id of the call. */
  readonly call_id: string;
  /** The workspace: where relative paths start. */
  readonly cwd: string;
  /** The directories and files this call may read: workspace, added directories, one-time grants. */
  readonly read_roots: readonly string[];
  /** The same for writing; empty where nothing may be written. */
  readonly write_roots: readonly string[];
  /** Deny rules as absolute patterns (`core/files` `PathPattern`); judged again on the path that is opened. */
  readonly deny_read: readonly string[];
  readonly deny_write: readonly string[];
  /** SHA-256 of the raw bytes the model last saw, by resolved path; only the paths of this call. */
  readonly seen: Readonly<Record<string, string>>;
  /** A folder of this session outside the workspace for output too long to show; made by the host. */
  readonly spill_dir: string;
  /** What the operating system must enforce around the command of this call; absent where it starts none. */
  readonly confinement?: Confinement;
  /** The only environment that a child process gets. */
  readonly child_env: Readonly<Record<string, string>>;
  /** Settings values the tool may need; see each plugin's manifest. */
  readonly config: JsonObject;
  /** Aborts when the run is interrupted or the call's time is over. */
  readonly signal: AbortSignal;
  /** Live output for people; never stored. */
  progress(text: string): void;
  /** Sends a piece of the result ahead of the outcome; resolves when the host has room for more. */
  write(text: string): Promise<void>;
  /** What the host does for the call. */
  readonly services: PluginServices;
}

/** What a tool returns. A failure the model should see is `is_error: true`, not an exception. */
export interface ToolOutcome {
  /** What the model reads, behind what was sent with `write`. */
  content: string;
  is_error?: boolean;
  /** The same as data, for programs that watch (`tool_use_result` in stream-json). */
  data?: JsonObject;
  /** Files whose raw bytes the model has now seen or written, for read-before-edit. */
  seen?: { path: string; sha256: string }[];
}

/** Runs one call. An exception becomes an error result with its message. */
export type ToolHandler = (input: JsonObject, context: ToolContext) => Promise<ToolOutcome>;

/** The default export of a plugin's `mod.ts`. */
export interface PluginModule {
  tools: Record<string, ToolHandler>;
  /** True while the plugin holds something that must not be cut off, such as live background processes. */
  busy?(): boolean;
  /**
   * Called once before the first call. What is given to `notify` reaches the session at once, also between calls. Bundled
   * plugins only: of packs it is not called.
   */
  connect?(notify: (data: JsonObject) => void): void;
  /** Ends everything the plugin still holds; called once before its worker goes. */
  close?(): Promise<void>;
}

/** One tool of a plugin, as `manifest.json` describes it. */
export interface ToolManifest {
  name: string;
  /** Other names the model, rules and old files may use. */
  aliases: string[];
  /** What the model reads. */
  description: string;
  /** JSON Schema 2020-12 of the input, root type object. */
  input_schema: JsonObject;
  effect: ToolEffect;
  subject: ToolSubject;
  /** Capabilities of the worker that runs it. */
  capabilities: CapabilityKind[];
  /**
   * Names of programs that the tool itself may start, found by the host on the PATH outside the workspace. Its worker may
   * run those that were found, and is told where each is: `config.<name>_path`.
   */
  programs: string[];
  /** True when calls of one turn may run side by side. */
  parallel: boolean;
  /** It may take away or overwrite what cannot be made again. A word for clients: nothing is judged by it. */
  destructive?: boolean;
  /** Calling it again with the same input changes nothing more. A word for clients. */
  idempotent?: boolean;
  /** What a crash between intent and outcome means. */
  repeat: RepeatClass;
  /** Hard limit of one call, milliseconds; a tool with a shorter limit of its own keeps it. */
  timeout_ms: number;
}

/** What a hook may wait for: the events of the published hook protocol. */
export type HookEvent =
  | "SessionStart"
  | "Setup"
  | "UserPromptSubmit"
  | "UserPromptExpansion"
  | "PreToolUse"
  | "PermissionRequest"
  | "PermissionDenied"
  | "PostToolUse"
  | "PostToolUseFailure"
  | "PostToolBatch"
  | "Notification"
  | "MessageDisplay"
  | "SubagentStart"
  | "SubagentStop"
  | "TaskCreated"
  | "TaskCompleted"
  | "Stop"
  | "StopFailure"
  | "TeammateIdle"
  | "InstructionsLoaded"
  | "ConfigChange"
  | "CwdChanged"
  | "DirectoryAdded"
  | "FileChanged"
  | "WorktreeCreate"
  | "WorktreeRemove"
  | "PreCompact"
  | "PostCompact"
  | "Elicitation"
  | "ElicitationResult"
  | "SessionEnd";

/** What a hook reads: the published JSON, with the fields of its event beside these. */
export type HookInput = JsonObject & {
  session_id: string;
  /** A file with the conversation so far, one JSON object a line. */
  transcript_path: string;
  cwd: string;
  hook_event_name: HookEvent;
};

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

/** What a plugin brings, by kind. Names of handlers are exports of its module; paths are relative to the manifest. */
export interface Contributions {
  tools: ToolManifest[];
  mcp?: McpContribution;
  memory?: MemoryContribution;
  team?: TeamContribution;
  workflow?: WorkflowManifest;
  host?: HostContribution;
  /** Folders that hold a `SKILL.md`. */
  skills?: string[];
  /** Markdown files, each a slash command. */
  commands?: string[];
  hooks?: Partial<Record<HookEvent, HookMatcher[]>>;
}

/** MCP servers that come with the plugin. */
export interface McpContribution {
  servers: Record<string, McpServer>;
}

export type McpServer =
  | { type: "stdio"; command: string; args?: string[]; env?: Record<string, string>; timeout_ms?: number }
  | { type: "http" | "sse" | "ws"; url: string; headers?: Record<string, string>; timeout_ms?: number };

/** Where a plugin may take part in the memory fabric. */
export type MemoryHook =
  | "compile"
  | "resolve_conflict"
  | "expand_query"
  | "rerank"
  | "redact";

/** Parts of the memory fabric that the plugin's module does. */
export interface MemoryContribution {
  /** Handler by the stage that it stands for. */
  hooks: Partial<Record<MemoryHook, string>>;
}

/** Teams as data. */
export interface TeamContribution {
  /** Folders that hold a `team.yaml`. */
  teams: string[];
}

/** What an adapter of a host can do for the workflow engine. */
export type HostAction =
  | "discover"
  | "create_top_level_task"
  | "wait_tasks"
  | "read_task"
  | "send_message"
  | "cancel_task";

/** An adapter through which the workflow engine starts and watches lanes. */
export interface HostContribution {
  /** The name of the adapter: `--adapter NAME`. */
  name: string;
  /** Handler by action; `discover`, `create_top_level_task` and `read_task` are the least. */
  actions: Partial<Record<HostAction, string>>;
  /** The host's exact tool of a top-level task. */
  task_tool?: string;
}

/** The four hooks of a workflow pack. */
export type WorkflowHookName =
  | "compile_goal"
  | "enrich_context"
  | "verifiers"
  | "compose_result";

export interface WorkflowHook {
  entrypoint: string;
  input_schema_ref: string;
  output_schema_ref: string;
  optional?: boolean;
}

/** A workflow pack, `pack-manifest/v1`. */
export interface WorkflowManifest {
  kind: "pack-manifest";
  schema_version: "1.0";
  protocol: "pack-manifest/v1";
  pack_id: string;
  version: string;
  api_version: 1;
  display_name: string;
  core_compatibility: { min: string; max: string };
  hooks: Record<WorkflowHookName, WorkflowHook>;
  contracts: { imports: string[]; exports: string[] };
  store_access: "core-api-only";
  capabilities: {
    id: string;
    kind: "tool" | "skill" | "plugin" | "mcp" | "host" | "workspace";
    required: boolean;
    permissions?: string[];
  }[];
  external_action_policy: "ask" | "deny" | "allow";
  dependencies?: { pack_ref: string; version_range: string }[];
  config_schema_ref?: string;
  source?: { kind: "repository" | "artifact" | "builtin"; ref: string; digest?: string };
  metadata?: JsonObject;
  created_at: string;
  extensions?: JsonObject;
}

/** One handler of an event. */
export interface HookMatcher {
  /** Which of the event's calls: `*`, names with `|`, or a regular expression; absent: all. */
  matcher?: string;
  /** The export of the plugin's module that is called. */
  handler: string;
  /** Which of the plugin's capabilities the hook uses; absent: none. */
  capabilities?: CapabilityKind[];
  /** Programs that it starts itself; `config.<name>_path` says where each was found. */
  programs?: string[];
  timeout_ms?: number;
}

/** What a plugin can be. */
export type PluginKind =
  | "tools"
  | "mcp"
  | "memory"
  | "team"
  | "workflow"
  | "host"
  | "skills"
  | "commands"
  | "hooks";

/** `manifest.json` of a plugin. */
export interface PluginManifest {
  id: string;
  version: string;
  api: 1;
  title: string;
  description?: string;
  kinds: PluginKind[];
  /** One JavaScript module, relative to the manifest. */
  entry?: string;
  capabilities: CapabilityRequest[];
  /** JSON Schema of the pack's own section of the settings, `plugins.<id>`. */
  config?: JsonObject;
  /** Where the pack itself wants less than the host would allow. */
  limits?: Partial<PackLimits>;
  /** SHA-256 by path relative to the manifest; written by `lumina plugin build`. */
  integrity?: Record<string, string>;
  contributes: Contributions;
}
