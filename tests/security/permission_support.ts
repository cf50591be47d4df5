import { join } from "node:path";
import { buildPolicy, createJudge } from "../../core/permission/mod.ts";
import type { Policy, ToolFacts } from "../../core/permission/mod.ts";
import type { JsonObject, PermissionMode, Verdict } from "../../core/types/mod.ts";

export const BASH: ToolFacts = {
  name: "Bash",
  aliases: ["bash", "run_shell"],
  effect: "run",
  subject: { kind: "command", param: "command" },
};
export const READ: ToolFacts = {
  name: "Read",
  aliases: ["read_file"],
  effect: "read",
  subject: { kind: "path", param: "path" },
};
export const EDIT: ToolFacts = {
  name: "Edit",
  aliases: ["edit_file"],
  effect: "write",
  subject: { kind: "path", param: "path" },
};
export const WRITE: ToolFacts = { ...EDIT, name: "Write", aliases: ["write_file"] };
export const FETCH: ToolFacts = {
  name: "WebFetch",
  aliases: ["webfetch"],
  effect: "net",
  subject: { kind: "url", param: "url" },
};

/** A workspace on disk with a home and an outside folder beside it, and judging in it. */
export interface Place {
  dir: string;
  workspace: string;
  home: string;
  outside: string;
  policy(options: PolicyOptions): Policy;
  call(tool: ToolFacts, input: JsonObject, options: PolicyOptions): Promise<Verdict>;
  bash(command: string, options: PolicyOptions): Promise<Verdict>;
}

export interface PolicyOptions {
  mode?: PermissionMode;
  allow?: string[];
  ask?: string[];
  deny?: string[];
  sandbox?: boolean;
  added?: string[];
  protected_paths?: string[];
  folds_case?: boolean;
}

const shared = createJudge();

/** Runs a test in a temporary place that is removed afterwards. */
export async function inPlace(test: (place: Place) => Promise<void>): Promise<void> {
  const dir = await Deno.realPath(await Deno.makeTempDir({ prefix: "lumina_permission_" }));
  const [workspace, home, outside] = ["ws", "home", "outside"].map((name) => join(dir, name)) as [
    string,
    string,
    string,
  ];
  try {
    for (const folder of [workspace, home, outside, join(workspace, "src"), join(workspace, ".git")]) {
      await Deno.mkdir(folder, { recursive: true });
    }
    const policy = (options: PolicyOptions) =>
      buildPolicy({
        mode: options.mode ?? "ask",
        layers: [{
          source: { origin: "user", base_dir: workspace },
          allow: options.allow ?? [],
          ask: options.ask ?? [],
          deny: options.deny ?? [],
        }],
        workspace,
        home,
        sandbox: { available: options.sandbox ?? false },
        added_dirs: options.added ?? [],
        protected_paths: options.protected_paths ?? [],
        ...(options.folds_case === undefined ? {} : { folds_case: options.folds_case }),
      }).policy;
    const call: Place["call"] = (tool, input, options) => shared.judge({ tool, input }, policy(options));
    await test({
      dir,
      workspace,
      home,
      outside,
      policy,
      call,
      bash: (command, options) => call(BASH, { command }, options),
    });
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}
