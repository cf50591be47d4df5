import { isJsonObject } from "../../core/plugin_api/mod.ts";
import type { Json, JsonObject } from "../../core/plugin_api/mod.ts";
import { ToolFailure } from "./tool_failure.ts";

/** A cell of a Jupyter notebook (nbformat 4). */
export interface NotebookCell {
  /** As the file has it, else `cell-N` from 0. */
  id: string;
  type: string;
  source: string;
  /** True when the file keeps the source as a list of lines. */
  lines: boolean;
  execution_count: number | null;
  outputs: JsonObject[];
}

export interface Notebook {
  language: string;
  /** Cells have ids (nbformat 4.5 and later). */
  has_ids: boolean;
  cells: NotebookCell[];
}

/** Reads a notebook. Throws `ToolFailure` when the text is none of nbformat 4. */
export function parseNotebook(text: string, shown: string): Notebook {
  let root: Json;
  try {
    root = JSON.parse(text);
  } catch (error) {
    throw new ToolFailure(`"${shown}" is no notebook: ${error instanceof Error ? error.message : error}`);
  }
  const cells = isJsonObject(root) ? root["cells"] : undefined;
  if (!isJsonObject(root) || !Array.isArray(cells)) {
    throw new ToolFailure(`"${shown}" is no notebook of nbformat 4: it has no list of cells`);
  }
  const { nbformat, nbformat_minor, metadata } = root;
  const kernel = isJsonObject(metadata) ? metadata["kernelspec"] : undefined;
  const info = isJsonObject(metadata) ? metadata["language_info"] : undefined;
  const language = isJsonObject(info) && typeof info["name"] === "string"
    ? info["name"]
    : isJsonObject(kernel) && typeof kernel["language"] === "string"
    ? kernel["language"]
    : "python";
  const minor = typeof nbformat_minor === "number" ? nbformat_minor : 0;
  return {
    language,
    has_ids: Number(nbformat) > 4 || (Number(nbformat) === 4 && minor >= 5),
    cells: cells.map((cell, index) => readCell(isJsonObject(cell) ? cell : {}, index)),
  };
}

function readCell(cell: JsonObject, index: number): NotebookCell {
  const { id, cell_type, source, execution_count, outputs } = cell;
  return {
    id: typeof id === "string" ? id : `cell-${index}`,
    type: typeof cell_type === "string" ? cell_type : "raw",
    source: joined(source),
    lines: Array.isArray(source),
    execution_count: typeof execution_count === "number" ? execution_count : null,
    outputs: Array.isArray(outputs) ? outputs.filter(isJsonObject) : [],
  };
}

/** A text that nbformat may keep as a list of lines. */
export function joined(text: Json | undefined): string {
  if (typeof text === "string") return text;
  return Array.isArray(text) ? text.filter((line) => typeof line === "string").join("") : "";
}

/** The index of the cell with that id, or `cell-N`. Throws `ToolFailure` that names the ids. */
export function findCell({ cells }: Notebook, id: string, shown: string): number {
  const exact = cells.findIndex((cell) => cell.id === id);
  if (exact >= 0) return exact;
  const place = /^(?:cell-)?(\d+)$/.exec(id)?.[1];
  if (place !== undefined && Number(place) < cells.length) return Number(place);
  const ids = cells.slice(0, 50).map((cell) => cell.id).join(", ");
  throw new ToolFailure(`${shown} has no cell "${id}"; its cells are: ${ids === "" ? "none" : ids}`);
}
