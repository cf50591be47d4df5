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
  /** Where a here-document of a plain command starts: a lone `-` before it has no node, and is read all the same. */
  let heredoc = -1;
  const visit = (node: SyntaxNode): void => {
    if (node.type === "heredoc_body") {
      // its text is data, but what it substitutes is code
      for (const child of node.children) {
        if (!child.named || child.type === "heredoc_content") continue;
        at = Math.max(at, child.start);
        visit(child);
      }
      at = Math.max(at, node.end);
      return;
    }
    if (endsInBracket(node, source)) {
      problems.push("a line end between [ and ], where the command ends for the shell");
    }
    if (node.type === "command_substitution" && escapesInBackquotes(source.slice(node.start, node.end))) {
      problems.push("an escape inside backquotes, which the shell takes off before it reads them");
    }
    if (node.children.length > 0) {
      node.children.forEach((child, index) => {
        const before = node.children[index - 1];
        if (child.type === "heredoc_redirect" && node.children[0]?.type === "command") heredoc = child.start;
        if (before !== undefined && ONE_LINE.test(node.type) && holdsLineEnd(before, child, source)) {
          problems.push("a line end inside a command");
        }
        if (before !== undefined && isSplitWord(node, before, child, source)) {
          problems.push(`a word that the grammar splits (${source.slice(before.start, child.end)})`);
        }
        visit(child);
      });
      return;
    }
    const gap = source.slice(at, node.start);
    const dash = node.start === heredoc && /^[ \t]+-[ \t]*$/.test(gap);
    if (gap !== "" && !dash && !/^(?:[ \t\n]|\\\n)*$/.test(gap)) {
      problems.push(`text that the grammar skips (${gap.trim()})`);
    }
    at = Math.max(at, node.end);
    if (DATA.has(node.type) || !node.named) return;
    const text = source.slice(node.start, node.end).replace(/\\[\s\S]/g, "");
    // the grammar takes a line end in front of a backslash into the next word
    if (/^(word|command_name|variable_name|number)$/.test(node.type) && /[\s;&|<>()]/.test(text)) {
      problems.push(`a sign of the shell inside ${node.type} ${JSON.stringify(text)}`);
    }
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

/** Between backquotes `\\$(x)` runs x, and `` \\` `` opens another substitution: the grammar sees plain text there. */
function escapesInBackquotes(text: string): boolean {
  return text.trimStart().startsWith("`") && /\\[$`"\\\n]/.test(text);
}

/** `[` is a program and its words end with the line; the grammar looks for the `]` on the next ones too. */
function endsInBracket(node: SyntaxNode, source: string): boolean {
  return node.type === "test_command" && source[node.start] === "[" && source[node.start + 1] !== "[" &&
    source.slice(node.start, node.end).replaceAll("\\\n", "").includes("\n");
}

/** Nodes that a line end finishes. The grammar passes over one that a line continuation follows. */
const ONE_LINE =
  /^(command|declaration_command|unset_command|variable_assignments|negated_command|redirected_statement|\w+_redirect)$/;

function holdsLineEnd(before: SyntaxNode, node: SyntaxNode, source: string): boolean {
  return !/^heredoc_(body|end)$/.test(node.type) &&
    source.slice(before.end, node.start).replaceAll("\\\n", "").includes("\n");
}

const WORDS =
  /^(word|number|string|raw_string|ansi_c_string|translated_string|concatenation|simple_expansion|expansion|command_substitution|process_substitution|arithmetic_expansion|brace_expression|extglob_pattern|variable_name|variable_assignment)$/;
/** Nodes whose parts stand side by side by their nature. */
const JOINED =
  /^(concatenation|string|translated_string|expansion|simple_expansion|subscript|command_name|heredoc_body|arithmetic_expansion|variable_assignment|c_style_for_statement|postfix_expression)$/;

/** True for two words without a blank between them; those of a command `lower.ts` joins again. */
function isSplitWord(parent: SyntaxNode, before: SyntaxNode, node: SyntaxNode, source: string): boolean {
  if (JOINED.test(parent.type) || !WORDS.test(node.type)) return false;
  if (!touches(before, node, source)) return false;
  if (/_redirect$/.test(before.type)) return true;
  if (parent.type === "command") return before.type === "variable_assignment";
  return WORDS.test(before.type);
}

/** True when nothing separates two nodes for the shell: a line continuation alone does not. */
export function touches(before: SyntaxNode, node: SyntaxNode, source: string): boolean {
  return source.slice(before.end, node.start).replaceAll("\\\n", "") === "";
}
