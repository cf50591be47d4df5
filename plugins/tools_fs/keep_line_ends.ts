import { lineEnds, withLf } from "../../core/files/mod.ts";

/** Longer comparisons than this fall back to the most common line end, milliseconds. */
const PATIENCE = 300;

/**
 * `content` with the line ends of the text it replaces: a line that stays keeps its own, a new line takes that of the
 * line before it. Content that has CR itself is taken as it stands.
 */
export async function keepLineEnds(old_text: string, content: string): Promise<string> {
  if (content.includes("\r") || !old_text.includes("\r")) return content;
  const ends = lineEnds(old_text);
  const first = ends[0] ?? "\n";
  if (ends.every((end) => end === first)) return content.replaceAll("\n", () => first);
  const { diffArrays } = await import("diff");
  const parts = diffArrays(withLf(old_text).split("\n"), content.split("\n"), { timeout: PATIENCE });
  if (parts === undefined) {
    const crlf = ends.filter((end) => end === "\r\n").length;
    return crlf * 2 > ends.length ? content.replaceAll("\n", "\r\n") : content;
  }
  const kept: string[] = [];
  let line = 0; // of the old text
  for (const part of parts) {
    if (part.removed) line += part.value.length;
    else if (part.added) { for (const text of part.value) kept.push(text, kept.at(-1) ?? first); }
    else for (const text of part.value) kept.push(text, ends[line++] ?? kept.at(-1) ?? first);
  }
  kept.pop(); // the last piece of a split is not followed by a line end
  return kept.join("");
}
