import type { SyntaxNode } from "./parser.ts";
import { textWord, unknownWord } from "./word.ts";
import type { Word } from "./word.ts";

/** What a here-document feeds to its command, and the expansions inside an unquoted one. */
export interface Heredoc {
  text: Word;
  substitutions: SyntaxNode[];
  problem?: string;
}

/**
 * Reads the body of a here-document. Behind a quoted delimiter it is plain data; else the shell expands `$…` and
 * backquotes in it. The grammar does not see backquotes there, so they are a problem.
 */
export function heredocText(node: SyntaxNode, source: string): Heredoc {
  const start = node.children.find((child) => child.type === "heredoc_start");
  const body = node.children.find((child) => child.type === "heredoc_body");
  const delimiter = start === undefined ? "" : source.slice(start.start, start.end);
  const unknown = unknownWord("<<");
  if (!/^([A-Za-z0-9_.-]+|'[^'\n]+'|"[^"\n$`\\]+"|\\[A-Za-z0-9_]+)$/.test(delimiter)) {
    return { text: unknown, substitutions: [], problem: "a here-document with an unusual delimiter" };
  }
  const text = body === undefined ? "" : source.slice(body.start, body.end);
  const end = node.children.find((child) => child.type === "heredoc_end");
  const name = delimiter.replace(/^['"\\]|['"]$/g, "");
  // the shell ends it at a line that is the name and nothing else, the grammar at one that begins so
  const from = end === undefined ? 0 : source.lastIndexOf("\n", end.start) + 1;
  const ending = source.slice(from).split("\n", 1)[0] ?? "";
  const tabs = source.slice(node.start).startsWith("<<-");
  if (end === undefined || (tabs ? ending.replace(/^\t+/, "") : ending) !== name) {
    return { text: unknown, substitutions: [], problem: "a here-document without its end" };
  }
  const earlier = text.split("\n").slice(0, -1).some((line) =>
    line === name || (tabs && line.replace(/^\t+/, "") === name)
  );
  if (earlier) return { text: unknown, substitutions: [], problem: "a here-document with two ends" };
  if (/^['"\\]/.test(delimiter)) return { text: textWord(text), substitutions: [] };
  const substitutions = (body?.children ?? []).filter((child) =>
    child.named && child.type !== "heredoc_content"
  );
  const bare = /(^|[^\\])(\\\\)*`/.test(text);
  if (bare) return { text: unknown, substitutions, problem: "backquotes in a here-document" };
  const seen = substitutions.map((child) => source.slice(child.start, child.end)).join("").match(/\$/g) ?? [];
  const written = text.replace(/\\[\s\S]/g, "").match(/\$[A-Za-z_0-9({@*#?$!-]/g) ?? [];
  if (written.length > seen.length) {
    return { text: unknown, substitutions, problem: "expansions in a here-document that the grammar misses" };
  }
  return { text: written.length === 0 ? textWord(text.replace(/\\([$\\])/g, "$1")) : unknown, substitutions };
}
