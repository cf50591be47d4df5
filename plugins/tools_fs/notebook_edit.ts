import { applyEdits, modify } from "jsonc-parser";
import type { ToolContext } from "../../core/plugin_api/mod.ts";
import { commitFile, commitNote, requireSeen } from "./commit_file.ts";
import { defineTool } from "./define_tool.ts";
import { judgedPath } from "./judged_path.ts";
import { findCell, type Notebook, parseNotebook } from "./notebook.ts";
import { readExisting } from "./read_existing.ts";
import { clipPatch, textDiff } from "./text_diff.ts";
import { spliced, type TextFile } from "./text_file.ts";
import { ToolFailure } from "./tool_failure.ts";

const MODES = ["replace", "insert", "delete"] as const;
const TYPES = ["code", "markdown", "raw"] as const;

interface CellChange {
  index: number;
  before: string;
  after: string;
  cell_id: string;
  text: string;
}

/**
 * Changes one cell: `{ notebook_path, cell_id?, new_source?, cell_type?, edit_mode? }`. Everything else of the file keeps its
 * bytes: the order of its keys, its indentation, its numbers and its end.
 */
export const notebookEdit = defineTool(async (input, context) => {
  const shown = input.string("notebook_path");
  const mode = oneOf(input.string("edit_mode", "replace"), MODES, "edit_mode");
  const judged = judgedPath(context, shown, "write");
  const existing = await readExisting(context, judged, false);
  if (existing === null) throw new ToolFailure(`Cannot read "${shown}"`); // it may not be missing
  requireSeen(context, judged, existing.whole);
  const { text } = existing.text;
  const notebook = parseNotebook(text, shown);
  const cell_id = input.string("cell_id", "");
  const type = input.string("cell_type", "");
  const cell_type = type === "" ? undefined : oneOf(type, TYPES, "cell_type");
  const source = input.string("new_source", "");
  if (cell_id === "" && mode !== "insert") {
    throw new ToolFailure(`The input "cell_id" must name the cell to ${mode}`);
  }
  const change = mode === "insert"
    ? inserted(context, text, notebook, cell_id, shown, source, cell_type ?? "code")
    : mode === "delete"
    ? deleted(text, notebook, cell_id, shown)
    : replaced(text, notebook, cell_id, shown, source, cell_type);
  parseNotebook(change.text, shown); // what is written can be read again
  const file = withText(existing.text, change.text);
  const committed = await commitFile(context, judged, file.bytes, existing.whole);
  // a source has no line end at its end: that is no difference to tell
  const { patch, added, removed } = await textDiff(ended(change.before), ended(change.after));
  const done = { replace: "Replaced", insert: "Inserted", delete: "Deleted" }[mode];
  return {
    content: `${done} cell ${change.cell_id} of ${shown}: +${added} -${removed}${commitNote(committed)}${
      patch === "" ? "" : `\n${clipPatch(patch, 60, 4000)}`
    }`,
    seen: [{ path: judged.path, sha256: committed.sha256 }],
    data: {
      file_path: judged.path,
      kind: "update",
      edit_mode: mode,
      cell_id: change.cell_id,
      cell_index: change.index,
      added,
      removed,
      bytes: file.bytes.length,
      method: committed.method,
      patch: clipPatch(patch, 400, 20_000),
    },
  };
});

function replaced(
  text: string,
  notebook: Notebook,
  cell_id: string,
  shown: string,
  source: string,
  cell_type: string | undefined,
): CellChange {
  const index = findCell(notebook, cell_id, shown);
  const cell = notebook.cells[index]!;
  const type = cell_type ?? cell.type;
  if (type === cell.type && source === cell.source) {
    throw new ToolFailure(`Nothing to change: cell ${cell_id} of ${shown} already has new_source`);
  }
  const set = setter(text);
  const at = (key: string) => ["cells", index, key];
  let next = set(text, at("source"), cell.lines ? sourceLines(source) : source);
  if (type !== cell.type) next = set(next, at("cell_type"), type);
  if (type === "code") {
    // what an older source gave is not what this one gives
    next = set(set(next, at("execution_count"), null), at("outputs"), []);
  } else if (cell.type === "code") {
    next = set(set(next, at("outputs"), undefined), at("execution_count"), undefined);
  }
  return { index, before: cell.source, after: source, cell_id: cell.id, text: next };
}

function inserted(
  context: ToolContext,
  text: string,
  notebook: Notebook,
  cell_id: string,
  shown: string,
  source: string,
  type: string,
): CellChange {
  const index = cell_id === "" ? 0 : findCell(notebook, cell_id, shown) + 1;
  const id = notebook.has_ids ? newId(context.call_id, notebook) : undefined;
  const cell = {
    cell_type: type,
    ...(type === "code" ? { execution_count: null } : {}),
    ...(id === undefined ? {} : { id }),
    metadata: {},
    ...(type === "code" ? { outputs: [] } : {}),
    source: sourceLines(source),
  };
  const next = setter(text)(text, ["cells", index], cell, true);
  return { index, before: "", after: source, cell_id: id ?? `cell-${index}`, text: next };
}

function deleted(text: string, notebook: Notebook, cell_id: string, shown: string): CellChange {
  const index = findCell(notebook, cell_id, shown);
  const cell = notebook.cells[index]!;
  const next = setter(text)(text, ["cells", index], undefined);
  return { index, before: cell.source, after: "", cell_id: cell.id, text: next };
}

/** Sets values inside the JSON text in the file's own indentation; one on a single line stays so. */
function setter(text: string) {
  const indent = /^\s*\{\r?\n([ \t]+)/.exec(text)?.[1];
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const formattingOptions = indent === undefined ? undefined : {
    insertSpaces: !indent.startsWith("\t"),
    tabSize: indent.startsWith("\t") ? 1 : indent.length,
    eol,
  };
  return (from: string, path: (string | number)[], value: unknown, insert = false): string =>
    applyEdits(
      from,
      modify(from, path, value, {
        ...(formattingOptions === undefined ? {} : { formattingOptions }),
        isArrayInsertion: insert,
      }),
    );
}

function ended(source: string): string {
  return source === "" || source.endsWith("\n") ? source : `${source}\n`;
}

/** As nbformat keeps a source: lines with their ends. */
function sourceLines(source: string): string[] {
  return source.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** Eight characters of the call's own id, made unique in the notebook. */
function newId(call_id: string, { cells }: Notebook): string {
  const base = call_id.replace(/[^A-Za-z0-9_-]/g, "").replaceAll("-", "").slice(-8).padStart(8, "0");
  let id = base;
  for (let n = 2; cells.some((cell) => cell.id === id); n++) id = `${base}-${n}`;
  return id;
}

/** The file with another text; what is equal at both ends keeps its bytes. */
function withText(file: TextFile, text: string): TextFile {
  const old = file.text;
  const most = Math.min(old.length, text.length);
  let head = 0;
  while (head < most && old[head] === text[head]) head++;
  if (/[\ud800-\udbff]/.test(old[head - 1] ?? "")) head--; // never half a pair
  let tail = 0;
  while (tail < most - head && old[old.length - 1 - tail] === text[text.length - 1 - tail]) tail++;
  if (/[\udc00-\udfff]/.test(old[old.length - tail] ?? "")) tail--;
  return spliced(file, [{ start: head, end: old.length - tail, text: text.slice(head, text.length - tail) }]);
}

function oneOf<const T extends string>(given: string, known: readonly T[], key: string): T {
  const found = known.find((value) => value === given);
  if (found === undefined) throw new ToolFailure(`The input "${key}" must be one of ${known.join(", ")}`);
  return found;
}
