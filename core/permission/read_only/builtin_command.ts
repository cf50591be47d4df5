import { literal } from "../shell/word.ts";
import type { Word } from "../shell/word.ts";
import type { ClassifyContext, ReadOnly } from "./read_only.ts";
import { isHarmlessVariable } from "./variables.ts";

/** Judges builtins whose words mean more than options and operands; undefined for everything else. */
export function classifyBuiltin(words: readonly Word[], context: ClassifyContext): ReadOnly | undefined {
  const name = literal(words[0]) ?? "";
  switch (name) {
    case "cd":
      return classifyCd(words, context);
    case "test":
    case "[":
      return classifyTest(words.slice(1, name === "[" ? -1 : undefined), false);
    case "[[":
      return classifyTest(words.slice(1, -1), true);
    case "((":
      return words.every((word) => /^[\d\s+\-*/%()<>=&|^!~?:]*$/.test(literal(word) ?? "x"))
        ? { paths: [] }
        : { reason: "arithmetic on a variable", paths: [] };
    case "read":
      return classifyRead(words.slice(1));
    case "local":
    case "declare":
    case "export":
    case "readonly":
    case "typeset":
    case "unset":
      return words.length === 1 && context.command.assignments.length === 0
        ? { reason: `${name} alone shows all variables`, paths: [] }
        : classifyDeclaration(name, words.slice(1));
    default:
      return undefined;
  }
}

function classifyCd(words: readonly Word[], { cwds }: ClassifyContext): ReadOnly {
  const operands = words.slice(1).filter((word) => literal(word) !== "--");
  const target = literal(operands[0]);
  if (
    operands.length !== 1 || target === undefined || target.startsWith("-") || target === "" || cwds === null
  ) {
    return { reason: "cd to a folder that is known only when the line runs", paths: [] };
  }
  // a folder is read like a file: going out of the workspace is judged by its path
  return {
    paths: [{ argument: { texts: [target], raw: target, prefix: "", several: false }, recursive: false }],
  };
}

const UNARY = /^(!|-[abcdefghknoprstuwxzGLNOS])$/;
const BINARY = /^(=|==|!=|=~|<|>|-(eq|ne|lt|le|gt|ge|nt|ot|ef)|-[ao]|&&|\|\||\(|\))$/;
const ARITHMETIC = /^-(eq|ne|lt|le|gt|ge)$/;

/**
 * `-v` and `-R` evaluate subscripts, and `[[` evaluates arithmetic on what stands beside `-eq`: both can run code from a
 * variable. Unknown words may stand only where an operator beside them fixes that they are operands.
 */
function classifyTest(words: readonly Word[], double: boolean): ReadOnly {
  const texts = words.map(literal);
  for (const [index, text] of texts.entries()) {
    if (text === "-v" || text === "-R") return { reason: "test -v can run code from a variable", paths: [] };
    const before = texts[index - 1];
    const after = texts[index + 1];
    if (double && text !== undefined && ARITHMETIC.test(text)) {
      if (![before, after].every((side) => /^-?\d+$/.test(side ?? ""))) {
        return { reason: "[[ evaluates arithmetic on a variable", paths: [] };
      }
    }
    if (text !== undefined || double) continue;
    const held = (before !== undefined && (UNARY.test(before) || BINARY.test(before))) ||
      (after !== undefined && BINARY.test(after));
    if (!held || words[index]?.parts.some((part) => part.kind === "hole" && !part.quoted) === true) {
      return { reason: "an unknown word may be an operator of test", paths: [] };
    }
  }
  return { paths: [] };
}

function classifyRead(words: readonly Word[]): ReadOnly {
  let at = 0;
  for (; at < words.length; at++) {
    const text = literal(words[at]);
    if (text === undefined || !/^-[rsepadntNiu]/.test(text)) break;
    if (text.startsWith("-a")) break;
    if (/^-[rse]*[dnptNiu]$/.test(text)) at += 1;
  }
  for (const word of words.slice(at)) {
    const name = literal(word);
    if (name === undefined || !isHarmlessVariable(name)) {
      return { reason: `read sets ${word.raw}, which can change what programs do`, paths: [] };
    }
  }
  return { paths: [] };
}

function classifyDeclaration(keyword: string, words: readonly Word[]): ReadOnly {
  for (const word of words) {
    const text = literal(word);
    if (text !== undefined && /^-[grxlu]+$/.test(text)) continue;
    if (text === undefined || !isHarmlessVariable(text)) {
      return { reason: `${keyword} of ${word.raw} can change what programs do`, paths: [] };
    }
  }
  return { paths: [] };
}
