import type { Word } from "../shell/word.ts";
import { expandArguments, onlyText, sortArguments } from "./arguments.ts";
import { no } from "./read_only.ts";
import type { ClassifyContext, ReadOnly } from "./read_only.ts";
import { list } from "./program_spec.ts";
import type { ProgramSpec } from "./program_spec.ts";

const TAR: ProgramSpec = {
  flags: "tvzjJ",
  values: "f",
  long: list("--list --verbose --gzip --bzip2 --xz --zstd --auto-compress --numeric-owner --full-time"),
  long_values: list("--file --exclude"),
  path_values: list("-f --file"),
  operands: "text",
};

/** `tar` reads when it only lists an archive that is a file here. */
export function classifyTar(words: readonly Word[], context: ClassifyContext): ReadOnly {
  const args = expandArguments(words.slice(1), context.cwds);
  const first = onlyText(args[0]);
  const [head, ...rest] = args;
  // without a dash the values stand behind, in the order of their letters: `tar tfv x` reads x
  if (first !== undefined && /^[a-zA-Z]*f[a-zA-Z]+$/.test(first)) {
    return no("tar: which word is the archive is not certain");
  }
  // `tar tzf x` has its options without a dash
  const dashed = first !== undefined && /^[a-zA-Z]+$/.test(first) && head !== undefined
    ? [{ ...head, texts: [`-${first}`] }, ...rest]
    : args;
  const sorted = sortArguments(dashed, TAR);
  if (typeof sorted === "string") return no(`tar: ${sorted}`);
  if (!sorted.options.some(({ name }) => name === "-t" || name === "--list")) {
    return no("tar without -t writes files");
  }
  for (const archive of sorted.option_paths) {
    if (onlyText(archive) === undefined || onlyText(archive)?.includes(":")) {
      return no("tar: the archive may be remote");
    }
  }
  return { paths: sorted.option_paths.map((argument) => ({ argument, recursive: false })) };
}
