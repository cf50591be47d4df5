import { delimiter, isAbsolute, resolve } from "node:path";
import { LuminaError } from "../base/mod.ts";
import { foldsCase, isInside, PathPattern, resolvePath } from "../files/mod.ts";
import { parsePermissionMode, PERMISSION_MODES } from "../types/mod.ts";
import type { PermissionMode } from "../types/mod.ts";
import type { Rule } from "./rule.ts";
import { readRules } from "./rule_layers.ts";
import type { RuleLayer, RuleNote } from "./rule_layers.ts";

/** All that the kernel decides by. Plain data apart from nothing: it can be stored and sent. */
export interface Policy {
  mode: PermissionMode;
  deny: Rule[];
  ask: Rule[];
  allow: Rule[];
  /** Absolute, links resolved. */
  workspace: string;
  /** Further folders that count as workspace; absolute, links resolved. */
  added_dirs: string[];
  /** Folders that may be read like the workspace but not written, such as a session's spilled output. */
  read_dirs: string[];
  home: string;
  /** Web addresses that the person wrote (`typedUrls`): the very address may be fetched. */
  typed_urls?: readonly string[];
  /** What this run has read that is secret; absent while it has read nothing. */
  secret_read?: string;
  /** Where the next command starts: absolute, inside the workspace or an added folder. Absent = the workspace. */
  shell_cwd?: string;
  /** What is known and wished of the operating system's sandbox. */
  sandbox: SandboxPolicy;
  /** Folders of the commands' PATH that are relative or lie in the workspace: what they hold is no program of the system. */
  own_programs: string[];
  /** Lumina's own folders: no tool writes there, and reading there counts as outside. */
  protected_paths: string[];
  /** Only the managed rules may allow anything: an answer that keeps a rule would keep nothing. */
  managed_rules_only?: true;
  /** A volume in use takes `Name` and `name` as one; refusals then ignore case. */
  folds_case: boolean;
}

/** What the kernel knows of the operating system's sandbox on this machine, and what the settings want of it. */
export interface SandboxPolicy {
  /** Commands can run in it here. */
  available: boolean;
  /** Why not, in the words of the system. */
  reason?: string;
  /** Refuse commands that should run in it where there is none. */
  fail_if_unavailable: boolean;
  /** Patterns of commands that run outside of it, as in rules on Bash. */
  excluded: string[];
  /** A call may ask to run with network or outside of it. */
  allow_escalation: boolean;
  /** Some domains are reached in mode `auto` through the proxy of the sandbox. */
  some_domains: boolean;
  /** Places that no command may read unless they are granted: absolute. */
  secrets: string[];
  /** Those of them that lie in the workspace, some through a link: git would take what it cannot see for deleted. */
  in_workspace: string[];
  /** Paths that every command may read, secret or not: absolute. */
  allow_read: string[];
}

/** A machine without a sandbox, and no wishes. */
export const NO_SANDBOX: Readonly<SandboxPolicy> = {
  available: false,
  fail_if_unavailable: false,
  excluded: [],
  allow_escalation: true,
  some_domains: false,
  secrets: [],
  in_workspace: [],
  allow_read: [],
};

export interface PolicyInput {
  /** From a flag or the session; wins over every `defaultMode`. */
  mode?: PermissionMode;
  /** In falling order of precedence for `defaultMode`; their rules are joined. */
  layers: readonly RuleLayer[];
  /** Only the managed layer may allow anything. */
  managed_rules_only?: boolean;
  /** Names of all tools and their aliases, to tell whether a rule that cannot be read names one. */
  tools?: readonly string[];
  workspace: string;
  added_dirs?: readonly string[];
  read_dirs?: readonly string[];
  home: string;
  /** {@link NO_SANDBOX} when absent. */
  sandbox?: Partial<SandboxPolicy>;
  protected_paths?: readonly string[];
  /** The PATH that commands get. */
  path?: string;
  /** Found by looking at the volumes when absent. */
  folds_case?: boolean;
}

/** A policy, and what is told about it. */
export interface BuiltPolicy {
  policy: Policy;
  warnings: string[];
  /** Every rule as it stands in its place. */
  rules: RuleNote[];
  /** What says the mode: `"given"` for a flag or the session, the layer's file and scope, `"default"`. */
  mode_from: string;
  /** The place that takes mode `yolo` away. */
  yolo_disabled_by?: string;
  /** The folders that a layer or the caller added, with where they come from. */
  directories: { path: string; from: string }[];
}

/**
 * Joins rules and folders to one policy. A repository's own file may refuse and ask; whatever else it says is dropped
 * with a warning. A rule that cannot be read is told and asks, see `readRules`. Throws `permission.rule` for one of the
 * command line, `permission.mode` for an unknown or disabled mode.
 */
export function buildPolicy(input: PolicyInput): BuiltPolicy {
  const { deny, ask, allow, notes, warnings } = readRules(input.layers, {
    managed_only: input.managed_rules_only === true,
    ...(input.tools === undefined ? {} : { tools: input.tools }),
  });
  const policy: Policy = {
    mode: input.mode ?? "ask",
    deny,
    ask,
    allow,
    workspace: real(input.workspace, input),
    added_dirs: (input.added_dirs ?? []).map((dir) => real(dir, input)),
    read_dirs: (input.read_dirs ?? []).map((dir) => real(dir, input)),
    home: input.home,
    sandbox: { ...NO_SANDBOX, ...input.sandbox },
    protected_paths: (input.protected_paths ?? []).map((path) => real(path, input)),
    own_programs: [],
    folds_case: input.folds_case ?? (foldsCase(input.workspace) || foldsCase(input.home)),
    ...(input.managed_rules_only === true ? { managed_rules_only: true } : {}),
  };
  const directories = policy.added_dirs.map((path) => ({ path, from: "flag" }));
  let mode = input.mode;
  let mode_from = mode === undefined ? "default" : "given";
  for (const layer of input.layers) {
    if (layer.source.origin === "repo") {
      warnings.push(...droppedFromRepository(layer));
      continue;
    }
    for (const dir of layer.additionalDirectories ?? []) {
      const path = real(dir, input);
      policy.added_dirs.push(path);
      directories.push({ path, from: placeOf(layer) });
    }
    if (mode === undefined && layer.defaultMode !== undefined) {
      mode = readMode(layer.defaultMode);
      mode_from = placeOf(layer);
    }
  }
  policy.mode = mode ?? "ask";
  const roots = [policy.workspace, ...policy.added_dirs].filter((root) => root !== "/");
  policy.own_programs = (input.path?.split(delimiter) ?? []).filter((folder) =>
    !isAbsolute(folder) || roots.some((root) => isInside(root, folder) || isInside(root, real(folder, input)))
  );
  const disabled = input.layers.find((layer) => layer.disableBypassPermissionsMode === "disable");
  if (policy.mode === "yolo" && disabled !== undefined) {
    throw new LuminaError(
      "permission.mode",
      `Mode yolo is disabled by disableBypassPermissionsMode in ${placeOf(disabled)}; choose another mode`,
      { exit: 2 },
    );
  }
  return {
    policy,
    warnings,
    rules: notes,
    mode_from,
    directories,
    ...(disabled === undefined ? {} : { yolo_disabled_by: placeOf(disabled) }),
  };
}

function placeOf({ source }: RuleLayer): string {
  return source.file ?? source.origin;
}

/** The compiled path pattern of a rule; kept per rule, since rules are never changed. */
export function rulePattern(rule: Rule, policy: Policy, list: "deny" | "ask" | "allow"): PathPattern {
  const key = `${list} ${policy.folds_case} ${policy.workspace} ${policy.home}`;
  let known = compiled.get(rule);
  if (known === undefined) compiled.set(rule, known = new Map());
  let pattern = known.get(key);
  if (pattern === undefined) {
    pattern = PathPattern.fromRule(rule.specifier ?? "//**", {
      base_dir: rule.source.base_dir,
      cwd: policy.workspace,
      home: policy.home,
      widen: list !== "allow",
      fold: list !== "allow" && policy.folds_case,
    });
    known.set(key, pattern);
  }
  return pattern;
}

const compiled = new WeakMap<Rule, Map<string, PathPattern>>();

function real(path: string, { workspace, home }: PolicyInput): string {
  return resolvePath(path, { cwd: resolve(workspace), home });
}

function readMode(text: string): PermissionMode {
  const mode = parsePermissionMode(text);
  if (mode !== undefined) return mode;
  throw new LuminaError(
    "permission.mode",
    `Unknown permission mode ${JSON.stringify(text)}; choose one of ${PERMISSION_MODES.join(", ")}`,
    { exit: 2 },
  );
}

function droppedFromRepository(layer: RuleLayer): string[] {
  const place = layer.source.file ?? "the repository's file";
  const dropped = layer.defaultMode === undefined ? [] : [`defaultMode ${layer.defaultMode}`];
  for (const dir of layer.additionalDirectories ?? []) dropped.push(`additionalDirectories ${dir}`);
  return dropped.map((what) => `${place}: ${what} is ignored; a file in a repository may only deny and ask`);
}
