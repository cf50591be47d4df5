import { isJsonObject } from "../../../types/mod.ts";
import type { Json, JsonObject } from "../../../types/mod.ts";

/** A piece of an old message, whichever provider's form it had. */
export type LegacyBlock =
  | { type: "text"; text: string }
  | { type: "call"; id: string; name: string; input: JsonObject; malformed?: { raw: string; error: string } }
  | { type: "result"; id: string; content: string; is_error: boolean };

export interface LegacyMessage {
  role: "user" | "assistant";
  blocks: LegacyBlock[];
}

const ROLES: Readonly<Record<string, "user" | "assistant" | "tool" | "system">> = {
  user: "user",
  human: "user",
  assistant: "assistant",
  ai: "assistant",
  model: "assistant",
  tool: "tool",
  function: "tool",
  system: "system",
  developer: "system",
};

/** Fields that one program wrote as `tool_call_id` and another as `ToolCallID`. */
export function field(object: JsonObject, ...names: readonly string[]): Json | undefined {
  for (const name of names) {
    const value = object[name];
    if (value !== undefined) return value;
  }
  const wanted = names.map(plainName);
  for (const [key, value] of Object.entries(object)) if (wanted.includes(plainName(key))) return value;
  return undefined;
}

/**
 * Reads an old message in Anthropic's form (content blocks) or OpenAI's (`tool_calls`, role `tool`), perhaps wrapped in
 * `{ message }`. What it cannot take over is told to `skipped`; undefined when nothing remains or it is no message.
 */
export function legacyMessage(value: Json, skipped: (what: string) => void): LegacyMessage | undefined {
  if (!isJsonObject(value)) return void skipped("is not a message");
  const inner = field(value, "message");
  const source = isJsonObject(inner) ? inner : value;
  const said = field(source, "role") ?? field(value, "role", "type", "sender");
  const role = typeof said === "string" ? ROLES[said.toLowerCase()] : undefined;
  if (role === undefined) return void skipped(`has the unknown role ${shown(said)}`);
  if (role === "system") return void skipped("is a system message; Lumina writes its own");
  const content = field(source, "content", "text", "parts") ?? null;
  if (role === "tool") {
    const id = field(source, "tool_call_id", "tool_use_id", "name");
    const is_error = field(source, "is_error") === true;
    const result = { type: "result", id: text(id), content: resultText(content), is_error } as const;
    return { role: "user", blocks: [result] };
  }
  const blocks = blocksOf(content, skipped);
  const calls = field(source, "tool_calls");
  const single = field(source, "function_call");
  const listed = Array.isArray(calls) ? calls : [];
  for (const call of isJsonObject(single) ? [...listed, single] : listed) {
    blocks.push(...callOf(call, skipped));
  }
  const kept = blocks.filter((block) => block.type !== "text" || block.text.trim() !== "");
  return kept.length === 0 ? undefined : { role, blocks: kept };
}

/** What a person sees of a message. */
export function legacyText(message: LegacyMessage): string {
  return message.blocks.map((block) => block.type === "text" ? block.text : "").join("").trim();
}

function blocksOf(content: Json, skipped: (what: string) => void): LegacyBlock[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (isJsonObject(content)) return blockOf(content, skipped);
  if (!Array.isArray(content)) return [];
  return content.flatMap((block) =>
    typeof block === "string" ? blocksOf(block, skipped) : blockOf(block, skipped)
  );
}

function blockOf(block: Json, skipped: (what: string) => void): LegacyBlock[] {
  if (!isJsonObject(block)) return [];
  const type = text(field(block, "type") ?? "text").toLowerCase();
  switch (type) {
    case "text":
    case "input_text":
    case "output_text":
      return [{ type: "text", text: text(field(block, "text", "content")) }];
    case "tool_use":
    case "tool_call":
    case "function_call":
    case "function":
      return callOf(block, skipped);
    case "tool_result":
    case "function_call_output":
      return [{
        type: "result",
        id: text(field(block, "tool_use_id", "tool_call_id", "call_id", "id")),
        content: resultText(field(block, "content", "output") ?? null),
        is_error: field(block, "is_error") === true,
      }];
    default:
      // thinking is bound to the provider and the moment; a picture has no place in a message
      skipped(`has a block of type ${shown(type)} that is left out`);
      return [];
  }
}

function callOf(call: Json, skipped: (what: string) => void): LegacyBlock[] {
  if (!isJsonObject(call)) return [];
  const inner = field(call, "function");
  const source = isJsonObject(inner) ? inner : call;
  const name = text(field(source, "name"));
  const id = text(field(call, "id", "call_id", "tool_use_id")) || name;
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name)) {
    skipped(`calls a tool of the illegal name ${shown(name)}`);
    return [{ type: "text", text: `[A call of the tool ${shown(name)}]` }];
  }
  const input = field(source, "input", "arguments", "args") ?? {};
  if (isJsonObject(input)) return [{ type: "call", id, name, input }];
  const raw = typeof input === "string" ? input : JSON.stringify(input);
  try {
    const parsed: unknown = JSON.parse(raw.trim() === "" ? "{}" : raw);
    if (isJsonObject(parsed)) return [{ type: "call", id, name, input: parsed }];
  } catch {
    // no JSON: kept as it is below
  }
  return [{
    type: "call",
    id,
    name,
    input: {},
    malformed: { raw, error: "the arguments are not a JSON object" },
  }];
}

function resultText(content: Json): string {
  if (typeof content === "string") return content;
  if (content === null) return "";
  const parts = Array.isArray(content) ? content : [content];
  return parts.map((part) => {
    const words = isJsonObject(part) ? field(part, "text") : part;
    return typeof words === "string" ? words : JSON.stringify(part);
  }).join("\n");
}

function text(value: Json | undefined): string {
  return typeof value === "string" ? value : typeof value === "number" ? String(value) : "";
}

function plainName(name: string): string {
  return name.replaceAll("_", "").toLowerCase();
}

function shown(value: Json | undefined): string {
  return (JSON.stringify(value) ?? "nothing").slice(0, 60);
}
