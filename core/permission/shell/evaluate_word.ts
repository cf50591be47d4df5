import type { SyntaxNode } from "./parser.ts";
import type { Scope, Values } from "./scope.ts";
import { decodeAnsiC } from "./word.ts";
import type { Part, Word } from "./word.ts";

/** Where a word is evaluated, and what to do with what is found inside. */
export interface WordContext {
  source: string;
  scope: Scope;
  home: string;
  /** A command substitution or process substitution stands here: its commands run too. */
  substitution(node: SyntaxNode): void;
  problem(what: string): void;
  hazard(what: string): void;
  /** Told of each word that is expanded by itself inside another one: it may hold wildcards. */
  wildcards(word: Word): void;
}

/** Takes quotes and escapes off a word node and finds what is known of it. */
export function evaluateWord(node: SyntaxNode, context: WordContext): Word {
  const parts: Part[] = [];
  collect(node, context, parts, true);
  return { raw: textOf(node, context), parts: braces(parts) };
}

/** One word of two that the grammar split (`"r"\\m`). */
export function joinWords(first: Word, second: Word): Word {
  return { raw: first.raw + second.raw, parts: braces([...first.parts, ...second.parts]) };
}

function textOf(node: SyntaxNode, context: WordContext): string {
  return context.source.slice(node.start, node.end);
}

function collect(node: SyntaxNode, context: WordContext, parts: Part[], first: boolean): void {
  const text = textOf(node, context);
  switch (node.type) {
    case "word":
    case "number":
    case "variable_name":
    case "test_operator":
    case "regex":
      if (node.children.length > 0) parts.push({ kind: "hole", quoted: false });
      else bareText(text, context, parts, first);
      return;
    case "raw_string":
      parts.push({ kind: "text", text: text.slice(1, -1), quoted: true });
      return;
    case "ansi_c_string": {
      const decoded = decodeAnsiC(text.slice(2, -1));
      parts.push(
        decoded === undefined
          ? { kind: "hole", quoted: true }
          : { kind: "text", text: decoded, quoted: true },
      );
      return;
    }
    case "string":
      quotedText(node, context, parts);
      return;
    case "translated_string":
      for (const child of node.children) if (child.named) collect(child, context, parts, false);
      return;
    case "command_name":
    case "concatenation": {
      let at = node.start;
      node.children.forEach((child, index) => {
        if (child.start !== at) context.problem("a word with a gap in it");
        at = child.end;
        if (child.named || child.children.length > 0) collect(child, context, parts, first && index === 0);
        else bareText(textOf(child, context), context, parts, first && index === 0);
      });
      return;
    }
    case "simple_expansion":
    case "expansion":
      variable(node, context, parts, false);
      return;
    case "command_substitution":
      context.substitution(node);
      parts.push({ kind: "hole", quoted: false });
      return;
    case "process_substitution":
      context.substitution(node);
      parts.push({ kind: "text", text: "/dev/fd/63", quoted: true });
      return;
    case "arithmetic_expansion":
      arithmetic(node, context);
      parts.push({ kind: "hole", quoted: true });
      return;
    case "brace_expression":
    case "extglob_pattern":
      parts.push({ kind: "hole", quoted: false });
      return;
    case "array":
      for (const child of node.children) {
        if (!child.named) continue;
        const element: Part[] = [];
        collect(child, context, element, true);
        context.wildcards({ raw: context.source.slice(child.start, child.end), parts: element });
      }
      parts.push({ kind: "hole", quoted: true });
      return;
    default:
      context.problem(`a construct of the shell that is not known here (${node.type})`);
      parts.push({ kind: "hole", quoted: false });
  }
}

/** Unquoted text: escapes, `~` at the beginning, wildcards. */
function bareText(text: string, context: WordContext, parts: Part[], first: boolean): void {
  let rest = text;
  if (first && rest.startsWith("~")) {
    const tilde = /^~[^/\\]*/.exec(rest)?.[0] ?? "~";
    rest = rest.slice(tilde.length);
    if (tilde === "~") parts.push({ kind: "text", text: context.home, quoted: true });
    else parts.push({ kind: "hole", quoted: true });
  }
  for (const piece of rest.match(/\\\n|\\[\s\S]|[*?[\]]|[^\\*?[\]]+|\\$/g) ?? []) {
    if (piece === "\\\n") continue;
    if (piece.startsWith("\\")) parts.push({ kind: "text", text: piece.slice(1), quoted: true });
    else if (/^[*?[]$/.test(piece)) parts.push({ kind: "glob", text: piece });
    else parts.push({ kind: "text", text: piece, quoted: false });
  }
}

/** The inside of double quotes: a backslash escapes only `$`, backquote, `"`, `\` and the end of the line. */
function quotedText(node: SyntaxNode, context: WordContext, parts: Part[]): void {
  let at = node.start + 1;
  const known = (to: number) => {
    const text = context.source.slice(at, to).replace(/\\([$`"\\\n])/g, (_, c) => c === "\n" ? "" : c);
    if (text !== "") parts.push({ kind: "text", text, quoted: true });
  };
  for (const child of node.children) {
    if (!child.named || child.type === "string_content") continue;
    // the grammar lets the sign of an expansion take the blanks in front of it
    const blanks = /^\s*/.exec(textOf(child, context))?.[0].length ?? 0;
    known(child.start + blanks);
    at = child.end;
    if (child.type === "simple_expansion" || child.type === "expansion") {
      variable(child, context, parts, true);
    } else {
      const inner: Part[] = [];
      collect(child, context, inner, false);
      parts.push({ kind: "hole", quoted: true });
    }
  }
  known(node.end - 1);
}

/** Operators inside `${name…}` that only cut, replace or default text. */
const TEXT_OPERATORS = /^(:?[-+?]|##?|%%?|\/[/#%]?|\^\^?|,,?)/;

function variable(node: SyntaxNode, context: WordContext, parts: Part[], quoted: boolean): void {
  for (const child of node.children) nested(child, context);
  const text = textOf(node, context).trimStart();
  const simple = /^\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))$/.exec(text);
  const name = simple?.[1] ?? simple?.[2];
  if (name !== undefined) {
    pushValues(lookUp(name, context), quoted, parts);
    return;
  }
  const shape = /^\$\{(#?)([A-Za-z_]\w*|[0-9@*#?$!-])(?:\[(?:\d+|[@*])\])?([\s\S]*)\}$/.exec(text);
  const operator = shape?.[3] ?? "";
  const plain = /^\$[0-9@*#?$!_-]$/.test(text) ||
    (shape !== null && (operator === "" || TEXT_OPERATORS.test(operator) || /^:\d+(:\d+)?$/.test(operator)));
  if (!plain) context.hazard(`${text} can run code that its value holds`);
  // "$@" is several words even between quotes
  const several = /^\$\{?[@*]/.test(text) || /\[[@*]\]/.test(text);
  parts.push({ kind: "hole", quoted: quoted && !several });
}

/** Substitutions inside an expansion (`${x:-$(cmd)}`) run as well. */
function nested(node: SyntaxNode, context: WordContext): void {
  if (node.type === "command_substitution" || node.type === "process_substitution") {
    context.substitution(node);
  } else if (node.type === "arithmetic_expansion") arithmetic(node, context);
  else if (node.type === "expansion" || node.type === "simple_expansion") variable(node, context, [], true);
  else for (const child of node.children) nested(child, context);
}

/** Arithmetic on anything but numbers evaluates the text of variables, and with it substitutions inside them. */
function arithmetic(node: SyntaxNode, context: WordContext): void {
  if (!/^[\d\s+\-*/%()<>=&|^!~?:$[\],.]*$/.test(textOf(node, context))) {
    context.hazard(`arithmetic on a variable (${textOf(node, context)}) can run code that its value holds`);
  }
  for (const child of node.children) nested(child, context);
}

function lookUp(name: string, context: WordContext): Values {
  const values = context.scope.vars.get(name);
  if (values !== undefined) return values;
  if (name === "HOME") return [context.home];
  if (name === "PWD") return context.scope.cwds;
  return null;
}

function pushValues(values: Values, quoted: boolean, parts: Part[]): void {
  if (values === null) parts.push({ kind: "hole", quoted });
  else if (quoted) parts.push({ kind: "hole", quoted, values });
  // without quotes the shell splits the value at blanks and expands wildcards in it
  else if (values.some((value) => value === "" || /[\s*?[\]\\~{]/.test(value))) {
    const pattern = values.some((value) => /[*?[]/.test(value));
    parts.push({ kind: "hole", quoted: false, ...(pattern ? { pattern } : {}) });
  } else parts.push({ kind: "hole", quoted: true, values });
}

/** A word with `{a,b}` or `{1..3}` outside quotes becomes several words. */
function braces(parts: readonly Part[]): readonly Part[] {
  const bare = parts.map((part) => part.kind === "text" && !part.quoted ? part.text : "\0").join("");
  return /\{[\s\S]*(,|\.\.)[\s\S]*\}/.test(bare) ? [{ kind: "hole", quoted: false }] : parts;
}
