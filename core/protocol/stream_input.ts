import { IMAGE_TYPES, isJsonObject, mediaBytes } from "../types/mod.ts";
import type { Json, JsonObject, MediaBlock } from "../types/mod.ts";

/**
 * When a message is told while a run goes on: `now` interrupts the run and begins the next one, `next` reaches the model at
 * the run's next step, `later` waits until the run and what was sent before are over.
 */
export const MESSAGE_PRIORITIES = ["now", "next", "later"] as const;
export type MessagePriority = (typeof MESSAGE_PRIORITIES)[number];

/** A line that a program may send on standard input with `--input-format stream-json`. */
export type InputLine =
  | { type: "user"; text: string; media?: MediaBlock[]; uuid?: string; priority?: MessagePriority }
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
      const { text, media } = readContent(message["content"]);
      const { uuid, priority: named } = value;
      const priority = MESSAGE_PRIORITIES.find((one) => one === named);
      if (named !== undefined && named !== null && priority === undefined) {
        throw new TypeError(`"priority" is ${JSON.stringify(named)}, must be now, next or later`);
      }
      return {
        type: "user",
        text,
        ...(media.length === 0 ? {} : { media }),
        ...(typeof uuid === "string" ? { uuid } : {}),
        ...(priority === undefined ? {} : { priority }),
      };
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

/** Bytes of one picture or document in a user's message: what providers take. */
const MOST_IMAGE_BYTES = 5_000_000;
const MOST_PDF_BYTES = 30_000_000;

function readContent(content: Json | undefined): { text: string; media: MediaBlock[] } {
  if (typeof content === "string") return { text: content, media: [] };
  if (!Array.isArray(content)) throw new TypeError('"content" must be a text or a list of blocks');
  const texts: string[] = [];
  const media: MediaBlock[] = [];
  for (const block of content) {
    const type = isJsonObject(block) ? block["type"] : block;
    if (isJsonObject(block) && type === "text" && typeof block["text"] === "string") {
      texts.push(block["text"]);
    } else if (isJsonObject(block) && (type === "image" || type === "document")) media.push(readMedia(block));
    else {
      throw new TypeError(
        `blocks of type ${JSON.stringify(type ?? null)} cannot be read here, only text, image and document`,
      );
    }
  }
  return { text: texts.join("\n"), media };
}

/** A block of the public Messages form: `source: {type: "base64", media_type, data}`. */
function readMedia({ type, source, title }: JsonObject): MediaBlock {
  if (!isJsonObject(source) || source["type"] !== "base64" || typeof source["data"] !== "string") {
    throw new TypeError(`a block of type "${type}" needs "source": {"type": "base64", "media_type", "data"}`);
  }
  const { media_type } = source;
  const data = source["data"].replace(/\s+/g, "");
  if (data === "" || data.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(data)) {
    throw new TypeError(`the "data" of a block of type "${type}" is not base64`);
  }
  const name = typeof title === "string" ? { name: title } : {};
  let block: MediaBlock;
  if (type === "image") {
    const image = IMAGE_TYPES.find((known) => known === media_type);
    if (image === undefined) {
      throw new TypeError(`"media_type" of an image must be ${IMAGE_TYPES.join(", ")}`);
    }
    block = { type: "image", media_type: image, data, ...name };
  } else if (media_type === "application/pdf") {
    block = { type: "document", media_type, data, ...name };
  } else throw new TypeError('"media_type" of a document must be application/pdf');
  const most = block.type === "image" ? MOST_IMAGE_BYTES : MOST_PDF_BYTES;
  if (mediaBytes(block) > most) {
    throw new TypeError(`a block of type "${type}" has ${mediaBytes(block)} bytes; the most is ${most}`);
  }
  return block;
}
