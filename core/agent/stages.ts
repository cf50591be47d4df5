import type { ToolManifest, ToolOutcome } from "../plugin_api/mod.ts";
import type { JsonObject, ModelEvent, RunResult, ToolUseBlock, Verdict } from "../types/mod.ts";
import type { Model, ModelRequest } from "../model/mod.ts";
import type { World } from "../base/mod.ts";
import type { Session } from "../session/mod.ts";
import type { EmitRunEvent } from "./ports.ts";

/** The named moments of a run, in the order in which they come; from `context` to `after_tool` once a step. */
export const STAGES = [
  "session_start",
  "prompt",
  "context",
  "before_model",
  "after_model",
  "before_tool",
  "after_tool",
  "before_compaction",
  "after_compaction",
  "end",
] as const;
export type Stage = (typeof STAGES)[number];

/** What a participant finds at each stage, and what it may change there. */
export interface StageMoments {
  /** Before the first run of an opened session. */
  session_start: Record<never, never>;
  /** A prompt, before it is recorded. What is added to `context` travels before the prompt in the same message. */
  prompt: { readonly prompt: string; context: string[] };
  /** Before each request. What is added to `notes` is one user message that no person typed. */
  context: { notes: string[]; readonly step: number };
  /** The request as it will be sent; it is sent as this leaves it. */
  before_model: { request: ModelRequest };
  /** The answer is recorded; its calls come next. */
  after_model: { readonly answered: ModelEvent & { type: "done" } };
  /** The call is allowed and its intent recorded next. */
  before_tool: ToolMoment;
  /** The call has ended and its outcome is recorded next, as `outcome` is then. */
  after_tool: ToolMoment & { outcome: ToolOutcome };
  before_compaction: { readonly trigger: "auto" | "manual" | "overflow"; instructions: string };
  after_compaction: { readonly trigger: "auto" | "manual" | "overflow"; notes: string[] };
  /** The run is over and recorded. */
  end: { readonly result: RunResult };
}

export interface ToolMoment {
  readonly tool: ToolManifest;
  readonly block: ToolUseBlock;
  readonly input: JsonObject;
  readonly verdict: Verdict;
}

/** The run that a participant takes part in. */
export interface RunScope {
  readonly run_id: string;
  readonly session: Session;
  readonly model: Model;
  readonly world: World;
  readonly signal: AbortSignal;
  emit: EmitRunEvent;
}

/** One feature's part in runs. Throwing ends the run as failed; an abort of the signal as interrupted. */
export interface StageParticipant {
  /** As in {@link STAGE_ORDER}. */
  readonly name: string;
  readonly at: { readonly [S in Stage]?: (moment: StageMoments[S], run: RunScope) => Promise<void> | void };
}

/** Who comes when: the names of the participants of each stage, first to last. The same for every run, whoever began it. */
export const STAGE_ORDER: { readonly [S in Stage]: readonly string[] } = {
  session_start: ["hooks"],
  prompt: ["hooks"],
  context: [],
  before_model: [],
  after_model: [],
  before_tool: ["permission", "capture"],
  after_tool: ["hooks"],
  before_compaction: [],
  after_compaction: [],
  end: [],
};

/** The participants of a run, called in the order of {@link STAGE_ORDER}. */
export class Stages {
  readonly #at = new Map<Stage, StageParticipant[]>();

  /** Throws for a participant that a stage's order does not name: who comes when is decided there. */
  constructor(participants: readonly StageParticipant[]) {
    for (const stage of STAGES) {
      const order = STAGE_ORDER[stage];
      const here = participants.filter(({ at }) => at[stage] !== undefined);
      for (const { name } of here) {
        if (!order.includes(name)) throw new Error(`STAGE_ORDER.${stage} does not name "${name}"`);
      }
      if (here.length > 0) {
        this.#at.set(stage, here.sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name)));
      }
    }
  }

  /** True when nobody waits at the stage: nothing needs to be put together. */
  empty(stage: Stage): boolean {
    return !this.#at.has(stage);
  }

  /** Calls the stage's participants one after the other. */
  async at<S extends Stage>(stage: S, moment: StageMoments[S], run: RunScope): Promise<void> {
    for (const participant of this.#at.get(stage) ?? []) {
      run.signal.throwIfAborted();
      const take = participant.at[stage] as (moment: StageMoments[S], run: RunScope) => Promise<void> | void;
      await take(moment, run);
    }
  }
}

/** A run without features. */
export const NO_STAGES = new Stages([]);
