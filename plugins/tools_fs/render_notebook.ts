import { isJsonObject } from "../../core/plugin_api/mod.ts";
import type { Json, JsonObject, MediaBlock } from "../../core/plugin_api/mod.ts";
import { joined, type Notebook } from "./notebook.ts";

const OUTPUT_CHARS = 2_000;
const RESULT_CHARS = 100_000;
const MOST_IMAGES = 8;
const MOST_IMAGE_CHARS = 5_000_000;

/** A notebook as the model reads it; `images` are the pictures among its outputs, where they may be shown. */
export interface RenderedNotebook {
  text: string;
  images: MediaBlock[];
  cells: number;
}

/** Cells with their ids, sources and outputs, within bounds. */
export function renderNotebook(notebook: Notebook, sees: boolean): RenderedNotebook {
  const parts: string[] = [];
  const images: MediaBlock[] = [];
  let length = 0;
  let room = MOST_IMAGE_CHARS;
  const show = (output: JsonObject): string => {
    const picture = pictureOf(output);
    if (picture === undefined) return textOf(output);
    const size = `${Math.round(picture.data.length * 0.75)} bytes`;
    if (!sees || images.length >= MOST_IMAGES || picture.data.length > room) {
      return `[${picture.media_type}, ${size}, not shown]`;
    }
    room -= picture.data.length;
    images.push({ type: "image", ...picture, name: `output ${images.length + 1}` });
    return `[${picture.media_type}, ${size}: output ${images.length}]`;
  };
  let cells = 0;
  for (const { id, type, source, execution_count, outputs } of notebook.cells) {
    const run = execution_count === null ? "" : ` run="${execution_count}"`;
    const shown = outputs.map(show).filter((text) => text !== "").map(clipped);
    const part = `<cell id="${id}" type="${type}"${run}>\n${source}${
      source.endsWith("\n") ? "" : "\n"
    }</cell>${shown.length === 0 ? "" : `\n<output cell="${id}">\n${shown.join("\n")}\n</output>`}`;
    if (length + part.length > RESULT_CHARS) break;
    parts.push(part);
    length += part.length;
    cells++;
  }
  const left = notebook.cells.length - cells;
  if (left > 0) {
    parts.push(
      `[PARTIAL: ${left} more cells; Read with offset and limit shows the rest of the file as JSON]`,
    );
  }
  return { text: parts.join("\n"), images, cells };
}

function pictureOf(
  { data }: JsonObject,
): { media_type: "image/png" | "image/jpeg"; data: string } | undefined {
  if (!isJsonObject(data)) return undefined;
  for (const media_type of ["image/png", "image/jpeg"] as const) {
    const found = joined(data[media_type]).replace(/\s+/g, "");
    if (found !== "") return { media_type, data: found };
  }
  return undefined;
}

function textOf(output: JsonObject): string {
  const { output_type, text, data, ename, evalue, traceback } = output;
  if (output_type === "stream") return joined(text);
  if (output_type === "error") {
    const trace = withoutColors(Array.isArray(traceback) ? traceback.join("\n") : "");
    return trace === "" ? `${word(ename)}: ${word(evalue)}` : trace;
  }
  if (!isJsonObject(data)) return "";
  const plain = joined(data["text/plain"]);
  return plain === "" ? `[${Object.keys(data).join(", ")}]` : plain;
}

function word(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

/** Tracebacks carry the colours of a terminal. */
function withoutColors(text: string): string {
  // deno-lint-ignore no-control-regex -- ESC is what begins them
  return text.replace(/\u001b\[[\d;]*m/g, "");
}

function clipped(text: string): string {
  if (text.length <= OUTPUT_CHARS) return text;
  return `${text.slice(0, OUTPUT_CHARS).toWellFormed()}\n[… ${text.length - OUTPUT_CHARS} more characters]`;
}
