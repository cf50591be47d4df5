import type { Stats } from "node:fs";
import { lstat, readlink, realpath } from "node:fs/promises";
import { join } from "node:path";
import { fileError, shownPath } from "../../core/files/mod.ts";
import type { ToolContext } from "../../core/plugin_api/mod.ts";
import { defineTool } from "./define_tool.ts";
import { hintedFailure } from "./hinted_failure.ts";
import { isDenied, judgedPath } from "./judged_path.ts";
import { ToolFailure } from "./tool_failure.ts";

const MOST_SHOWN = 1000;
/** Names that are read and sorted of one folder. */
const MOST_READ = 50_000;
/** Folders that are listed but not entered when `depth` is more than 1. */
const NOT_ENTERED = new Set([".git", "node_modules"]);

/** Shows the names in a folder: `{ path?, depth? }`, sorted, hidden ones too, links never followed. */
export const list = defineTool(async (input, context) => {
  const shown = input.string("path", ".");
  const depth = input.integer("depth", 1, 1, 3);
  const judged = judgedPath(context, shown, "read", true);
  const listing: Listing = { context, lines: [], left_out: 0, entries: 0 };
  try {
    const stats = await lstat(judged.path);
    if (!stats.isDirectory()) throw new ToolFailure(`Cannot list "${shown}": it is a file; use Read`);
    if (await realpath(judged.path) !== judged.path) {
      throw new ToolFailure(`Cannot list "${shown}": it moved; try again`);
    }
    await listFolder(listing, judged.path, "", depth);
  } catch (error) {
    if (context.signal.aborted || error instanceof ToolFailure) throw error;
    throw await hintedFailure(context, judged, fileError("list", shown, error));
  }
  const { entries, left_out, lines } = listing;
  const more = left_out > 0 ? `\n[PARTIAL: ${left_out} more entries; list a subfolder, or use Glob]` : "";
  const head = entries === 0 ? `${judged.path} is empty` : `${judged.path} (${entries} entries)`;
  return {
    content: [head, ...lines].join("\n") + more,
    data: { path: judged.path, entries, shown: lines.length, partial: left_out > 0 },
  };
});

interface Listing {
  context: ToolContext;
  lines: string[];
  entries: number;
  left_out: number;
}

async function listFolder(listing: Listing, folder: string, prefix: string, depth: number): Promise<void> {
  const names = await namesOf(folder);
  listing.entries += names.length;
  for (const [index, name] of names.entries()) {
    listing.context.signal.throwIfAborted();
    if (listing.lines.length >= MOST_SHOWN) {
      listing.left_out += names.length - index;
      return;
    }
    const path = join(folder, name);
    const stats = await lstat(path).catch(() => null); // gone meanwhile, or closed: the name is still worth showing
    const label = shownPath(prefix + name);
    if (!stats?.isDirectory()) {
      listing.lines.push(label + await ending(path, stats));
      continue;
    }
    const enter = depth > 1 && !NOT_ENTERED.has(name) && !isDenied(listing.context, path, "read", true);
    listing.lines.push(`${label}/${depth > 1 && !enter ? "  (not entered)" : ""}`);
    if (!enter) continue;
    try {
      await listFolder(listing, path, `${prefix}${name}/`, depth - 1);
    } catch (error) {
      if (listing.context.signal.aborted) throw error;
      // one closed folder does not spoil the rest
      listing.lines.push(`${label}/  (${fileError("list", label, error).message})`);
    }
  }
}

async function namesOf(folder: string): Promise<string[]> {
  const names: string[] = [];
  for await (const entry of Deno.readDir(folder)) {
    names.push(entry.name);
    if (names.length > MOST_READ) {
      throw new ToolFailure(`${folder} has more than ${MOST_READ} entries; use Glob`);
    }
  }
  return names.sort();
}

async function ending(path: string, stats: Stats | null): Promise<string> {
  if (stats === null) return "  (cannot be read)";
  if (stats.isSymbolicLink()) return ` -> ${await readlink(path).catch(() => "?")}`;
  return stats.isFile() ? `  ${sizeText(stats.size)}` : "  (special file)";
}

function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const units = ["kB", "MB", "GB", "TB"];
  let value = bytes / 1000;
  let unit = 0;
  while (value >= 999.95 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${value.toFixed(1)} ${units[unit]}`;
}
