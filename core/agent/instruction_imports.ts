/** A line `@path` in an instruction file. */
export interface ImportMention {
  /** As it is written, without the sign. */
  path: string;
  /** Written as a path (`./x`, `~/x`, `/x`, or with an extension): one that is not there is worth a warning. */
  certain: boolean;
}

const MENTION = /(?<=^|[\s(])@((?:\\ |[^\s`])+)/g;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** The imports of a text, in their order and each once; what stands in code spans and fences is none. */
export function findImports(text: string): ImportMention[] {
  const found = new Map<string, ImportMention>();
  let fence = "";
  for (const line of text.split("\n")) {
    const mark = FENCE.exec(line)?.[1];
    if (fence !== "") {
      if (mark !== undefined && mark.startsWith(fence) && line.trim() === mark) fence = "";
      continue;
    }
    if (mark !== undefined) {
      fence = mark;
      continue;
    }
    for (const [, raw = ""] of withoutCode(line).matchAll(MENTION)) {
      const path = raw.replaceAll("\\ ", " ").replace(/[.,;:!?)\]"'*_]+$/, "");
      if (path === "" || found.has(path)) continue;
      const certain = /^(?:\.{1,2}\/|~\/|\/)/.test(path) || /\.[A-Za-z]\w{0,9}$/.test(path);
      found.set(path, { path, certain });
    }
  }
  return [...found.values()];
}

/** A line without its code spans; an opening mark that nothing closes opens none. */
function withoutCode(line: string): string {
  return line.replace(/(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)/g, " ");
}
