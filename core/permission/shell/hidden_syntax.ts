import type { SyntaxNode } from "./parser.ts";

/** Leaves that are data as they stand, whatever signs they hold. */
const DATA = new Set([
  "raw_string",
  "ansi_c_string",
  "comment",
  "heredoc_body",
  "heredoc_content",
  "heredoc_end",
]);

/**
 * Compares the tree with its text: everything between the leaves must be blank, and no leaf may hide a substitution
 * that the grammar took for plain text. Guards against places where the grammar reads other than bash does.
 */
export function findHiddenSyntax(root: SyntaxNode, source: string): string[] {
  const problems: string[] = [];
  let at = 0;
  const visit = (node: SyntaxNode): void => {
    if (node.type === "heredoc_body") {
      at = Math.max(at, node.end);
      return;
    }
    if (node.children.length > 0) {
      node.children.forEach(visit);
      return;
    }
    const gap = source.slice(at, node.start);
    if (gap !== "" && !/^(?:[ \t\n]|\\\n)*$/.test(gap)) {
      problems.push(`text that the grammar skips (${gap.trim()})`);
    }
    at = Math.max(at, node.end);
    if (DATA.has(node.type) || !node.named) return;
    const text = source.slice(node.start, node.end).replace(/\\[\s\S]/g, "");
    if (/`|\$\(|[<>]\(/.test(text)) {
      problems.push(`a substitution inside ${node.type} ${JSON.stringify(text)}`);
    }
    if (node.type !== "heredoc_start" && /\$\{|\$[A-Za-z_]/.test(text)) {
      problems.push(`an expansion inside ${node.type} ${JSON.stringify(text)}`);
    }
  };
  visit(root);
  const rest = source.slice(at);
  if (!/^(?:\s|\\\n)*$/.test(rest)) problems.push(`text that the grammar skips (${rest.trim()})`);
  return problems;
}
