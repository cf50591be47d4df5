import { SERVICE_NAMES } from "../../plugin_api/mod.ts";
import type { ServiceName, ToolOutcome, WorkerMessage } from "../../plugin_api/mod.ts";
import { isJsonObject } from "../../types/mod.ts";
import type { Json, JsonObject } from "../../types/mod.ts";

/** Files that one outcome may say it has seen. */
const MAX_SEEN = 1_000;

/**
 * What a pack's process has sent, checked: exactly the fields of the message, made anew. Throws an error that says what is
 * wrong. Keys named `__proto__` are left out wherever data is handed on.
 */
export function packMessage(value: unknown): WorkerMessage {
  if (!isJsonObject(value)) throw new Error("a message that is no object");
  const type = own(value, "type");
  switch (type) {
    case "hello":
      return { type, version: number(value, "version"), api: number(value, "api") };
    case "progress":
    case "chunk":
      return { type, id: number(value, "id"), text: text(value, "text") };
    case "outcome":
      return {
        type,
        id: number(value, "id"),
        outcome: outcome(own(value, "outcome")),
        busy: own(value, "busy") === true,
      };
    case "request": {
      const service = text(value, "service") as ServiceName;
      if (!SERVICE_NAMES.includes(service)) throw new Error("a request to a service that does not exist");
      const params = own(value, "params");
      if (!isJsonObject(params)) throw new Error("a request whose params are no object");
      return {
        type,
        request: number(value, "request"),
        id: number(value, "id"),
        service,
        method: text(value, "method"),
        params: withoutProto(params),
      };
    }
    case "failed":
      return { type, message: text(value, "message") };
    case "closed":
      return { type };
    default:
      throw new Error("a message of an unknown type");
  }
}

function outcome(value: Json | undefined): ToolOutcome {
  if (!isJsonObject(value)) throw new Error("a result that is no object");
  const content = own(value, "content");
  if (typeof content !== "string") throw new Error("a result whose content is no text");
  const checked: ToolOutcome = { content };
  const is_error = own(value, "is_error");
  if (is_error !== undefined) {
    if (typeof is_error !== "boolean") throw new Error("a result whose is_error is neither true nor false");
    checked.is_error = is_error;
  }
  const data = own(value, "data");
  if (data !== undefined) {
    if (!isJsonObject(data)) throw new Error("a result whose data is no object");
    checked.data = withoutProto(data);
  }
  const seen = own(value, "seen");
  if (seen !== undefined) {
    if (!Array.isArray(seen) || seen.length > MAX_SEEN) {
      throw new Error("a result whose list of seen files is none");
    }
    checked.seen = seen.map((file) => {
      if (!isJsonObject(file)) throw new Error("a result whose list of seen files is none");
      return { path: text(file, "path"), sha256: text(file, "sha256") };
    });
  }
  return checked;
}

function own(value: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

function number(value: JsonObject, key: string): number {
  const found = own(value, key);
  if (typeof found !== "number" || !Number.isSafeInteger(found) || found < 0) {
    throw new Error(`a message whose ${key} is no number`);
  }
  return found;
}

function text(value: JsonObject, key: string): string {
  const found = own(value, key);
  if (typeof found !== "string") throw new Error(`a message whose ${key} is no text`);
  return found;
}

/** Takes every own key `__proto__` out: assigning it somewhere else would change what the object is. */
function withoutProto(value: JsonObject): JsonObject {
  const left: Json[] = [value];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (typeof next !== "object" || next === null) continue;
    if (Object.hasOwn(next, "__proto__")) delete (next as Record<string, unknown>)["__proto__"];
    for (const inner of Object.values(next)) {
      if (typeof inner === "object" && inner !== null) left.push(inner);
    }
  }
  return value;
}
