import type { SyntaxNode } from "./parser.ts";

/** Words that mean nothing to a shell, wherever they stand, and that the grammar never splits. */
const PLAIN = /^[A-Za-z0-9_./-]+(?: [A-Za-z0-9_./-]+)*$/;

/** What begins a construct or a declaration instead of a command. */
const RESERVED = new Set(
  ("if then else elif fi for while until do done case esac function select in time coproc " +
    "declare typeset export readonly local unset unsetenv let").split(" "),
);

/**
 * The syntax tree of a line that is one command of plain words, such as `npm test`, exactly as the grammar gives it;
 * undefined for every other line. Most commands are like that, and need no grammar.
 */
export function plainLine(text: string): SyntaxNode | undefined {
  if (!PLAIN.test(text)) return undefined;
  const words = text.split(" ");
  if (RESERVED.has(words[0] ?? "")) return undefined;
  let start = 0;
  const leaves = words.map((word) => {
    const type = /^-?[0-9]+$/.test(word) ? "number" : "word";
    const leaf = node(type, start, start + word.length, []);
    start += word.length + 1;
    return leaf;
  });
  const [first, ...rest] = leaves;
  if (first === undefined || first.type !== "word") return undefined;
  const name = node("command_name", 0, first.end, [first]);
  return node("program", 0, text.length, [node("command", 0, text.length, [name, ...rest])]);
}

function node(type: string, start: number, end: number, children: SyntaxNode[]): SyntaxNode {
  return { type, named: true, start, end, children };
}
