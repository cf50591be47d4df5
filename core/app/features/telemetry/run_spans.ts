import type { RunScope, StageMoments, StageParticipant } from "../../../agent/mod.ts";
import type { Usage } from "../../../types/mod.ts";
import type { TelemetryAttributes, TelemetryMessage } from "../../telemetry/telemetry_message.ts";

/** Characters of a text that are exported where content is. */
const MOST_CONTENT = 4_000;

/** Where spans go, and what they may tell. */
export interface SpanTarget {
  send(message: TelemetryMessage): void;
  /** Prompts, answers, inputs and results too. */
  content: boolean;
  /** 0 for the session's own agent. */
  depth: number;
  /** The span of the run that began this agent's runs. */
  parent(): string | undefined;
  /** A run of this agent has begun. */
  begun(span: string): void;
}

/** Starts are of the monotonic clock. */
interface RunSpans {
  run: string;
  started: number;
  step?: string;
  model?: { span: string; started: number };
  tools: Map<string, { name: string; started: number }>;
}

/**
 * Spans of runs (`lumina.run`, `lumina.sub_agent`), their steps (`lumina.step`), requests to the model (`lumina.model`) and
 * tool calls (`lumina.tool`), and the metrics of their ends. Names, counts, durations and codes alone unless content is
 * wanted.
 */
export function runSpans(target: SpanTarget): StageParticipant["at"] {
  const open = new Map<string, RunSpans>();
  const of = ({ run_id }: RunScope) => open.get(run_id);
  const shown = (name: string, text: string): TelemetryAttributes =>
    target.content ? { [name]: text.slice(0, MOST_CONTENT) } : {};
  const { send } = target;
  const endSpan = (span: string, at: number, attributes: TelemetryAttributes = {}, error?: string) =>
    send({ end: span, at, attributes, ...(error === undefined ? {} : { error }) });

  return {
    prompt({ prompt }: StageMoments["prompt"], run) {
      const spans: RunSpans = { run: run.run_id, started: run.world.mono(), tools: new Map() };
      open.set(run.run_id, spans);
      const parent = target.parent();
      send({
        begin: spans.run,
        ...(parent === undefined ? {} : { parent }),
        name: target.depth === 0 ? "lumina.run" : "lumina.sub_agent",
        at: run.world.now(),
        attributes: {
          "lumina.run_id": run.run_id,
          "lumina.session_id": run.session.state.session_id,
          "gen_ai.request.model": run.model.name,
          ...shown("lumina.prompt", prompt),
        },
      });
      target.begun(spans.run);
    },
    context({ step }, run) {
      const spans = of(run);
      if (spans === undefined) return;
      const at = run.world.now();
      if (spans.step !== undefined) endSpan(spans.step, at);
      spans.step = `${spans.run} ${step}`;
      send({
        begin: spans.step,
        parent: spans.run,
        name: "lumina.step",
        at,
        attributes: { "lumina.step": step },
      });
    },
    before_model(_moment, run) {
      const spans = of(run);
      if (spans === undefined) return;
      spans.model = { span: run.world.uuid(), started: run.world.mono() };
      send({
        begin: spans.model.span,
        parent: spans.step ?? spans.run,
        name: "lumina.model",
        at: run.world.now(),
        attributes: { "gen_ai.request.model": run.model.name },
      });
    },
    after_model({ answered }, run) {
      const spans = of(run);
      if (spans?.model === undefined) return;
      const { model, stop, usage } = answered;
      const at = run.world.now();
      endSpan(spans.model.span, at, {
        "gen_ai.response.model": model,
        "lumina.stop": stop,
        "gen_ai.usage.input_tokens": usage.input,
        "gen_ai.usage.output_tokens": usage.output,
      });
      seconds(send, "lumina.model.duration", run.world.mono() - spans.model.started, { model });
      countTokens(send, model, usage);
      delete spans.model;
    },
    before_tool({ tool, block, input }, run) {
      const spans = of(run);
      if (spans === undefined) return;
      spans.tools.set(block.call_id, { name: tool.name, started: run.world.mono() });
      send({
        begin: block.call_id,
        parent: spans.step ?? spans.run,
        name: "lumina.tool",
        at: run.world.now(),
        attributes: {
          "gen_ai.tool.name": tool.name,
          "lumina.effect": tool.effect,
          ...shown("lumina.tool.input", JSON.stringify(input)),
        },
      });
    },
    after_tool({ block, outcome }, run) {
      const call = of(run)?.tools.get(block.call_id);
      if (call === undefined) return;
      of(run)?.tools.delete(block.call_id);
      const at = run.world.now();
      const failed = outcome.is_error === true;
      const attributes = { "lumina.is_error": failed, ...shown("lumina.tool.result", outcome.content) };
      endSpan(block.call_id, at, attributes, failed ? "the tool reported a failure" : undefined);
      const { name } = call;
      seconds(send, "lumina.tool.duration", run.world.mono() - call.started, {
        tool: name,
        is_error: failed,
      });
    },
    end({ result }, run) {
      const spans = of(run);
      if (spans === undefined) return;
      open.delete(run.run_id);
      const at = run.world.now();
      const code = result.error?.code;
      for (const call_id of spans.tools.keys()) endSpan(call_id, at, {}, code ?? "cut off");
      if (spans.model !== undefined) endSpan(spans.model.span, at, {}, code ?? "cut off");
      if (spans.step !== undefined) endSpan(spans.step, at);
      const { status, denials, turns, usage, cost_usd } = result;
      endSpan(spans.run, at, {
        "lumina.status": status,
        "lumina.steps": turns,
        "lumina.denials": denials.length,
        "gen_ai.usage.input_tokens": usage.input,
        "gen_ai.usage.output_tokens": usage.output,
        ...(code === undefined ? {} : { "error.type": code }),
        ...shown("lumina.answer", result.answer),
      }, code);
      const kind = target.depth === 0 ? "run" : "sub_agent";
      send({ count: "lumina.runs", unit: "{run}", value: 1, attributes: { kind, status } });
      seconds(send, "lumina.run.duration", run.world.mono() - spans.started, { kind, status });
      if (typeof cost_usd === "number" && target.depth === 0) {
        send({ count: "lumina.cost", unit: "USD", value: cost_usd, attributes: {} });
      }
      send({ log: `${kind} ${run.run_id} ended: ${status}${code === undefined ? "" : ` ${code}`}` });
    },
  };
}

function seconds(
  send: SpanTarget["send"],
  record: string,
  ms: number,
  attributes: TelemetryAttributes,
): void {
  send({ record, unit: "s", value: ms / 1000, attributes });
}

function countTokens(send: SpanTarget["send"], model: string, usage: Usage): void {
  const kinds = Object.entries(usage).filter(([_kind, value]) => typeof value === "number" && value > 0);
  for (const [kind, value] of kinds) {
    send({ count: "lumina.tokens", unit: "{token}", value, attributes: { kind, model } });
  }
}
