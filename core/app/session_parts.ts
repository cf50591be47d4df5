import type { ApiKeys, SettingsWatch } from "../config/mod.ts";
import type { Journal } from "../journal/mod.ts";
import type { ModelOptions, OpenModel, Recording } from "../model/mod.ts";
import type { InputValidator, ToolCatalog, WorkerTier } from "../plugin_host/mod.ts";
import type { Session } from "../session/mod.ts";
import type { SessionHooks } from "./hooks/session_hooks.ts";
import type { LocatedSession } from "./locate_session.ts";
import type { Lockdown } from "./lockdown/lockdown.ts";
import type { Environment } from "./lockdown/run_environment.ts";
import type { OpenOptions } from "./open_options.ts";
import type { PackCalls } from "./plugins/pack_calls.ts";

/** Everything a session is wired from. */
export interface SessionParts extends OpenOptions {
  located: LocatedSession;
  session: Session;
  journal: Journal;
  /** Settles when the session itself is on disk. */
  recorded: Promise<void>;
  watch: SettingsWatch;
  keys: ApiKeys;
  model: OpenModel;
  /** A model by the settings of the moment. */
  makeModel(adjust?: (options: ModelOptions) => ModelOptions): Promise<OpenModel>;
  catalog: ToolCatalog;
  validator: InputValidator;
  tier: WorkerTier;
  system: string;
  /** The instruction files that are a part of it. */
  instructions: readonly { path: string; text: string }[];
  api_key_source: string;
  /** The environment of the process, or what a locked run kept of it. */
  env: Environment;
  /** Set for a locked run. */
  lockdown: Lockdown | undefined;
  /** Runs the tools of packs; undefined where there is none. */
  packs: PackCalls | undefined;
  /** Undefined where there is none, and in a locked run. */
  hooks: SessionHooks | undefined;
  /** What answers in the model's place. */
  recording: Recording | undefined;
  /** What was told while the session was opened. */
  warnings: readonly string[];
}
