import { isJsonObject, type JsonObject } from "../../types/mod.ts";
import { contentBlocks, requestMessages, type Wire } from "./wire_request.ts";

/** Names that both services take. */
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/**
 * What the real service would refuse in a request (HTTP 400), in its words; undefined when it would answer. Covers the
 * rules that a client's history can break: calls and results that do not pair, empty texts, illegal ids and names.
 */
export function refusal(wire: Wire, body: JsonObject): string | undefined {
  if (typeof body.model !== "string" || body.model === "") return "model: Field required";
  if (requestMessages(body).length === 0) return "messages: at least one message is required";
  return refusedTools(wire, body) ??
    (wire === "anthropic" ? refusedByAnthropic(body) : refusedByOpenai(body));
}

function refusedTools(wire: Wire, body: JsonObject): string | undefined {
  const names = new Set<string>();
  for (const tool of Array.isArray(body.tools) ? body.tools.filter(isJsonObject) : []) {
    const description = wire === "anthropic" ? tool : tool.function;
    const name = isJsonObject(description) ? description.name : undefined;
    if (typeof name !== "string" || !NAME.test(name)) return `tools: name should match '${NAME.source}'`;
    if (names.has(name)) return "tools: Tool names must be unique.";
    names.add(name);
  }
  return undefined;
}

function refusedByAnthropic(body: JsonObject): string | undefined {
  if (typeof body.max_tokens !== "number" || body.max_tokens < 1) return "max_tokens: Field required";
  const messages = requestMessages(body);
  if (messages[0]?.role !== "user") return 'messages: first message must use the "user" role';
  let open: string[] = [];
  for (const [at, message] of messages.entries()) {
    const place = `messages.${at}`;
    const blocks = contentBlocks(message.content);
    if (message.role !== "user" && message.role !== "assistant") {
      return `${place}.role: Input should be 'user' or 'assistant'`;
    }
    if (blocks.length === 0) return `${place}: all messages must have non-empty content`;
    if (blocks.some((block) => block.type === "text" && block.text === "")) {
      return `${place}: text content blocks must be non-empty`;
    }
    const results = blocks.filter((block) => block.type === "tool_result").map((block) =>
      String(block.tool_use_id)
    );
    for (const id of results) {
      if (!open.includes(id)) {
        return `${place}.content: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. ` +
          "Each `tool_result` block must have a corresponding `tool_use` block in the previous message.";
      }
    }
    const missing = open.filter((id) => !results.includes(id));
    if (missing.length > 0) {
      return `${place}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${
        missing.join(", ")
      }`;
    }
    if (new Set(results).size < results.length) return `${place}: each tool_use must have a single result`;
    if (results.length > 0 && blocks.slice(0, results.length).some((block) => block.type !== "tool_result")) {
      return `${place}: \`tool_result\` blocks must come first`;
    }
    open = message.role === "assistant"
      ? blocks.filter((block) => block.type === "tool_use").map((block) => String(block.id))
      : [];
    const illegal = open.find((id) => !/^[a-zA-Z0-9_-]+$/.test(id));
    if (illegal !== undefined) {
      return `${place}.content.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`;
    }
    if (new Set(open).size < open.length) return `${place}: \`tool_use\` ids must be unique`;
  }
  return open.length === 0
    ? undefined
    : `messages: \`tool_use\` ids were found without results: ${open.join(", ")}`;
}

function refusedByOpenai(body: JsonObject): string | undefined {
  let open: string[] = [];
  for (const [at, message] of requestMessages(body).entries()) {
    if (message.role === "tool") {
      const id = String(message.tool_call_id);
      if (!open.includes(id)) {
        return "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
      }
      open.splice(open.indexOf(id), 1);
      continue;
    }
    if (open.length > 0) return unanswered(open);
    if (!["system", "developer", "user", "assistant"].includes(String(message.role))) {
      return `Invalid value for 'messages[${at}].role'`;
    }
    const calls = Array.isArray(message.tool_calls) ? message.tool_calls.filter(isJsonObject) : [];
    if (calls.length === 0 && contentBlocks(message.content).length === 0) {
      return `Invalid value for 'messages[${at}].content': expected a string, got null.`;
    }
    for (const call of calls) {
      const fn = isJsonObject(call.function) ? call.function : {};
      if (typeof fn.arguments !== "string" || !NAME.test(String(fn.name))) {
        return `Invalid value for 'messages[${at}].tool_calls'`;
      }
    }
    open = calls.map((call) => String(call.id));
  }
  return open.length > 0 ? unanswered(open) : undefined;
}

function unanswered(ids: string[]): string {
  return "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
    `The following tool_call_ids did not have response messages: ${ids.join(", ")}`;
}
