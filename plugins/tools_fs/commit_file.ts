import { dirname } from "node:path";
import {
  fileErrorCode,
  hashOf,
  isInside,
  makeDirectories,
  replaceFile,
  type Replacement,
  type WholeFile,
} from "../../core/files/mod.ts";
import type { ToolContext } from "../../core/plugin_api/mod.ts";
import type { JudgedPath } from "./judged_path.ts";
import { ToolFailure } from "./tool_failure.ts";

/** Files up to this size are changed; they are held in memory as a whole. */
export const EDIT_LIMIT = 32 * 1024 * 1024;

/**
 * Refuses to change a file that the model has not seen, or not in its present state, by the hash of its raw bytes. An
 * empty file has nothing to see.
 */
export function requireSeen(context: ToolContext, { path, shown }: JudgedPath, file: WholeFile): void {
  if (file.bytes.length === 0) return;
  const seen = context.seen[path];
  if (seen === undefined) throw new ToolFailure(`${shown} exists and has not been read yet: Read it first`);
  if (seen !== file.sha256) {
    throw new ToolFailure(`${shown} changed on disk since it was read: Read it again before changing it`);
  }
}

/** What was written, for the result. */
export interface Committed extends Replacement {
  sha256: string;
  /** There was no file before. */
  created: boolean;
}

/**
 * Writes the bytes of a judged path, making its folders when it is new (`old` null). A call that may touch this file
 * alone makes no folder.
 */
export async function commitFile(
  context: ToolContext,
  { path, shown }: JudgedPath,
  bytes: Uint8Array,
  old: WholeFile | null,
): Promise<Committed> {
  context.signal.throwIfAborted();
  const folder = dirname(path);
  const beside = context.write_roots.some((root) => isInside(root, folder));
  if (old === null && beside) await makeDirectories(folder);
  const replacement = await replaceFile(path, bytes, old?.file ?? null, beside).catch((error) => {
    if (old !== null || fileErrorCode(error) !== "files.not_found") throw error;
    throw new ToolFailure(`Cannot write "${shown}": its folder ${folder} does not exist; make it first`);
  });
  const sha256 = await hashOf(bytes);
  return { ...replacement, sha256, created: old === null };
}

/** What people must know about how a file was written; an empty text when it went the usual way. */
export function commitNote(committed: Committed): string {
  if (committed.own_copy) return "\nIt had further hard links: those names keep the old content.";
  return committed.method === "in_place" && !committed.created
    ? "\nNo new file could be put in its place, so it was written in place."
    : "";
}
