import { Stages } from "../../agent/mod.ts";
import type { HostTool } from "../../agent/mod.ts";
import type { FeatureScope, SessionFeature } from "./session_feature.ts";

/** Every feature of a session; who comes when in a run is decided by `STAGE_ORDER`, not here. */
const FEATURES: readonly ((scope: FeatureScope) => SessionFeature | undefined)[] = [];

/** The features of one session, made together and closed together. */
export class SessionFeatures {
  readonly tools: readonly HostTool[];
  readonly stages: Stages;
  readonly #features: readonly SessionFeature[];

  constructor(scope: FeatureScope) {
    this.#features = FEATURES.map((make) => make(scope)).filter((feature) => feature !== undefined);
    this.tools = this.#features.flatMap(({ tools }) => tools ?? []);
    this.stages = new Stages(
      this.#features.map(({ participant }) => participant).filter((one) => one !== undefined),
    );
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
