import { expandGlob } from "../shell/expand_glob.ts";
import { knownPrefix, knownTexts, maySplit } from "../shell/word.ts";
import type { Word } from "../shell/word.ts";
import type { ParsedCall, ProgramSpec } from "./program_spec.ts";

/** One argument as the program may get it. */
export interface Argument {
  /** All texts it can be; empty when it is not known. */
  texts: readonly string[];
  raw: string;
  /** Known text in front of an unknown rest. */
  prefix: string;
  /** It can be several arguments, or none. */
  several: boolean;
}

/** Arguments sorted by a spec, each kept with all that is known of it. */
export interface SortedArguments {
  options: { name: string; value?: Argument }[];
  operands: Argument[];
  /** Files that options name. */
  option_paths: Argument[];
}

/** Expands words as the shell does: wildcards by what stands on disk now. */
export function expandArguments(words: readonly Word[], cwds: readonly string[] | null): Argument[] {
  return words.map((word): Argument => {
    const unknown = { texts: [], raw: word.raw, prefix: knownPrefix(word), several: maySplit(word) };
    if (!word.parts.some((part) => part.kind === "glob")) {
      const texts = maySplit(word) ? undefined : knownTexts(word);
      return texts === undefined ? unknown : { texts, raw: word.raw, prefix: "", several: false };
    }
    if (cwds === null) return { ...unknown, several: true };
    const names: string[] = [];
    for (const cwd of cwds) {
      const found = expandGlob(word, cwd);
      if (found === undefined) return { ...unknown, several: true };
      names.push(...found);
    }
    return { texts: [...new Set(names)], raw: word.raw, prefix: "", several: names.length > cwds.length };
  });
}

/** The argument's text when there is only one it can be. */
export function onlyText(argument: Argument | undefined): string | undefined {
  return argument !== undefined && argument.texts.length === 1 && !argument.several
    ? argument.texts[0]
    : undefined;
}

/**
 * Sorts arguments into options and operands as GNU programs do (options may follow operands, `--` ends them). A text is
 * the reason why the call is not known to be harmless: mostly an option the spec does not name.
 */
export function sortArguments(args: readonly Argument[], spec: ProgramSpec): SortedArguments | string {
  const sorted: SortedArguments = { options: [], operands: [], option_paths: [] };
  const take = (name: string, value?: Argument): void => {
    sorted.options.push(value === undefined ? { name } : { name, value });
    // of several words only the first is the value (`nl -d src/*`)
    if (value?.several === true) sorted.operands.push(value);
    if (value !== undefined && spec.path_values?.includes(name)) sorted.option_paths.push(value);
  };
  // should the program not take the word for a value after all, it would be an option that nobody has looked at
  const doubtful = (name: string, value: Argument | undefined): boolean =>
    value !== undefined && spec.harmless !== true && spec.pattern_options?.includes(name) !== true &&
    !isOperand(value) && !(value.texts.length > 0 && value.texts.every((one) => /^-\d+$/.test(one)));
  let only_operands = false;
  for (let at = 0; at < args.length; at++) {
    const argument = args[at];
    if (argument === undefined) break;
    const text = onlyText(argument);
    if (only_operands || isOperand(argument)) {
      sorted.operands.push(argument);
      continue;
    }
    if (text === undefined) {
      // a file whose name is an option (`wc -*`) can bring in what no spec names
      const hidden = spec.operands !== "text" && argument.texts.some((one) => /^-./.test(one));
      if (spec.harmless !== true || hidden) return `${argument.raw} may be an option`;
      sorted.operands.push(argument);
      // it may be an option that names a file, or bring further words
      if (spec.operands !== "text" && argument.texts.length === 0) sorted.option_paths.push(argument);
      continue;
    }
    if (spec.options_first === true && sorted.operands.length > 0) {
      return `${argument.raw} stands behind an operand, where it is no option`;
    }
    if (text === "--") {
      only_operands = spec.drops_end !== true;
      continue;
    }
    if (spec.number === true && /^-\d+$/.test(text)) continue;
    const [, name = text, glued] = /^(--[^=]+)=([\s\S]*)$/.exec(text) ?? [];
    if (glued !== undefined) {
      if (!spec.long?.includes(name) && !spec.long_values?.includes(name)) {
        return refuse(name, spec, args, sorted);
      }
      take(name, { texts: [glued], raw: text, prefix: "", several: false });
    } else if (spec.long_pairs?.includes(name)) {
      if (args[at + 1]?.several === true) return `${args[at + 1]?.raw} may be several words`;
      take(name, args[at + 2]);
      at += 2;
    } else if (spec.long_values?.includes(name)) {
      if (doubtful(name, args[at + 1])) return `${args[at + 1]?.raw} may be an option`;
      take(name, args[++at]);
    } else if (spec.long?.includes(name)) take(name);
    else if (name.startsWith("--")) return refuse(name, spec, args, sorted);
    else {
      for (let letter = 1; letter < text.length; letter++) {
        const flag = text[letter] ?? "";
        if (spec.flags?.includes(flag)) take(`-${flag}`);
        else if (spec.glued?.includes(flag)) {
          const rest = text.slice(letter + 1);
          take(`-${flag}`, { texts: [rest], raw: text, prefix: "", several: false });
          break;
        } else if (spec.values?.includes(flag)) {
          const rest = text.slice(letter + 1);
          if (rest === "" && doubtful(`-${flag}`, args[at + 1])) {
            return `${args[at + 1]?.raw} may be an option`;
          }
          if (rest === "") take(`-${flag}`, args[++at]);
          else take(`-${flag}`, { texts: [rest], raw: text, prefix: "", several: false });
          break;
        } else return refuse(`-${flag}`, spec, args, sorted);
      }
    }
  }
  return sorted;
}

function refuse(
  option: string,
  spec: ProgramSpec,
  args: readonly Argument[],
  sorted: SortedArguments,
): string | SortedArguments {
  if (spec.harmless === true && spec.operands === "text") return { ...sorted, operands: [...args] };
  return `its option ${option} is not known to be harmless`;
}

/** True when no text of it can be an option. */
function isOperand({ texts, prefix }: Argument): boolean {
  if (texts.length > 0) return texts.every((text) => text === "-" || !text.startsWith("-"));
  return prefix !== "" && !prefix.startsWith("-");
}

/** What a spec's own check sees: known texts alone; an unknown one is a lone `-`, which no check takes for harmless. */
export function parsedCall(sorted: SortedArguments): ParsedCall {
  return {
    options: sorted.options.map(({ name, value }) => {
      const text = value === undefined ? undefined : onlyText(value) ?? "-";
      return text === undefined ? { name } : { name, value: text };
    }),
    // what can be several words counts as two, so that no check takes it for a single one
    operands: sorted.operands.flatMap((operand) => operand.several ? ["-", "-"] : [onlyText(operand) ?? "-"]),
  };
}
