import { encodeText, parsePatch, type PatchFile, type WholeFile } from "../../core/files/mod.ts";
import type { JsonObject, ToolContext, ToolOutcome } from "../../core/plugin_api/mod.ts";
import { applyHunks } from "./apply_hunks.ts";
import { commitFile, requireSeen } from "./commit_file.ts";
import { defineTool } from "./define_tool.ts";
import { type JudgedPath, judgedPath } from "./judged_path.ts";
import { readExisting } from "./read_existing.ts";
import { clipPatch, textDiff } from "./text_diff.ts";
import { ToolFailure } from "./tool_failure.ts";
import { undoWrites, type Written } from "./undo_writes.ts";

/** One file of a patch, worked out and not written yet. */
interface Planned {
  kind: "add" | "delete" | "update" | "move";
  from?: { judged: JudgedPath; whole: WholeFile };
  /** Absent where the file goes. */
  to?: { judged: JudgedPath; bytes: Uint8Array };
  before: string;
  after: string;
}

/**
 * Applies a patch to several files: `{ patch }`. Everything is worked out before the first write; when a write fails, what
 * was written before is put back.
 */
export const applyPatch = defineTool(async (input, context) => {
  const files = parsePatch(input.string("patch"));
  const planned: Planned[] = [];
  for (const file of files) planned.push(await plan(context, file));
  refuseTwice(planned);
  const written: Written[] = [];
  try {
    for (const one of planned) await carryOut(context, one, written);
  } catch (error) {
    const left = await undoWrites(context, written);
    const why = error instanceof Error ? error.message : String(error);
    throw new ToolFailure(
      left.length === 0
        ? `${why}\nNothing was changed: what had been written was put back`
        : `${why}\nThese files could not be put back and are changed: ${left.join(", ")}`,
    );
  }
  return await outcomeOf(planned, written);
});

async function plan(context: ToolContext, file: PatchFile): Promise<Planned> {
  const judged = judgedPath(context, file.path, "write");
  if (file.kind === "add") {
    await refuseExisting(judged);
    return {
      kind: "add",
      to: { judged, bytes: encodeText(file.text, "utf-8") },
      before: "",
      after: file.text,
    };
  }
  const existing = await readExisting(context, judged, false);
  if (existing === null) throw new ToolFailure(`Cannot read "${file.path}"`); // it may not be missing
  requireSeen(context, judged, existing.whole);
  const from = { judged, whole: existing.whole };
  const before = existing.text.text;
  if (file.kind === "delete") return { kind: "delete", from, before, after: "" };
  const { text, bytes } = applyHunks(existing.text, file.hunks, file.path);
  if (file.move_to === undefined) {
    if (text === before) {
      throw new ToolFailure(`Nothing to change: ${file.path} already is as the patch wants it`);
    }
    return { kind: "update", from, to: { judged, bytes }, before, after: text };
  }
  const target = judgedPath(context, file.move_to, "write");
  if (target.path === judged.path) throw new ToolFailure(`${file.path} cannot be moved to itself`);
  await refuseExisting(target);
  return { kind: "move", from, to: { judged: target, bytes }, before, after: text };
}

async function refuseExisting({ path, shown }: JudgedPath): Promise<void> {
  try {
    await Deno.lstat(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return;
    if (!(error instanceof Deno.errors.NotADirectory)) throw error;
    throw new ToolFailure(`Cannot write "${shown}": a folder on its way is a file`);
  }
  throw new ToolFailure(`${shown} exists already: update it, or delete it first`);
}

function refuseTwice(planned: readonly Planned[]): void {
  const paths = new Set<string>();
  for (const { from, to, kind } of planned) {
    const touched = kind === "move" ? [from!.judged, to!.judged] : [(to ?? from)!.judged];
    for (const { path, shown } of touched) {
      if (paths.has(path)) {
        throw new ToolFailure(`The patch names ${shown} twice: put its changes under one header`);
      }
      paths.add(path);
    }
  }
}

async function carryOut(
  context: ToolContext,
  { kind, from, to }: Planned,
  written: Written[],
): Promise<void> {
  context.signal.throwIfAborted();
  if (to !== undefined) {
    const replaces = kind === "update" ? from!.whole : null;
    const { sha256 } = await commitFile(context, to.judged, to.bytes, replaces);
    written.push({ judged: to.judged, sha256, before: replaces });
  }
  if (from === undefined || kind === "update") return;
  await Deno.remove(from.judged.path);
  written.push({ judged: from.judged, sha256: null, before: from.whole });
}

async function outcomeOf(planned: readonly Planned[], written: readonly Written[]): Promise<ToolOutcome> {
  const words: string[] = [];
  const files: JsonObject[] = [];
  const room = Math.max(600, Math.floor(8_000 / planned.length));
  for (const { kind, from, to, before, after } of planned) {
    const { patch, added, removed } = await textDiff(before, after);
    const place = (to ?? from)!.judged;
    const head = { add: "A", delete: "D", update: "M", move: "R" }[kind];
    const old = kind === "move" ? `${from!.judged.shown} -> ` : "";
    words.push(`${head} ${old}${place.shown}: +${added} -${removed}`);
    if (kind === "update" || (kind === "move" && patch !== "")) words.push(clipPatch(patch, 60, room));
    files.push({
      file_path: place.path,
      kind: kind === "add" ? "create" : kind,
      ...(kind === "move" ? { moved_from: from!.judged.path } : {}),
      added,
      removed,
      patch: kind === "add" || kind === "delete" ? "" : clipPatch(patch, 400, 20_000),
    });
  }
  const seen = written.flatMap(({ judged, sha256 }) =>
    sha256 === null ? [] : [{ path: judged.path, sha256 }]
  );
  return { content: words.join("\n"), seen, data: { files } };
}
