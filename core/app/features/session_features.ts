import { Stages } from "../../agent/mod.ts";
import type { BesideUse, HostTool } from "../../agent/mod.ts";
import type { CommandProvider, Denial } from "../../types/mod.ts";
import { agentsFeature } from "./agents/agents_feature.ts";
import { budgetFeature } from "./budget.ts";
import { commandFilesFeature } from "./command_files.ts";
import { diagnosticsFeature } from "./diagnostics/diagnostics_feature.ts";
import { inboxFeature } from "./inbox.ts";
import { instructionsFeature } from "./instructions_feature.ts";
import { telemetryFeature } from "./telemetry/telemetry_feature.ts";
import { webFeature } from "./web_feature.ts";
import { historyFeature } from "./history/history_feature.ts";
import { personFeature } from "./person/person_feature.ts";
import { tasksFeature } from "./tasks/tasks_feature.ts";
import { skillsFeature } from "./skills/skills_feature.ts";
import type { FeatureScope, FeatureSet, SessionFeature } from "./session_feature.ts";

/** Every feature of a session; who comes when in a run is decided by `STAGE_ORDER`, not here. */
const FEATURES: readonly ((scope: FeatureScope) => SessionFeature | undefined)[] = [
  telemetryFeature,
  budgetFeature,
  agentsFeature,
  diagnosticsFeature,
  instructionsFeature,
  inboxFeature,
  skillsFeature,
  commandFilesFeature,
  webFeature,
  tasksFeature,
  personFeature,
  historyFeature,
];

/** The features of one session, made together and closed together. */
export class SessionFeatures implements FeatureSet {
  readonly tools: readonly HostTool[];
  readonly stages: Stages;
  readonly commands: readonly CommandProvider[];
  readonly #features: readonly SessionFeature[];

  constructor(scope: FeatureScope) {
    this.#features = FEATURES.map((make) => make(scope)).filter((feature) => feature !== undefined);
    this.tools = this.#features.flatMap(({ tools }) => tools ?? []);
    this.commands = this.#features.map(({ commands }) => commands).filter((one) => one !== undefined);
    this.stages = new Stages(
      this.#features.map(({ participant }) => participant).filter((one) => one !== undefined),
    );
  }

  besideUse(): BesideUse[] {
    return this.#features.flatMap((feature) => feature.besideUse?.() ?? []);
  }

  besideDenied(): Denial[] {
    return this.#features.flatMap((feature) => feature.besideDenied?.() ?? []);
  }

  awaits(): boolean {
    return this.#features.some((feature) => feature.awaits?.() === true);
  }

  /** Closes them in the reverse order; all are closed, the first failure is thrown. */
  async close(): Promise<void> {
    let failure: { error: unknown } | undefined;
    for (const feature of this.#features.toReversed()) {
      try {
        await feature.close?.();
      } catch (error) {
        failure ??= { error };
      }
    }
    if (failure !== undefined) throw failure.error;
  }
}
