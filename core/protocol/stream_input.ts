import { isJsonObject } from "../types/mod.ts";
import type { Json, JsonObject } from "../types/mod.ts";

/** A line that a program may send on standard input with `--input-format stream-json`. */
export type InputLine =
  | { type: "user"; text: string; uuid?: string }
  | { type: "control_request"; request_id: string; request: JsonObject }
  | { type: "control_response"; request_id: string; ok: boolean; response: Json; error?: string }
  | { type: "noise" };

/** Reads one line. Throws a TypeError that says what is wrong with it. */
export function parseInputLine(line: string): InputLine {
  let value: Json;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw new TypeError(`not JSON: ${error instanceof Error ? error.message : error}`);
  }
  if (!isJsonObject(value)) throw new TypeError("not a JSON object");
  switch (value["type"]) {
    case "user": {
      const message = value["message"];
      if (!isJsonObject(message)) {
        throw new TypeError('a user line needs "message": {"role": "user", "content": …}');
      }
      const text = contentText(message["content"]);
      const uuid = value["uuid"];
      return { type: "user", text, ...(typeof uuid === "string" ? { uuid } : {}) };
    }
    case "control_request": {
      const { request_id, request } = value;
      if (typeof request_id !== "string" || !isJsonObject(request)) {
        throw new TypeError('a control_request needs "request_id" and "request"');
      }
      return { type: "control_request", request_id, request };
    }
    case "control_response": {
      const response = value["response"];
      if (!isJsonObject(response) || typeof response["request_id"] !== "string") {
        throw new TypeError('a control_response needs "response": {"request_id": …}');
      }
      const error = response["error"];
      return {
        type: "control_response",
        request_id: response["request_id"],
        ok: response["subtype"] === "success",
        response: response["response"] ?? null,
        ...(typeof error === "string" ? { error } : {}),
      };
    }
    case "keep_alive":
    case "control_cancel_request":
      return { type: "noise" };
    default:
      throw new TypeError(`unknown type ${JSON.stringify(value["type"] ?? null)}`);
  }
}

function contentText(content: Json | undefined): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) throw new TypeError('"content" must be a text or a list of blocks');
  return content.map((block) => {
    if (isJsonObject(block) && block["type"] === "text" && typeof block["text"] === "string") {
      return block["text"];
    }
    const type = isJsonObject(block) ? block["type"] : block;
    throw new TypeError(`blocks of type ${JSON.stringify(type ?? null)} cannot be read here, only text`);
  }).join("\n");
}
