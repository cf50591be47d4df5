import type { GatePort, HostTool } from "../agent/mod.ts";
import type { Model } from "../model/mod.ts";
import type { ProjectIdentity } from "../app_root/mod.ts";
import { childEnvironment } from "../config/mod.ts";
import { packHooks } from "../plugin_host/mod.ts";
import type { ToolManifest } from "../plugin_api/mod.ts";
import { PERMISSION_MODES } from "../types/mod.ts";
import type { PermissionMode, RunEvent } from "../types/mod.ts";
import type { KeptRules } from "./kept_rules.ts";
import type { ToolLock } from "./lockdown/tool_lock.ts";
import { toolNames } from "./policy_layers.ts";
import { findPrograms } from "./program_paths.ts";
import type { Programs } from "./program_paths.ts";
import { patchOffered, readingConfig } from "./reading_config.ts";
import { renewedGate } from "./renewed_gate.ts";
import type { RunTaint } from "./run_taint.ts";
import type { SessionSandbox } from "./sandbox/session_sandbox.ts";
import type { SessionParts } from "./session_parts.ts";
import { sessionPolicy } from "./session_policy.ts";
import type { SessionPolicy } from "./session_policy.ts";
import type { SessionShells } from "./session_shells.ts";
import { SessionTools } from "./session_tools.ts";
import { webSwitchedOff } from "./web/switched_off.ts";
import type { TurnScope } from "./turn_scope.ts";

/** What all agents of a session share: its rules, and what a person decides while it runs. */
export interface SharedPlace {
  parts: SessionParts;
  kept: KeptRules;
  taint: RunTaint;
  /** Set while the session runs; wins over everything. */
  mode(): PermissionMode | undefined;
  /** What a command or a skill narrows in the run that goes on. */
  turn: TurnScope;
  /** The limits of a locked run. */
  lock(): ToolLock | undefined;
  /** What its commands left running. */
  shells: SessionShells;
}

/** Where and how far one agent of it works. */
export interface OwnPlace {
  /** Its root is the workspace. */
  project: ProjectIdentity;
  sandbox: SessionSandbox;
  /** What Lumina itself carries out for it. */
  host_tools(): readonly HostTool[];
  /** The loosest mode it may work in; absent: that of the session. */
  loosest?: PermissionMode;
  /** False for a tool that it is not offered; absent: all that the session has. */
  offered?(tool: ToolManifest): boolean;
}

/** The place of one agent: its policy, gate and tools. Where its commands start is its own and moves with them. */
export class WorkPlace {
  readonly shell: { cwd: string };
  readonly #shared: SharedPlace;
  readonly #own: OwnPlace;

  constructor(shared: SharedPlace, own: OwnPlace) {
    this.#shared = shared;
    this.#own = own;
    this.shell = { cwd: own.project.root };
  }

  /** The policy of the moment; its warnings are told. Throws `permission.*`. */
  async policy(emit: (event: RunEvent) => void): Promise<SessionPolicy> {
    const { kept, parts, taint, turn } = this.#shared;
    const { app_root, env, flags, home, watch } = parts;
    const { project, sandbox, loosest } = this.#own;
    const mode = this.#shared.mode();
    const options = {
      app_root,
      flags,
      home,
      loaded: watch.current,
      project,
      spill_dir: this.#spillDir(),
      kept: turn.withAllowed(kept.layer),
      read_dirs: turn.opened,
      shell: this.shell,
      taint,
      typed: {
        get typed_urls() {
          return parts.session.state.typed_urls;
        },
      },
      env,
      findSandbox: (mode: PermissionMode) => sandbox.policy(mode, emit),
      tools: toolNames(parts.catalog),
      ...(mode === undefined ? {} : { mode }),
    };
    let policy = await sessionPolicy(options);
    if (loosest !== undefined && isStricter(loosest, policy.mode)) {
      policy = await sessionPolicy({ ...options, mode: loosest });
    }
    for (const text of policy.warnings) emit({ type: "warning", text });
    return policy;
  }

  /** Judges by the run's policy, and by a new one from the call on that follows a change of the mode or of rules. */
  gate(policy: SessionPolicy, emit: (event: RunEvent) => void): GatePort {
    const { kept, mode, turn } = this.#shared;
    return turn.watchGate(renewedGate({
      policy,
      version: () => `${mode()} ${kept.version} ${turn.version}`,
      renew: (tell) => this.policy(tell),
      emit,
    }));
  }

  /** What may be called here, each call with exactly what it may touch. */
  tools(policy: SessionPolicy, model: Model): SessionTools {
    const { parts } = this.#shared;
    const { app_root, catalog, home, hooks, packs, tier, validator, watch } = parts;
    const { settings } = watch.current;
    const { offered, project, sandbox } = this.#own;
    const child_env = childEnvironment(parts.env, settings);
    const lock = this.#shared.lock();
    return new SessionTools(catalog, tier, validator, {
      mode: policy.mode,
      workspace: project.root,
      added_dirs: policy.added_dirs,
      spill_dir: this.#spillDir(),
      shell: this.shell,
      app_root: Deno.realPathSync(app_root.root),
      get child_env() {
        return hooks === undefined ? child_env : { ...hooks.variables, ...child_env };
      },
      programs: this.#programs(),
      reading: readingConfig(model, settings),
      max_result_chars: settings.max_tool_result_chars,
      shell_timeout_ms: Math.round(settings.shell_timeout_seconds * 1000),
      shell_on_timeout: settings.shell_on_timeout ?? "background",
      shells: this.#shared.shells,
      deny: policy.deny,
      closed: policy.closed,
      ...(lock === undefined ? {} : { lock }),
      ...(packs === undefined ? {} : { packs }),
      home,
      sandbox,
      host_tools: this.#own.host_tools(),
      hidden: (tool) =>
        policy.hidden(tool) || !patchOffered(tool, model, settings) || offered?.(tool) === false ||
        settings.disabled_plugins.includes(tool.plugin) || webSwitchedOff(tool, settings) ||
        [tool.name, ...tool.aliases].some((name) => settings.disabled_tools.includes(name)),
    });
  }

  #spillDir(): string {
    const { app_root, located } = this.#shared.parts;
    return app_root.spillDir(located.project.id, located.session_id);
  }

  #programs(): Programs {
    const { catalog, env } = this.#shared.parts;
    const asked = catalog.packs.flatMap(({ manifest }) => [
      ...manifest.capabilities.flatMap((request) =>
        typeof request !== "string" && request.kind === "run" ? request.programs : []
      ),
      ...packHooks(manifest).flatMap(({ programs }) => programs),
    ]);
    const names = new Set([...catalog.tools.flatMap((tool) => tool.programs), ...asked, "bwrap"]);
    return findPrograms([...names], env.get("PATH"), this.#own.project.root);
  }
}

/** True when the first mode lets less happen than the second. */
function isStricter(mode: PermissionMode, than: PermissionMode): boolean {
  return PERMISSION_MODES.indexOf(mode) < PERMISSION_MODES.indexOf(than);
}
