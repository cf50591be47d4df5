import type { ToolManifest, ToolOutcome } from "../plugin_api/mod.ts";
import type { JsonObject, ModelEvent, RunResult, ToolUseBlock, Verdict } from "../types/mod.ts";
import type { Model, ModelRequest } from "../model/mod.ts";
import type { World } from "../base/mod.ts";
import type { Session } from "../session/mod.ts";
import { errorMessage } from "../base/mod.ts";
import { callBounded } from "./call_bounded.ts";
import type { EmitRunEvent, HookPort } from "./ports.ts";

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
  /** The run is over and recorded. Hooks of Stop come before that, as often as they keep it going. */
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
  /** Absent: there is none. */
  readonly hooks?: HookPort;
  emit: EmitRunEvent;
}

/**
 * One feature's part in runs. Throwing ends the run as failed, with a `LuminaError`'s own code or `agent.stage_failed`; an
 * abort of the signal ends it as interrupted. Who does not come back is given up, as `callBounded` says. At `end` the run is
 * over: what goes wrong there is a warning, and the others still come.
 */
export interface StageParticipant {
  /** As in {@link STAGE_ORDER}. */
  readonly name: string;
  readonly at: { readonly [S in Stage]?: (moment: StageMoments[S], run: RunScope) => Promise<void> | void };
}

/** Who comes when: the names of the participants of each stage, first to last. The same for every run, whoever began it. */
export const STAGE_ORDER: { readonly [S in Stage]: readonly string[] } = {
  session_start: ["hooks", "command_files"],
  prompt: ["telemetry", "hooks", "instructions", "agents", "skills"],
  context: ["telemetry", "instructions", "skills", "tasks", "inbox"],
  before_model: ["budget", "skills", "telemetry"],
  after_model: ["telemetry"],
  before_tool: ["permission", "capture", "diagnostics", "telemetry"],
  after_tool: ["telemetry", "hooks", "skills", "diagnostics", "instructions"],
  before_compaction: ["budget"],
  after_compaction: ["instructions", "agents", "tasks", "skills"],
  end: ["hooks", "skills", "telemetry"],
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

  /** True when none of the features waits at the stage: nothing needs to be put together. */
  empty(stage: Stage): boolean {
    return !this.#at.has(stage);
  }

  /**
   * Calls the stage's participants one after the other; `own` are the loop's own parts, which have their places among them
   * by their names.
   */
  async at<S extends Stage>(
    stage: S,
    moment: StageMoments[S],
    run: RunScope,
    own: OwnParts = {},
  ): Promise<void> {
    for (const { name, call } of this.#calls(stage, moment, run, own)) {
      run.signal.throwIfAborted();
      run.world.stage?.(run.run_id, stage, name);
      if (await call() === "stop") return;
    }
  }

  /** Calls who waits for the end. Never throws. */
  async atEnd(moment: StageMoments["end"], run: RunScope): Promise<void> {
    for (const { name, call } of this.#calls("end", moment, run, {})) {
      run.world.stage?.(run.run_id, "end", name);
      try {
        await call();
      } catch (error) {
        run.emit({ type: "warning", text: errorMessage(error) });
      }
    }
  }

  #calls<S extends Stage>(
    stage: S,
    moment: StageMoments[S],
    run: RunScope,
    own: OwnParts,
  ): { name: string; call(): Promise<void | "stop"> }[] {
    const calls: { name: string; call(): Promise<void | "stop"> }[] = (this.#at.get(stage) ?? []).map((
      { name, at },
    ) => ({
      name,
      call: () => callBounded({ stage, name, run }, async () => await at[stage]?.(moment, run)),
    }));
    const parts = Object.entries(own).map(([name, call]) => ({ name, call }));
    if (parts.length === 0) return calls;
    const order = STAGE_ORDER[stage];
    return [...calls, ...parts].sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
  }
}

/**
 * Parts of the loop itself at a stage, by the name that {@link STAGE_ORDER} has for them. They know their own limits; "stop"
 * ends the stage, and nobody comes after it.
 */
export type OwnParts = Readonly<Record<string, () => Promise<void | "stop">>>;

/** A run without features. */
export const NO_STAGES = new Stages([]);
