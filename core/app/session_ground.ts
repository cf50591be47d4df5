import { KeptRules } from "./kept_rules.ts";
import { projectRulesFile } from "./policy_layers.ts";
import { SessionSandbox } from "./sandbox/session_sandbox.ts";
import type { SessionParts } from "./session_parts.ts";

/** The sandbox of the session's own workspace. */
export function sandboxOf(parts: SessionParts): SessionSandbox {
  return new SessionSandbox({
    workspace: parts.located.project.root,
    home: parts.home,
    app_root: Deno.realPathSync(parts.app_root.root),
    env: parts.env,
    locked: parts.lockdown !== undefined,
    settings: () => parts.watch.current.settings,
  });
}

/** The rules that a person decides on while the session runs. */
export function keptRulesOf({ app_root, home, located: { project } }: SessionParts): KeptRules {
  return new KeptRules({
    project_file: projectRulesFile(app_root, project),
    settings_file: app_root.settingsFile,
    workspace: project.root,
    home,
    app_root: Deno.realPathSync(app_root.root),
  });
}
