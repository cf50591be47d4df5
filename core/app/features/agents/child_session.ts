import type { CompactReport, ContextUse } from "../../../agent/mod.ts";
import { LuminaError } from "../../../base/mod.ts";
import type { Model } from "../../../model/mod.ts";
import type { PermissionMode } from "../../../types/mod.ts";
import type { KeptRules } from "../../kept_rules.ts";
import type { ShellInfo } from "../../session_shells.ts";
import type { FeatureSession } from "../session_feature.ts";
import type { CallPorts } from "../skills/skill_commands.ts";
import type { AgentGround } from "./agent_ground.ts";

/** The session as the features of a sub-agent see it: it changes nothing of what belongs to the person. */
export class ChildSession implements FeatureSession {
  readonly session_id: string;
  readonly kept: KeptRules;
  readonly ground: AgentGround;
  readonly #mode: PermissionMode;

  readonly #ports: () => Promise<CallPorts>;
  readonly #parent: FeatureSession;

  constructor(
    parent: FeatureSession,
    ground: AgentGround,
    mode: PermissionMode,
    ports: () => Promise<CallPorts>,
  ) {
    this.#parent = parent;
    this.#ports = ports;
    this.session_id = parent.session_id;
    this.kept = parent.kept;
    this.ground = ground;
    this.#mode = mode;
  }

  get model(): Model {
    return this.ground.model;
  }

  mode(): Promise<PermissionMode> {
    return Promise.resolve(this.#mode);
  }

  shells(): ShellInfo[] {
    return this.#parent.shells();
  }

  callPorts(): Promise<CallPorts> {
    return this.#ports();
  }

  setMode(): Promise<void> {
    return refused("the permission mode");
  }

  setModel(): Promise<void> {
    return refused("the model");
  }

  setEffort(): Promise<void> {
    return refused("the effort");
  }

  context(): Promise<ContextUse> {
    return refused("what is shown of the window");
  }

  compact(): Promise<CompactReport> {
    return refused("when a conversation is compacted");
  }
}

function refused(what: string): Promise<never> {
  return Promise.reject(new LuminaError("agent.not_its_own", `A sub-agent does not decide about ${what}`));
}
