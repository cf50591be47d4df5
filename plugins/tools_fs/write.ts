import { encodeText, joinBytes } from "../../core/files/mod.ts";
import { commitFile, commitNote, requireSeen } from "./commit_file.ts";
import { defineTool } from "./define_tool.ts";
import { judgedPath } from "./judged_path.ts";
import { keepLineEnds } from "./keep_line_ends.ts";
import { type ExistingFile, readExisting } from "./read_existing.ts";
import { clipPatch, textDiff } from "./text_diff.ts";
import { ToolFailure } from "./tool_failure.ts";

/**
 * Writes a whole file: `{ file_path, content }`. A file that exists must have been read and keeps its encoding, byte
 * order mark and line ends; folders of a new one are made.
 */
export const write = defineTool(async (input, context) => {
  const shown = input.string("file_path");
  const content = input.string("content");
  if (/[\\/]$/.test(shown)) throw new ToolFailure(`Cannot write "${shown}": it names a folder, not a file`);
  const judged = judgedPath(context, shown, "write");
  const existing = await readExisting(context, judged, true);
  if (existing !== null) requireSeen(context, judged, existing.whole);
  const bytes = existing === null ? encodeText(content, "utf-8") : await encodedLike(existing, content);
  const committed = await commitFile(context, judged, bytes, existing?.whole ?? null);
  const { patch, added, removed } = await textDiff(existing?.text.text ?? "", content);
  const created = existing === null;
  return {
    content: `${created ? "Created" : "Wrote"} ${shown}: +${added} -${removed}, ${bytes.length} bytes${
      commitNote(committed)
    }${created || patch === "" ? "" : `\n${clipPatch(patch, 60, 4000)}`}`,
    seen: [{ path: judged.path, sha256: committed.sha256 }],
    data: {
      file_path: judged.path,
      kind: created ? "create" : "update",
      added,
      removed,
      bytes: bytes.length,
      method: committed.method,
      patch: created ? "" : clipPatch(patch, 400, 20_000),
    },
  };
});

async function encodedLike({ text }: ExistingFile, content: string): Promise<Uint8Array> {
  const { encoding, bom } = text.format;
  const body = await keepLineEnds(text.text, bom > 0 ? content.replace(/^\ufeff/, "") : content);
  return joinBytes([text.bytes.subarray(0, bom), encodeText(body, encoding)]);
}
