import type { Confinement, JsonObject, MediaBlock } from "../types/mod.ts";
import type { PluginServices } from "./services.ts";

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
  /** What the model is shown beside the text, where it can see it (`config.images`, `config.pdf`); bundled plugins alone. */
  media?: MediaBlock[];
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
