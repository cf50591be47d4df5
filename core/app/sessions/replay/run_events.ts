import { answerCheck, answerInstruction } from "../../../agent/mod.ts";
import type { SessionEvent } from "../../../session/mod.ts";
import { addUsage, messageText, NO_USAGE, parsePermissionMode } from "../../../types/mod.ts";
import type {
  AssistantMessage,
  Denial,
  ModelEvent,
  RunEvent,
  RunResult,
  StopReason,
  ToolUseBlock,
  Usage,
} from "../../../types/mod.ts";
import type { PlayedEvent } from "../../../cli/mod.ts";
import { streamedAnswer } from "./streamed_answer.ts";

/** Attempts that a retry announces; how many there were to be is not recorded. */
const USUAL_ATTEMPTS = 4;

/** What a run whose answer had to fit a schema was told beside its prompt; the answer did fit when it was taken. */
const FORMED = answerInstruction("").split("\n", 1)[0] ?? "";
const READ_JSON = answerCheck(() => []);

type Payload<T extends SessionEvent["type"]> = (SessionEvent & { type: T })["payload"];

/** What is known of the run that is being told. */
interface ToldRun {
  run_id: string;
  model: string;
  calls: Map<string, ToolUseBlock>;
  denials: Denial[];
  parts: string[];
  /** The answer was to be JSON. */
  formed: boolean;
  stop?: StopReason;
  turns: number;
  models: RunResult["models"];
  duration_api_ms: number;
}

/** Turns a session's events into what its runs told while they went on: the same events in the same order. */
export class RunEvents {
  #session_id = "";
  #cwd = "";
  #run = newRun("", "");
  /** An answer waits for its usage, which is recorded right behind it. */
  #answer: { ts: number; payload: Payload<"model.answered"> } | undefined;

  /** What this event lets be told; `ts` is when it happened. */
  of(event: SessionEvent): PlayedEvent[] {
    if (event.type === "usage.recorded") return this.#usage(event.payload);
    const { ts } = event;
    return [
      ...this.flush(),
      ...this.#tell(event).map((told) => "prompt" in told ? { ts, ...told } : { ts, event: told }),
    ];
  }

  /** An answer whose usage never came. */
  flush(): PlayedEvent[] {
    return this.#answered(NO_USAGE);
  }

  #tell(event: SessionEvent): (RunEvent | { prompt: string })[] {
    const run = this.#run;
    switch (event.type) {
      case "session.created":
        this.#session_id = event.payload.session_id;
        this.#cwd = event.payload.cwd;
        return [];
      case "session.message_imported":
        return imported(event);
      case "run.started":
        return this.#started(event.run_id ?? "", event.payload);
      case "run.note_added":
        if (run.stop !== "max_tokens") run.parts = []; // what is asked for again replaces the answer
        return [{ type: "user", text: event.payload.text, synthetic: true }];
      case "run.steered":
        if (run.stop !== "max_tokens") run.parts = [];
        return [{ type: "user", text: event.payload.text, synthetic: false }];
      case "model.answered":
        this.#answer = { ts: event.ts, payload: event.payload };
        return [];
      case "model.retried":
        return retried(event.payload, run.model, event.seq);
      case "model.fell_back":
        return [{ type: "stream", event: { ...event.payload, type: "fallback" } }];
      case "model.failed":
        return aborted(event.payload.partial, event.payload.error.message, run.model, event.seq);
      case "permission.decided":
        return this.#decided(event.payload);
      case "tool.started": {
        const { call_id, name } = event.payload;
        return [{ type: "tool_started", call_id, name, input: run.calls.get(call_id)?.input ?? {} }];
      }
      case "tool.finished": {
        const { call_id, name, content, is_error, data, media } = event.payload;
        const told = { type: "tool_result", call_id, name, content, is_error } as const;
        const shown = media === undefined ? told : { ...told, media };
        return [isObject(data) ? { ...shown, data } : shown];
      }
      case "warning.raised":
        return [{ type: "warning", text: event.payload.text }];
      case "run.finished":
        return [this.#finished(event.payload)];
      case "run.interrupted": {
        const error = { code: "agent.interrupted", message: event.payload.reason };
        return [
          this.#finished({ status: "interrupted", error, denials: run.denials.length, duration_ms: 0 }),
        ];
      }
      default:
        return []; // what a run does not tell
    }
  }

  #started(
    run_id: string,
    { prompt, context, model, mode, tools }: Payload<"run.started">,
  ): (RunEvent | { prompt: string })[] {
    this.#run = newRun(run_id, model);
    const { session_id, cwd } = { session_id: this.#session_id, cwd: this.#cwd };
    this.#run.formed = context.includes(FORMED);
    const known = parsePermissionMode(mode) ?? "ask";
    return [{ prompt }, { type: "run_started", run_id, session_id, cwd, model, mode: known, tools }];
  }

  #usage(payload: Payload<"usage.recorded">): PlayedEvent[] {
    const { chain = "main" } = payload;
    if (chain !== "main" && chain !== "plugin") return [];
    const run = this.#run;
    const before = run.models[payload.model] ?? { usage: NO_USAGE, cost_usd: 0, requests: 0 };
    run.models[payload.model] = {
      usage: addUsage(before.usage, payload.usage),
      cost_usd: before.cost_usd === null || payload.cost_usd === null
        ? null
        : before.cost_usd + payload.cost_usd,
      requests: before.requests + 1,
    };
    if (chain === "plugin") return []; // a part of the run's totals, and no turn of it
    run.duration_api_ms += payload.duration_ms;
    return this.#answered(payload.usage);
  }

  #answered(usage: Usage): PlayedEvent[] {
    if (this.#answer === undefined) return [];
    const { ts, payload } = this.#answer;
    this.#answer = undefined;
    const { message, message_id, model, stop } = payload;
    const run = this.#run;
    run.turns++;
    run.stop = stop;
    const calls = message.content.filter((block) => block.type === "tool_use");
    for (const call of calls) run.calls.set(call.call_id, call);
    if (calls.length > 0) run.parts = [];
    else if (stop !== "pause") run.parts.push(messageText(message));
    return [
      ...streamedAnswer(payload, usage).map((event): PlayedEvent => ({
        ts,
        event: { type: "stream", event },
      })),
      { ts, event: { type: "assistant", message_id, model, message, stop, usage } },
    ];
  }

  #decided({ call_id, behavior, tool, reason, source, pack }: Payload<"permission.decided">): RunEvent[] {
    // what a plugin was refused during its call is told by its result
    if (behavior === "allow" || pack !== undefined) return [];
    const tool_input = this.#run.calls.get(call_id)?.input ?? {};
    this.#run.denials.push({ tool_name: tool, call_id, tool_input });
    return [{ type: "permission_denied", call_id, name: tool, reason, source }];
  }

  #finished({ status, error, duration_ms }: Payload<"run.finished">): RunEvent {
    const { run_id, denials, parts, formed, stop, turns, models, duration_api_ms } = this.#run;
    const answer = status === "success" ? parts.join("") : "";
    const value = formed && status === "success" ? READ_JSON(answer) : undefined;
    const uses = Object.values(models);
    const result: RunResult = {
      status,
      answer,
      ...(value?.ok ? { structured: value.value } : {}),
      ...(error === undefined ? {} : { error }),
      ...(stop === undefined ? {} : { stop }),
      turns,
      usage: uses.reduce((sum, use) => addUsage(sum, use.usage), NO_USAGE),
      models,
      cost_usd: uses.reduce<number | null>(
        (sum, use) => sum === null || use.cost_usd === null ? null : sum + use.cost_usd,
        0,
      ),
      duration_ms,
      duration_api_ms,
      denials,
    };
    return { type: "run_finished", run_id, result };
  }
}

function newRun(run_id: string, model: string): ToldRun {
  return {
    run_id,
    model,
    calls: new Map(),
    denials: [],
    parts: [],
    formed: false,
    turns: 0,
    models: {},
    duration_api_ms: 0,
  };
}

function imported({ seq, payload }: SessionEvent & { type: "session.message_imported" }) {
  const { message } = payload;
  if (message.role === "assistant") {
    return [
      {
        type: "assistant",
        message_id: `imported-${seq}`,
        model: "",
        message,
        stop: null,
        usage: NO_USAGE,
      } satisfies RunEvent,
    ];
  }
  const text = messageText(message);
  return text === "" ? [] : [{ prompt: text }];
}

function retried(payload: Payload<"model.retried">, model: string, seq: number): RunEvent[] {
  const { attempt, error, delay_ms, status, partial } = payload;
  const event: ModelEvent = {
    type: "retry",
    attempt,
    max_attempts: Math.max(USUAL_ATTEMPTS, attempt + 1),
    delay_ms,
    ...(status === undefined ? {} : { status }),
    code: error.code,
    error: error.message,
    partial,
  };
  return [{ type: "stream", event }, ...aborted(partial, error.message, model, seq)];
}

/** What an attempt that died had said. */
function aborted(partial: AssistantMessage | null, error: string, model: string, seq: number): RunEvent[] {
  if (partial === null) return [];
  const message_id = `attempt-${seq}`;
  return [{ type: "assistant", message_id, model, message: partial, stop: null, usage: NO_USAGE, error }];
}

function isObject(value: unknown): value is Record<string, never> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
