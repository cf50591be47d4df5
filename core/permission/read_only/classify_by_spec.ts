import { parsedCall, sortArguments } from "./arguments.ts";
import type { Argument, SortedArguments } from "./arguments.ts";
import type { ProgramSpec } from "./program_spec.ts";
import { fixed, no } from "./read_only.ts";
import type { ReadOnly, ReadPath } from "./read_only.ts";

/** Judges arguments by a table entry. */
export function classifyBySpec(name: string, args: readonly Argument[], spec: ProgramSpec): ReadOnly {
  const sorted = sortArguments(args, spec);
  if (typeof sorted === "string") return no(`${name}: ${sorted}`);
  if (spec.response_files === true && sorted.operands.some(mayBeResponseFile)) {
    return no(`${name}: an operand may name a file of options`);
  }
  const against = spec.check?.(parsedCall(sorted));
  if (against !== undefined) return no(against);
  const files = fileOperands(sorted, spec);
  if (spec.operands === "none" && sorted.operands.length > 0) return no(`${name} with an operand`);
  const { max_operands } = spec;
  if (
    max_operands !== undefined &&
    (sorted.operands.length > max_operands || sorted.operands.some((operand) => operand.several))
  ) return no(`${name} with a file that it may write`);
  const visible = name === "rg" &&
    !sorted.options.some((option) => /^(-u|-\.|--hidden|--unrestricted|--no-ignore)/.test(option.name));
  const recursive: ReadPath["recursive"] = spec.recursive === true && (visible ? "visible" : true);
  const paths: ReadPath[] = [...files, ...sorted.option_paths].map((argument) => ({ argument, recursive }));
  if (spec.default_cwd === true && files.length === 0) paths.push({ argument: fixed("."), recursive });
  return { paths, ...(spec.follows === true ? { scan: files.flatMap(({ texts }) => texts) } : {}) };
}

function fileOperands({ options, operands }: SortedArguments, spec: ProgramSpec): Argument[] {
  const files = spec.operands === "paths" || spec.operands === "text-then-paths" ? operands : [];
  const pattern_given = options.some(({ name }) => spec.pattern_options?.includes(name));
  const kept = spec.operands === "text-then-paths" && !pattern_given ? files.slice(1) : files;
  return kept.filter((file) => onlyDash(file) === false);
}

function mayBeResponseFile({ texts, prefix }: Argument): boolean {
  return texts.length > 0
    ? texts.some((text) => text.startsWith("@"))
    : prefix === "" || prefix.startsWith("@");
}

function onlyDash({ texts }: Argument): boolean {
  return texts.length === 1 && texts[0] === "-";
}
