import { join } from "node:path";
import type { GatePort } from "../agent/mod.ts";
import type { AppRoot, ProjectIdentity } from "../app_root/mod.ts";
import { EXIT, LuminaError } from "../base/mod.ts";
import type { RunFlags } from "../cli/mod.ts";
import type { LoadedSettings, PermissionSource } from "../config/mod.ts";
import { readPermissionFile } from "../config/mod.ts";
import {
  bareDenied,
  buildPolicy,
  closedPatterns,
  denyPatterns,
  judge,
  splitRuleList,
} from "../permission/mod.ts";
import type { RuleLayer, SandboxPolicy } from "../permission/mod.ts";
import type { ToolManifest } from "../plugin_api/mod.ts";
import type { PermissionMode } from "../types/mod.ts";

export interface PolicyOptions {
  loaded: LoadedSettings;
  flags: RunFlags;
  app_root: AppRoot;
  project: ProjectIdentity;
  home: string;
  /** Set while the session runs; wins over everything. */
  mode?: PermissionMode;
  /** Where output too long to show lies: readable like the workspace. */
  spill_dir: string;
  /** A machine without a sandbox when absent. */
  sandbox?: SandboxPolicy;
  /** What a person decided on while the session runs. */
  kept: RuleLayer;
  /** Where the next command starts; moves while the turn goes on. */
  shell: { readonly cwd: string };
  env: { get(name: string): string | undefined };
}

/** The permission policy of one turn. */
export interface SessionPolicy {
  mode: PermissionMode;
  /** Absolute, links resolved. */
  added_dirs: readonly string[];
  gate: GatePort;
  /** Denied as a whole: the model does not even see it. */
  hidden(tool: ToolManifest): boolean;
  deny: { read: string[]; write: string[] };
  /** The same with the rules that ask, see `closedPatterns`. */
  closed: { read: string[]; write: string[] };
  warnings: string[];
}

/** Builds the policy from flags, the project's own file in the app root, and settings. Throws `permission.*`. */
export async function sessionPolicy(options: PolicyOptions): Promise<SessionPolicy> {
  const { loaded, flags, app_root, project, home } = options;
  const mode = options.mode ?? flags.permission_mode;
  const { policy, warnings } = buildPolicy({
    ...(mode === undefined ? {} : { mode }),
    layers: [
      options.kept,
      flagLayer(flags, project.root),
      await projectLayer(app_root, project),
      ...[...loaded.permission_sources].reverse().map((source) => settingsLayer(source, app_root, project)),
    ],
    workspace: project.root,
    added_dirs: flags.add_dirs.map((directory) => addedDirectory(directory)),
    read_dirs: [options.spill_dir],
    home,
    ...(options.sandbox === undefined ? {} : { sandbox: options.sandbox }),
    protected_paths: [app_root.root],
    path: options.env.get("PATH") ?? "/usr/bin:/bin",
  });
  return {
    mode: policy.mode,
    added_dirs: policy.added_dirs,
    gate: { judge: (tool, input) => judge({ tool, input }, { ...policy, shell_cwd: options.shell.cwd }) },
    hidden: (tool) => [tool.name, ...tool.aliases].some((name) => bareDenied(policy, name)),
    deny: denyPatterns(policy),
    closed: closedPatterns(policy),
    warnings,
  };
}

function flagLayer(flags: RunFlags, base_dir: string): RuleLayer {
  return {
    source: { origin: "flag", base_dir },
    allow: flags.allowed_tools.flatMap(splitRuleList),
    deny: flags.disallowed_tools.flatMap(splitRuleList),
  };
}

/** The file that "always in this project" writes. */
export function projectRulesFile(app_root: AppRoot, project: ProjectIdentity): string {
  return join(app_root.projectDir(project.id), "permissions.json");
}

/** What "always in this project" has written. */
async function projectLayer(app_root: AppRoot, project: ProjectIdentity): Promise<RuleLayer> {
  const file = projectRulesFile(app_root, project);
  const { defaultMode, ...rules } = await readPermissionFile(file);
  return {
    source: { origin: "project", file, base_dir: project.root },
    ...rules,
    ...(defaultMode === undefined ? {} : { defaultMode }),
  };
}

function settingsLayer(source: PermissionSource, app_root: AppRoot, project: ProjectIdentity): RuleLayer {
  const { allow, ask, deny, defaultMode, additionalDirectories } = source;
  const repository = source.layer === "project";
  return {
    source: {
      origin: repository ? "repo" : "user",
      file: source.origin,
      base_dir: repository ? project.root : app_root.configDir,
    },
    allow,
    ask,
    deny,
    additionalDirectories,
    ...(defaultMode === undefined ? {} : { defaultMode }),
  };
}

function addedDirectory(directory: string): string {
  try {
    const path = Deno.realPathSync(directory);
    if (Deno.statSync(path).isDirectory) return path;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  throw new LuminaError("cli.usage", `--add-dir ${directory} is not a directory that exists`, {
    exit: EXIT.usage,
  });
}
