import type { GatePort } from "../agent/mod.ts";
import type { AppRoot, ProjectIdentity } from "../app_root/mod.ts";
import { EXIT, LuminaError } from "../base/mod.ts";
import type { RulesQuery } from "../cli/mod.ts";
import type { LoadedSettings } from "../config/mod.ts";
import { isInside } from "../files/mod.ts";
import { bareDenied, buildPolicy, closedPatterns, denyPatterns, judge } from "../permission/mod.ts";
import type { BuiltPolicy, RuleLayer, SandboxPolicy } from "../permission/mod.ts";
import type { ToolManifest } from "../plugin_api/mod.ts";
import type { PermissionMode } from "../types/mod.ts";
import { policyLayers } from "./policy_layers.ts";
import { misspelledTools, strayPaths } from "./unknown_names.ts";

export interface PolicyOptions {
  loaded: LoadedSettings;
  flags: RulesQuery;
  app_root: AppRoot;
  project: ProjectIdentity;
  home: string;
  /** Set while the session runs; wins over everything. */
  mode?: PermissionMode;
  /** Where output too long to show lies: readable like the workspace. */
  spill_dir: string;
  /** Further folders that may be read like the workspace. */
  read_dirs?: readonly string[];
  /** A machine without a sandbox when absent. */
  sandbox?: SandboxPolicy;
  /** In its place: asked at the first command, since finding out starts a process. */
  findSandbox?: (mode: PermissionMode) => Promise<SandboxPolicy>;
  /** What a person decided on while the session runs. */
  kept: RuleLayer;
  /** Where the next command starts; moves while the turn goes on. */
  shell: { readonly cwd: string };
  /** What this run has read that is secret. */
  taint?: { readonly read: string | undefined };
  /** Web addresses that the person wrote. */
  typed?: { readonly typed_urls: readonly string[] };
  env: { get(name: string): string | undefined };
  /** Names and aliases of all tools; absent where they are not known yet. */
  tools?: readonly string[];
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
  /** What all of this was made of. */
  built: BuiltPolicy;
}

/** Builds the policy from flags, the project's own file in the app root, and settings. Throws `permission.*`. */
export async function sessionPolicy(options: PolicyOptions): Promise<SessionPolicy> {
  const { loaded, flags, app_root, project, home } = options;
  const mode = options.mode ?? flags.permission_mode;
  const { layers, warnings } = await policyLayers(options);
  const built = buildPolicy({
    ...(mode === undefined ? {} : { mode }),
    layers,
    managed_rules_only: loaded.managed?.allow_managed_rules_only ?? false,
    ...(options.tools === undefined ? {} : { tools: options.tools }),
    workspace: project.root,
    added_dirs: flags.add_dirs.map((directory) => addedDirectory(directory, app_root)),
    read_dirs: [options.spill_dir, ...options.read_dirs ?? []],
    home,
    ...(options.sandbox === undefined ? {} : { sandbox: options.sandbox }),
    protected_paths: [app_root.root],
    path: options.env.get("PATH") ?? "/usr/bin:/bin",
  });
  const { policy } = built;
  return {
    mode: policy.mode,
    added_dirs: policy.added_dirs,
    gate: {
      judge: async (tool, input) => {
        const read = options.taint?.read;
        const now = {
          ...policy,
          shell_cwd: options.shell.cwd,
          ...(read === undefined ? {} : { secret_read: read }),
          ...(options.typed === undefined ? {} : { typed_urls: options.typed.typed_urls }),
        };
        if (tool.subject.kind === "command" && options.findSandbox !== undefined) {
          now.sandbox = await options.findSandbox(policy.mode);
        }
        return await judge({ tool, input }, now);
      },
    },
    hidden: (tool) => [tool.name, ...tool.aliases].some((name) => bareDenied(policy, name)),
    deny: denyPatterns(policy),
    closed: closedPatterns(policy),
    warnings: [
      ...warnings,
      ...built.warnings,
      ...strayPaths(built.rules),
      ...(options.tools === undefined ? [] : misspelledTools(built.rules, options.tools)),
    ],
    built,
  };
}

function addedDirectory(directory: string, app_root: AppRoot): string {
  try {
    const path = Deno.realPathSync(directory);
    if (isInside(Deno.realPathSync(app_root.root), path)) {
      throw new LuminaError(
        "cli.usage",
        `--add-dir ${directory} belongs to Lumina itself: name another directory`,
        {
          exit: EXIT.usage,
        },
      );
    }
    if (Deno.statSync(path).isDirectory) return path;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  throw new LuminaError("cli.usage", `--add-dir ${directory} is not a directory that exists`, {
    exit: EXIT.usage,
  });
}
