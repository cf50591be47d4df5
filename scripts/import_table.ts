/**
 * Which module may import which, besides npm packages that are its job. Kept in step with ARCHITECTURE.md. `core/` is left
 * out of the names; `plugins/*` is each plugin for itself.
 */
export const MAY_IMPORT: Readonly<Record<string, readonly string[] | "everything">> = {
  types: [],
  base: ["types"],
  plugin_api: ["types"],
  protocol: ["types"],
  files: ["types", "base"],
  config: ["types", "base"],
  app_root: ["types", "base"],
  journal: ["types", "base"],
  permission: ["types", "base", "files"],
  rewind: ["types", "base", "files", "journal"],
  extension: ["types", "base", "files", "config", "app_root", "permission"],
  session: ["types", "base", "journal", "permission", "plugin_api"],
  model: ["types", "base", "config"],
  workflow: ["types", "base", "journal", "plugin_api"],
  agent: [
    "types",
    "base",
    "files",
    "journal",
    "session",
    "model",
    "permission",
    "plugin_api",
    "config",
    "extension",
    "rewind",
  ],
  team: ["types", "base", "journal", "agent", "plugin_api"],
  plugin_host: ["types", "base", "files", "plugin_api", "permission", "config", "app_root"],
  gateway: ["types", "base", "files", "protocol", "session"],
  cluster: ["types", "base", "journal", "session", "protocol", "gateway", "config"],
  doctor: ["types", "base", "files", "config", "app_root", "permission", "journal"],
  cli: ["types", "base", "protocol", "config", "app_root"],
  app: "everything",
  "main.ts": "everything",
  "plugins/*": ["plugin_api", "files"],
  tui: ["protocol"],
};

/** Files besides `mod.ts` that other modules may import, each with its reason. */
export const EXTRA_DOORS: readonly string[] = [
  "core/app/version.ts", // `--version` is answered before anything else is loaded
  "core/plugin_host/process/plugin_process.ts", // a pack's process loads nothing else
  "core/app/sandbox/bridge.ts", // nor does the bridge inside a sandbox
  "core/app/telemetry/telemetry_process.ts", // nor does the exporter of telemetry
];

/** Something that only some modules may touch. */
export interface GlobalRule {
  what: string;
  /** Searched in code, never in comments or strings. */
  pattern: RegExp;
  /** Module specifiers that are the same thing under another name. */
  specifiers?: RegExp;
  /** Modules, or paths from the root, whose job it is. */
  allowed: readonly string[];
}

/** `Deno.*` names that are values about this program or types, not doors to the world. */
const NO_IO = "build|errors|args|version|inspect|customInspect|[A-Z](?!ommand\\b)\\w*";

/** What the world is touched through, and the modules whose job that is. */
export const GLOBAL_RULES: readonly GlobalRule[] = [
  {
    what: "Deno.* I/O",
    pattern: new RegExp(`\\bDeno\\.(?!(?:${NO_IO})\\b)\\w+`, "g"),
    specifiers:
      /^node:(fs|fs\/promises|child_process|net|http|https|tls|dgram|sqlite|worker_threads|readline)$/,
    allowed: [
      "base",
      "files",
      "app_root",
      "config",
      "journal",
      "rewind",
      "extension",
      "model",
      "plugin_host",
      "gateway",
      "cluster",
      "doctor",
      "cli",
      "app",
      "main.ts",
      "plugins/*",
      "core/agent/instructions.ts", // reads the instruction files of a project
      "core/permission/path_aliases.ts", // under which other names a file is refused
      "core/permission/path_facts.ts", // the disk as decide(), which is pure, sees it
      "core/permission/read_only/git_config.ts", // what a repository's settings would run
      "core/permission/read_only/git_index.ts", // which submodules it has
      "core/permission/read_only/git_repository.ts", // which repository it is
      "core/permission/shell/expand_glob.ts", // what a pattern of a command stands for
      "core/permission/shell/is_directory.ts",
      "core/permission/shell/parser.ts", // loads the WASM of the shell grammar
      "core/session/summary.ts", // reads the meta.json of sessions
    ],
  },
  { what: "Date.now", pattern: /\bDate\.now\b|\bnew Date\(\)/g, allowed: ["base", "cli"] },
  { what: "Math.random", pattern: /\bMath\.random\b/g, allowed: ["base"] },
  {
    what: "console.*",
    pattern: /\bconsole\.\w+/g,
    allowed: [
      "cli",
      "main.ts",
      "core/plugin_host/process/pack_worker.ts",
      "core/app/telemetry/telemetry_process.ts", // the exporter takes what is printed as log records
    ],
  },
];
