import { wireName } from "../base/mod.ts";
import type { JsonObject, Message } from "../types/mod.ts";
import type { ModelRequest } from "./port.ts";
import { projectSchema } from "./project_schema.ts";

/** A request as it goes over the wire, and the way back of the names in its answer. */
export interface WireTools {
  request: ModelRequest;
  /** The tool's own name. */
  nameOf(wire: string): string;
}

/** A tool's schema stays the same object in a session. */
const projected = new WeakMap<JsonObject, JsonObject>();

/** Gives tools the names and schemas that providers take, in the conversation too. What needs no change is passed as it is. */
export function wireTools(request: ModelRequest): WireTools {
  const own = new Map(request.tools.map(({ name }) => [wireName(name), name]));
  const tools = request.tools.map((tool) => {
    const schema = schemaOf(tool.input_schema);
    const name = wireName(tool.name);
    return schema === tool.input_schema && name === tool.name
      ? tool
      : { ...tool, name, input_schema: schema };
  });
  return {
    request: { ...request, tools, messages: request.messages.map(renamed) },
    nameOf: (wire) => own.get(wire) ?? wire,
  };
}

function schemaOf(schema: JsonObject): JsonObject {
  let made = projected.get(schema);
  if (made === undefined) {
    made = projectSchema(schema);
    projected.set(schema, made);
  }
  return made;
}

function renamed(message: Message): Message {
  if (message.role !== "assistant") return message;
  const odd = message.content.some((block) =>
    block.type === "tool_use" && wireName(block.name) !== block.name
  );
  if (!odd) return message;
  return {
    ...message,
    content: message.content.map((block) =>
      block.type === "tool_use" ? { ...block, name: wireName(block.name) } : block
    ),
  };
}
