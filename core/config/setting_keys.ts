import * as z from "zod";
import {
  API_TYPE_WORDS,
  apiType,
  baseUrl,
  DEFAULT_SANDBOX,
  EFFORT_NAMES,
  fileName,
  hookLists,
  isOwnKeyVariable,
  keyText,
  LOCKDOWN_MODES,
  modelName,
  names,
  NO_PERMISSIONS,
  permissionsSchema,
  PLUGIN_LIMITS,
  pluginLimits,
  pluginSections,
  sandboxSchema,
  text,
  TOKENS,
  wholeFrom,
} from "./setting_schemas.ts";

/** What a project's file may do with a key: nothing, replace the user's value, or add to the user's list. */
export type ProjectRule = "no" | "replace" | "add";

/** One setting. The schema is made when the key is first used: a start pays only for keys that are set. */
interface SettingDefinition<S extends z.ZodType, D extends z.output<S> | undefined> {
  readonly schema: () => S;
  readonly default: D;
  /** How text from a variable or flag is read, and which file values are looked at again: `path` and `${VAR}`. */
  readonly kind: "text" | "command" | "path" | "number" | "boolean" | "list" | "object" | "permissions";
  /** The allowed values in words: what an error says the value must be. */
  readonly must: string;
  readonly description: string;
  readonly project: ProjectRule;
  /** Values of the user's own sources add up: a stronger one cannot take away what a weaker one says. */
  readonly adds?: true;
  readonly secret?: true;
  /** Variables that set it, strongest first, after `LUMINA_<KEY>`. */
  readonly env?: readonly string[];
  /** The command line flag that sets it. */
  readonly flag?: string;
}

function key<S extends z.ZodType, D extends z.output<S> | undefined>(
  definition: SettingDefinition<S, D>,
): SettingDefinition<S, D> {
  return definition;
}

/** All settings: one table for types, checks, defaults, precedence, documentation and JSON Schema. */
export const SETTING_KEYS = {
  api_key: key({
    schema: keyText,
    default: undefined,
    kind: "text",
    must: "a key of printable ASCII characters on one line",
    description: "Key of the model's provider.",
    project: "no",
    secret: true,
    env: ["LLM_API_KEY", "ANTHROPIC_API_KEY"],
    flag: "--api-key",
  }),
  api_key_file: key({
    schema: text,
    default: undefined,
    kind: "path",
    must: "the path of a file",
    description: "File that holds the key; read again after the provider has refused it.",
    project: "no",
  }),
  api_key_helper: key({
    schema: text,
    default: undefined,
    kind: "command",
    must: "a command line",
    description:
      "Command whose standard output is the key. It runs once, and again after the provider has refused the key. It gets the environment of other child processes.",
    project: "no",
  }),
  api_base_url: key({
    schema: baseUrl,
    default: undefined,
    kind: "text",
    must: "an http:// or https:// URL",
    description: "Where the model is served, used as given. Unset: the provider's official endpoint.",
    project: "no",
    env: ["LLM_BASE_URL", "ANTHROPIC_BASE_URL"],
    flag: "--base-url",
  }),
  api_model: key({
    schema: modelName,
    default: undefined,
    kind: "text",
    must: "the name of a model",
    description: "Model, sent to the provider as given. No model is built in.",
    project: "no",
    env: ["LLM_DEFAULT_MODEL", "ANTHROPIC_MODEL"],
    flag: "--model",
  }),
  api_type: key({
    schema: apiType,
    default: "auto",
    kind: "text",
    must: API_TYPE_WORDS,
    description:
      "Wire format. `auto` looks at the base URL (`…/anthropic`), then at the model (`claude…`), else OpenAI-compatible. `replay` answers from `api_replay_file` without a network.",
    project: "no",
    env: ["LLM_API_TYPE"],
    flag: "--api-type",
  }),
  api_replay_file: key({
    schema: text,
    default: undefined,
    kind: "path",
    must: "the path of a file",
    description: "Recorded answers, for `api_type` `replay`.",
    project: "no",
  }),
  context_window: key({
    schema: () => wholeFrom(1),
    default: undefined,
    kind: "number",
    must: TOKENS,
    description: "The model's window. Unset: what the catalogue says, else 128,000.",
    project: "no",
  }),
  max_output_tokens: key({
    schema: () => wholeFrom(1),
    default: undefined,
    kind: "number",
    must: TOKENS,
    description: "The model's output limit. Unset: what the catalogue says, else 8,000.",
    project: "no",
  }),
  api_max_tokens: key({
    schema: () => wholeFrom(1),
    default: undefined,
    kind: "number",
    must: TOKENS,
    description: "Local window: lowers the model's window, never raises it.",
    project: "no",
    flag: "--max-tokens",
  }),
  effort: key({
    schema: () => z.enum(EFFORT_NAMES),
    default: undefined,
    kind: "text",
    must: `one of ${EFFORT_NAMES.join(", ")}`,
    description: "How hard the model should think, where it has such a knob.",
    project: "replace",
    flag: "--effort",
  }),
  fallback_api_enabled: key({
    schema: () => z.boolean(),
    default: false,
    kind: "boolean",
    must: "true or false",
    description: "Use the fallback model when the first one stays out of reach after its retries.",
    project: "no",
  }),
  fallback_api_key: key({
    schema: keyText,
    default: undefined,
    kind: "text",
    must: "a key of printable ASCII characters on one line",
    description: "Key of the fallback's provider.",
    project: "no",
    secret: true,
  }),
  fallback_api_key_file: key({
    schema: text,
    default: undefined,
    kind: "path",
    must: "the path of a file",
    description: "File that holds the fallback's key.",
    project: "no",
  }),
  fallback_api_base_url: key({
    schema: baseUrl,
    default: undefined,
    kind: "text",
    must: "an http:// or https:// URL",
    description: "Where the fallback model is served.",
    project: "no",
  }),
  fallback_api_model: key({
    schema: modelName,
    default: undefined,
    kind: "text",
    must: "the name of a model",
    description: "The fallback model.",
    project: "no",
  }),
  fallback_api_type: key({
    schema: apiType,
    default: "auto",
    kind: "text",
    must: API_TYPE_WORDS,
    description: "Wire format of the fallback model.",
    project: "no",
  }),
  api_stream_idle_timeout_seconds: key({
    schema: () => z.number().positive().max(86_400),
    default: 300,
    kind: "number",
    must: "a number of seconds above 0, at most 86,400",
    description: "How long a stream may be silent before the attempt counts as dead.",
    project: "no",
  }),
  api_max_attempts: key({
    schema: () => wholeFrom(1, 100),
    default: 4,
    kind: "number",
    must: "a whole number from 1 to 100",
    description: "Attempts of one model request, the first one included.",
    project: "no",
  }),
  ca_file: key({
    schema: text,
    default: undefined,
    kind: "path",
    must: "the path of a file",
    description: "PEM file with further certificate authorities for model traffic.",
    project: "no",
  }),
  max_parent_turns: key({
    schema: () => wholeFrom(1),
    default: 100,
    kind: "number",
    must: "a whole number, 1 or more",
    description: "Model turns of one run.",
    project: "replace",
    flag: "--max-turns",
  }),
  max_consecutive_denials: key({
    schema: () => wholeFrom(1),
    default: 5,
    kind: "number",
    must: "a whole number, 1 or more",
    description: "Refused calls in a row, with no permitted one between, that end a headless run.",
    project: "no",
  }),
  shell_timeout_seconds: key({
    schema: () => z.number().positive().max(1_200),
    default: 120,
    kind: "number",
    must: "a number of seconds above 0, at most 1,200",
    description: "Time limit of a shell command that names none.",
    project: "replace",
  }),
  max_tool_result_chars: key({
    schema: () => wholeFrom(1_000, 1_000_000),
    default: 50_000,
    kind: "number",
    must: "a whole number from 1,000 to 1,000,000",
    description: "Characters of one tool result that the model sees; the rest is kept in a file.",
    project: "replace",
  }),
  rewind: key({
    schema: () => z.boolean(),
    default: true,
    kind: "boolean",
    must: "true or false",
    description:
      "Capture the workspace before what may change it, so that `lumina session rewind` can restore it. `.git` and ignored folders are left out.",
    project: "no",
  }),
  rewind_max_file_bytes: key({
    schema: () => wholeFrom(0, 500_000_000),
    default: 33_554_432,
    kind: "number",
    must: "a whole number of bytes from 0 to 500,000,000",
    description: "Larger files are not captured, and named in the journal.",
    project: "no",
  }),
  rewind_max_store_bytes: key({
    schema: () => wholeFrom(1_000_000),
    default: 1_073_741_824,
    kind: "number",
    must: "a whole number of bytes, 1,000,000 or more",
    description:
      "What the captures of one project may take on the disk: the oldest go first. A workspace with more is not captured.",
    project: "no",
  }),
  permissions: key({
    schema: permissionsSchema,
    default: NO_PERMISSIONS,
    kind: "permissions",
    must: "an object with allow, ask, deny, defaultMode, additionalDirectories, disableBypassPermissionsMode",
    description:
      'Permission rules `Tool(specifier)`, the mode and further directories; `disableBypassPermissionsMode: "disable"` takes mode `yolo` away. Lists of all sources add up. A project\'s file may only add `deny` and `ask` and take `yolo` away.',
    project: "add",
    env: ["LUMINA_PERMISSION_MODE", "YOLO_MODE"],
    flag: "--permission-mode",
  }),
  lockdown: key({
    schema: () => z.array(z.enum(LOCKDOWN_MODES)),
    default: [],
    kind: "list",
    must: `a list of ${LOCKDOWN_MODES.join(", ")}`,
    description:
      "What every run gives up for good before its first request: `read-only` (nothing is written but the journal), `workspace` (writes in the workspace alone), `offline` (nothing is reached but the model). Values of the file, the variable and the flag add up.",
    project: "no",
    adds: true,
    flag: "--lockdown",
  }),
  sandbox: key({
    schema: sandboxSchema,
    default: DEFAULT_SANDBOX,
    kind: "object",
    must: `an object with ${Object.keys(DEFAULT_SANDBOX).join(", ")}`,
    description:
      "The operating system's sandbox around commands: `allowed_domains` that mode `auto` reaches through a proxy (a name alone is ports 80 and 443, `host:8080` another one), paths that commands may read (`allow_read`, secrets too), write (`allow_write`) or not read (`deny_read`), `excluded_commands` that run outside, whether a call may ask to leave it (`allow_escalation`), and whether commands are refused where there is none (`fail_if_unavailable`).",
    project: "no",
  }),
  session_memory_turn_interval: key({
    schema: () => wholeFrom(0, 10_000),
    default: 5,
    kind: "number",
    must: "a whole number from 0 to 10,000",
    description:
      "Prompts after which a session's latest part is summarised for its history, by one small request beside the work (at most 5 seconds after the last answer). 0: never.",
    project: "no",
    env: ["SESSION_MEM_TURN"],
  }),
  session_memory_model: key({
    schema: modelName,
    default: undefined,
    kind: "text",
    must: "the name of a model",
    description: "Model that writes the summaries, at the main model's address. Unset: the main model.",
    project: "no",
  }),
  retention_days: key({
    schema: () => wholeFrom(0, 36_500),
    default: 0,
    kind: "number",
    must: "a whole number of days from 0 to 36,500",
    description:
      "Age in days from which `lumina storage cleanup` takes sessions that were not used; 0 keeps them. Open and pinned ones and those used within 24 hours always stay.",
    project: "no",
  }),
  retention_max_sessions: key({
    schema: () => wholeFrom(0),
    default: 0,
    kind: "number",
    must: "a whole number, 0 or more",
    description: "Most sessions that `lumina storage cleanup` leaves, the newest; 0 is no limit.",
    project: "no",
  }),
  retention_max_bytes: key({
    schema: () => wholeFrom(0),
    default: 0,
    kind: "number",
    must: "a whole number of bytes, 0 or more",
    description:
      "Most bytes that sessions and their tool output may take: `lumina storage cleanup` deletes the oldest beyond them, archived ones too; 0 is no limit.",
    project: "no",
  }),
  retention_archive: key({
    schema: () => z.boolean(),
    default: true,
    kind: "boolean",
    must: "true or false",
    description:
      "What `retention_days` and `retention_max_sessions` do: archive, which can be undone, or with `false` delete, archived sessions too.",
    project: "no",
  }),
  hooks: key({
    schema: hookLists,
    default: {},
    kind: "object",
    must: "an object with one list of {matcher, hooks} for each event",
    description:
      "Commands and addresses that are called at events of a session, in the published form (`lumina help hooks`). Those of all the user's sources add up. A project brings its own in `.Lumina/CONFIG/hooks.json`.",
    project: "no",
  }),
  disable_all_hooks: key({
    schema: () => z.boolean(),
    default: false,
    kind: "boolean",
    must: "true or false",
    description: "Run no hook but those of the managed settings.",
    project: "no",
  }),
  child_env_allow: key({
    schema: () =>
      z.array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/).refine((name) => !isOwnKeyVariable(name))),
    default: [],
    kind: "list",
    must: "a list of variable names, without Lumina's own key variables",
    description:
      "Further environment variables that shell commands and other child processes get. Pagers and git's questions are off (`PAGER`, `GIT_PAGER`, `GIT_OPTIONAL_LOCKS`, `GIT_TERMINAL_PROMPT`) unless named here.",
    project: "no",
  }),
  disabled_tools: key({
    schema: names,
    default: [],
    kind: "list",
    must: "a list of tool names",
    description: "Tools that are never offered or run. Lists of all sources add up.",
    project: "add",
  }),
  disabled_plugins: key({
    schema: names,
    default: [],
    kind: "list",
    must: "a list of plugin ids",
    description: "Plugins that are not loaded. Lists of all sources add up.",
    project: "add",
  }),
  plugins: key({
    schema: pluginSections,
    default: {},
    kind: "object",
    must: "an object with one object for each plugin id",
    description:
      "Settings of plugins, by plugin id: each checks its own section against its schema when it asks for it. Shown without the texts in them, which may be keys.",
    project: "no",
    secret: true,
  }),
  plugin_limits: key({
    schema: pluginLimits,
    default: {},
    kind: "object",
    must: `an object with whole numbers above 0 for any of ${PLUGIN_LIMITS.join(", ")}`,
    description:
      "What each plugin that is not a part of the program may use: calls in one run, bytes of a result and of a message, MiB of memory, seconds of processor time in one call, processes, requests to services in one call. What is not named keeps its usual value. Taken when a session first calls one.",
    project: "no",
  }),
  plugin_model_tokens: key({
    schema: () => wholeFrom(0, 100_000_000),
    default: 20_000,
    kind: "number",
    must: "a whole number of tokens from 0 to 100,000,000",
    description: "Tokens, in and out, that each plugin may use of the model in one run; 0: none.",
    project: "no",
  }),
  project_doc_filenames: key({
    schema: () => z.array(fileName()),
    default: ["LUMINA.md", "AGENTS.md"],
    kind: "list",
    must: "a list of plain file names",
    description:
      "Files with instructions. In one directory all of them are read, the first named last, so it wins.",
    project: "replace",
  }),
  project_doc_max_bytes: key({
    schema: () => wholeFrom(0, 1_048_576),
    default: 65_536,
    kind: "number",
    must: "a whole number of bytes from 0 to 1,048,576",
    description: "Bytes of instructions in all; a smaller share of the window may lower it.",
    project: "replace",
  }),
  project_root_markers: key({
    schema: () => z.array(fileName()),
    default: [".git", ".Lumina"],
    kind: "list",
    must: "a list of plain file names",
    description: "Names that mark a parent directory from which instruction files are read.",
    project: "no",
  }),
};

export type SettingName = keyof typeof SETTING_KEYS;
export const SETTING_NAMES = Object.keys(SETTING_KEYS) as SettingName[];

type Value<N extends SettingName> = (typeof SETTING_KEYS)[N] extends SettingDefinition<infer S, infer D>
  ? z.output<S> | (undefined extends D ? undefined : never)
  : never;

/** All settings after all sources; `undefined` = not set. */
export type Settings = { readonly [N in SettingName]: Value<N> };

/** A definition without its types, for code that treats all keys alike. */
export type SettingKey = SettingDefinition<z.ZodType, unknown>;

/** The definition of a key. */
export function settingKey(name: SettingName): SettingKey {
  return SETTING_KEYS[name];
}

/** True when `name` is a setting. */
export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(SETTING_KEYS, name);
}

/** The variables that set a key, strongest first. */
export function settingVariables(name: SettingName): readonly string[] {
  return name === "permissions"
    ? SETTING_KEYS.permissions.env ?? []
    : [`LUMINA_${name.toUpperCase()}`, ...settingKey(name).env ?? []];
}
