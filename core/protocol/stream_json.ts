import type {
  AssistantMessage,
  Json,
  JsonObject,
  ModelEvent,
  PermissionMode,
  RunEvent,
  RunResult,
  StopReason,
  Usage,
} from "../types/mod.ts";
import { BlockOrder } from "./block_order.ts";
import { shownContent } from "./shown_content.ts";

/** What every line of one run shares. */
export interface StreamJsonHeader {
  session_id: string;
  version: string;
  api_key_source: string;
  plugins: { name: string; path: string }[];
  /** What a locked run has given up. */
  lockdown?: { modes: string[]; absent: { what: string; why: string }[] };
  /** What may be called by name in the session; absent where nobody has asked. */
  catalogue?:
    | { slash_commands: string[]; skills: string[]; agents: string[]; output_style: string }
    | undefined;
  /** Adds `stream_event` lines. */
  include_partial: boolean;
  uuid(): string;
}

/**
 * Turns a run's events into the lines of `--output-format stream-json`: one JSON object a line, `system/init` first,
 * `result` last, with the field names that programs written for Claude Code's headless mode read.
 */
export class StreamJsonWriter {
  #header: StreamJsonHeader;
  /** Indexes of blocks whose start has been told. */
  #begun = new Set<number>();
  #order = new BlockOrder();

  constructor(header: StreamJsonHeader) {
    this.#header = header;
  }

  /** The lines of one event; mostly none or one. */
  lines(event: RunEvent): JsonObject[] {
    switch (event.type) {
      case "run_started":
        return [this.#line({
          type: "system",
          subtype: "init",
          cwd: event.cwd,
          model: event.model,
          permissionMode: publicMode(event.mode),
          apiKeySource: this.#header.api_key_source,
          lumina_version: this.#header.version,
          run_id: event.run_id,
          tools: event.tools,
          mcp_servers: [],
          slash_commands: this.#header.catalogue?.slash_commands ?? [],
          skills: this.#header.catalogue?.skills ?? [],
          agents: this.#header.catalogue?.agents ?? [],
          plugins: this.#header.plugins,
          ...(this.#header.lockdown === undefined ? {} : { lockdown: this.#header.lockdown }),
          output_style: this.#header.catalogue?.output_style ?? "default",
          capabilities: ["interrupt_receipt_v1"],
        })];
      case "stream":
        return this.#stream(event.event);
      case "assistant":
        return [this.#line({
          type: "assistant",
          parent_tool_use_id: null,
          message: wireMessage(event),
          ...(event.error === undefined ? {} : { aborted: true, error: event.error }),
        })];
      case "tool_result":
        return [this.#line({
          type: "user",
          parent_tool_use_id: null,
          message: {
            role: "user",
            content: [{
              type: "tool_result",
              tool_use_id: event.call_id,
              content: shownContent(event.content, event.media),
              ...(event.is_error ? { is_error: true } : {}),
            }],
          },
          ...(event.data === undefined ? {} : { tool_use_result: event.data }),
        })];
      case "user":
        return [this.#line({
          type: "user",
          parent_tool_use_id: null,
          message: { role: "user", content: event.text },
          ...(event.synthetic ? { isSynthetic: true } : {}),
        })];
      case "permission_denied":
        return [this.#line({
          type: "system",
          subtype: "permission_denied",
          tool_name: event.name,
          tool_use_id: event.call_id,
          decision_reason_type: event.source,
          decision_reason: event.reason,
          message: event.reason,
        })];
      case "warning":
        return [
          this.#line({ type: "system", subtype: "informational", level: "warning", content: event.text }),
        ];
      case "compacted":
        return [this.#line({
          type: "system",
          subtype: "compact_boundary",
          compact_metadata: {
            trigger: event.trigger === "manual" ? "manual" : "auto",
            pre_tokens: event.tokens_before,
            post_tokens: event.tokens_after,
            tier: event.tier,
          },
        })];
      case "command_output":
        return [this.#line({
          type: "system",
          subtype: "local_command_output",
          command: event.name,
          content: event.text,
          ...(event.data === undefined ? {} : { data: event.data }),
        })];
      case "run_finished":
        return [this.#line(resultFields(event.result))];
      case "agent":
        return this.#ofAgent(event);
      case "tool_started":
      case "tool_progress":
        return [];
    }
  }

  /** What a sub-agent says, does and is refused, under the call that asked for it; its stream and its end are not told. */
  #ofAgent({ agent_id, call_id, event }: RunEvent & { type: "agent" }): JsonObject[] {
    const told = event.type === "stream"
      ? event.event.type === "retry" || event.event.type === "fallback"
      : event.type !== "run_started" && event.type !== "run_finished";
    if (!told) return [];
    return this.lines(event).map((line) => ({
      ...line,
      ...("parent_tool_use_id" in line && line["parent_tool_use_id"] === null
        ? { parent_tool_use_id: call_id }
        : {}),
      agent_id: line["agent_id"] ?? agent_id,
    }));
  }

  #line(fields: JsonObject): JsonObject {
    const { type, ...rest } = fields;
    return {
      type: type ?? "system",
      ...rest,
      session_id: this.#header.session_id,
      uuid: this.#header.uuid(),
    };
  }

  #stream(event: ModelEvent): JsonObject[] {
    if (event.type === "retry") {
      return [this.#line({
        type: "system",
        subtype: "api_retry",
        attempt: event.attempt,
        max_retries: event.max_attempts,
        retry_delay_ms: Math.round(event.delay_ms),
        error_status: event.status ?? null,
        error: event.code.replace(/^model\./, ""),
        message: event.error,
      })];
    }
    if (event.type === "fallback") {
      const content = `${event.from} failed (${event.reason}); ${event.to} answers instead`;
      return [this.#line({ type: "system", subtype: "informational", level: "warning", content })];
    }
    if (!this.#header.include_partial) return [];
    return [...this.#blockStart(event), ...rawEvents(event)].flatMap((raw) => this.#order.push(raw)).map((
      raw,
    ) => this.#line({ type: "stream_event", event: raw, parent_tool_use_id: null }));
  }

  /** The Anthropic stream opens each block before its first delta. */
  #blockStart(event: ModelEvent): JsonObject[] {
    if (event.type === "start") this.#begun.clear();
    if (event.type !== "text" && event.type !== "thinking" && event.type !== "signature") return [];
    if (this.#begun.has(event.index)) return [];
    this.#begun.add(event.index);
    const content_block = event.type === "text"
      ? { type: "text", text: "" }
      : { type: "thinking", thinking: "", signature: "" };
    return [{ type: "content_block_start", index: event.index, content_block }];
  }
}

/** The `result` object: the whole of `--output-format json`, and the last line of a stream. */
export function resultFields(result: RunResult): JsonObject {
  const shared: JsonObject = {
    is_error: result.status !== "success",
    num_turns: result.turns,
    stop_reason: result.stop === undefined ? null : wireStop(result.stop),
    duration_ms: result.duration_ms,
    duration_api_ms: result.duration_api_ms,
    ...(result.ttft_ms === undefined ? {} : { ttft_ms: result.ttft_ms }),
    total_cost_usd: result.cost_usd,
    usage: wireUsage(result.usage),
    modelUsage: Object.fromEntries(
      Object.entries(result.models).map(([name, use]) => [name, {
        inputTokens: use.usage.input,
        outputTokens: use.usage.output,
        cacheReadInputTokens: use.usage.cache_read,
        cacheCreationInputTokens: use.usage.cache_write,
        costUSD: use.cost_usd,
        requests: use.requests,
      }]),
    ),
    permission_denials: result.denials.map((denial) => ({
      tool_name: denial.tool_name,
      tool_use_id: denial.call_id,
      tool_input: denial.tool_input,
    })),
  };
  if (result.status === "success") {
    return {
      type: "result",
      subtype: "success",
      result: result.answer,
      ...(result.structured === undefined ? {} : { structured_output: result.structured }),
      ...shared,
    };
  }
  const subtype = result.status === "max_turns"
    ? "error_max_turns"
    : result.status === "answer_schema"
    ? "error_max_structured_output_retries"
    : result.error?.code === "agent.budget"
    ? "error_max_budget_usd"
    : "error_during_execution";
  return {
    type: "result",
    subtype,
    errors: [result.error?.message ?? result.status],
    error_code: result.error?.code ?? `run.${result.status}`,
    terminal_reason: result.status,
    ...shared,
  };
}

/** The mode's name as other agents write it. */
export function publicMode(mode: PermissionMode): string {
  switch (mode) {
    case "ask":
      return "default";
    case "accept-edits":
      return "acceptEdits";
    case "yolo":
      return "bypassPermissions";
    case "plan":
    case "auto":
      return mode;
  }
}

/** A stop reason as the Anthropic wire writes it. */
function wireStop(stop: StopReason): string {
  return stop === "pause" ? "pause_turn" : stop;
}

function wireUsage(usage: Usage): JsonObject {
  return {
    input_tokens: usage.input,
    output_tokens: usage.output,
    cache_read_input_tokens: usage.cache_read,
    cache_creation_input_tokens: usage.cache_write,
  };
}

function wireMessage(event: RunEvent & { type: "assistant" }): JsonObject {
  return {
    id: event.message_id,
    type: "message",
    role: "assistant",
    model: event.model,
    content: wireContent(event.message),
    stop_reason: event.stop === null ? null : wireStop(event.stop),
    stop_sequence: null,
    usage: wireUsage(event.usage),
  };
}

function wireContent(message: AssistantMessage): Json[] {
  return message.content.map((block): JsonObject => {
    switch (block.type) {
      case "text":
        return { type: "text", text: block.text };
      case "thinking":
        return { type: "thinking", thinking: block.text, signature: block.signature ?? "" };
      case "redacted_thinking":
        return { type: "redacted_thinking", data: block.data };
      case "tool_use":
        return { type: "tool_use", id: block.call_id, name: block.name, input: block.input };
    }
  });
}

/** A live event in the form of the Anthropic stream, whatever wire it came from. */
function rawEvents(event: ModelEvent): JsonObject[] {
  switch (event.type) {
    case "start":
      return [{
        type: "message_start",
        message: {
          id: event.message_id,
          type: "message",
          role: "assistant",
          model: event.model,
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: wireUsage(event.usage),
        },
      }];
    case "text":
      return delta(event.index, { type: "text_delta", text: event.text });
    case "thinking":
      return delta(event.index, { type: "thinking_delta", thinking: event.text });
    case "signature":
      return delta(event.index, { type: "signature_delta", signature: event.signature });
    case "redacted_thinking":
      return [{
        type: "content_block_start",
        index: event.index,
        content_block: { type: "redacted_thinking", data: event.data },
      }];
    case "tool_start":
      return [{
        type: "content_block_start",
        index: event.index,
        content_block: { type: "tool_use", id: event.call_id, name: event.name, input: {} },
      }];
    case "tool_input":
      return delta(event.index, { type: "input_json_delta", partial_json: event.json });
    case "block_end":
      return [{ type: "content_block_stop", index: event.index }];
    case "done":
      return [
        {
          type: "message_delta",
          delta: { stop_reason: wireStop(event.stop), stop_sequence: null },
          usage: wireUsage(event.usage),
        },
        { type: "message_stop" },
      ];
    case "retry":
    case "fallback":
      return [];
  }
}

function delta(index: number, change: JsonObject): JsonObject[] {
  return [{ type: "content_block_delta", index, delta: change }];
}
