import type { AskPort, CapturePort, EmitRunEvent, HookPort } from "../../../agent/mod.ts";
import { LuminaError } from "../../../base/mod.ts";
import type { Model } from "../../../model/mod.ts";
import type { Session } from "../../../session/mod.ts";
import type { HookMoment } from "../../../types/mod.ts";

/** Who a sub-agent is, for people and hooks. */
export interface AgentName {
  agent_id: string;
  agent_type: string;
  description: string;
  call_id?: string;
}

/** The hooks of the session as a sub-agent meets them: every input says who it is, and its end is SubagentStop. */
export function childHooks(hooks: HookPort, { agent_id, agent_type }: AgentName): HookPort {
  const named = ({ event, subject, fields }: HookMoment): HookMoment => {
    const who = { ...fields, agent_id, agent_type };
    return event === "Stop"
      ? { event: "SubagentStop", subject: [agent_type], fields: who }
      : { event, subject, fields: who };
  };
  return {
    // what a sub-agent is asked is no prompt of a person
    waits: (event) => event !== "UserPromptSubmit" && hooks.waits(event === "Stop" ? "SubagentStop" : event),
    run: (moment, signal) => hooks.run(named(moment), signal),
  };
}

/** The person of the session: the question says who asks. */
export function childAsker(asker: AskPort, { agent_id, agent_type, description }: AgentName): AskPort {
  return {
    ask: (question, signal) =>
      asker.ask({ ...question, agent: question.agent ?? { agent_id, agent_type, description } }, signal),
  };
}

/** What watches the run, told who speaks; a warning is the session's as well. */
export function childEmit(emit: EmitRunEvent, { agent_id, agent_type, call_id }: AgentName): EmitRunEvent {
  return (event) => {
    if (event.type === "warning") {
      emit({ type: "warning", text: `Sub-agent ${agent_type} (${agent_id}): ${event.text}` });
    } else emit({ type: "agent", agent_id, agent_type, call_id: call_id ?? null, event });
  };
}

/** One after the other, whoever asks: captures of one workspace must not run into each other. The end is the session's own. */
export class SharedCapture {
  #before: Promise<unknown> = Promise.resolve();

  port(capture: CapturePort): CapturePort {
    return {
      prepare: (tool) => capture.prepare(tool),
      before: (tool, verdict, signal) => {
        const mine = this.#before.then(() => capture.before(tool, verdict, signal));
        this.#before = mine.catch(() => {}); // told to the one who asked
        return mine;
      },
      end: () => Promise.resolve(undefined),
    };
  }
}

/** What one sub-agent may use; 0: no limit. */
export interface AgentBudget {
  tokens: number;
  usd: number;
}

/** The same model, which answers no further request once the budget of its conversation is used up: `agent.budget`. */
export function budgetedModel(model: Model, session: Session, { tokens, usd }: AgentBudget): Model {
  if (tokens === 0 && usd === 0) return model;
  const before = { used: usedTokens(session), cost: session.state.cost_usd ?? 0 };
  return {
    name: model.name,
    window: model.window,
    max_output: model.max_output,
    ...(model.accepts === undefined ? {} : { accepts: model.accepts }),
    ...(model.prefers_patch === undefined ? {} : { prefers_patch: model.prefers_patch }),
    stream: (request, signal) => {
      const used = usedTokens(session) - before.used;
      if (tokens > 0 && used >= tokens) {
        throw spent(`${used} tokens of the ${tokens} that one sub-agent may use (agent_max_tokens)`);
      }
      const cost = (session.state.cost_usd ?? 0) - before.cost;
      if (usd > 0 && cost >= usd) {
        throw spent(`$${cost.toFixed(4)} of the $${usd} that one sub-agent may cost (agent_max_budget_usd)`);
      }
      return model.stream(request, signal);
    },
  };
}

function usedTokens({ state: { usage } }: Session): number {
  return usage.input + usage.output + usage.cache_read + usage.cache_write;
}

function spent(what: string): LuminaError {
  return new LuminaError("agent.budget", `The sub-agent has used ${what}`);
}
