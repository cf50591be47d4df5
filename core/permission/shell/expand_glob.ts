import type { Word } from "./word.ts";

/** Folder entries looked at for one word before it counts as unknown. */
const MAX_ENTRIES = 4000;
const MAX_MATCHES = 256;

/**
 * The names that the shell makes of a word with wildcards in `cwd`, at least: brackets count as any text up to the next slash. A
 * pattern without a match stays as it is, as in bash. Undefined when the folders hold too much to look at, or when the
 * word has a part that is not known. The folders that the shell lists on the way are added to `listed`.
 */
export function expandGlob(word: Word, cwd: string, listed: string[] = []): string[] | undefined {
  const segments = patternSegments(word);
  if (segments === undefined) return undefined;
  let found = [""];
  let budget = MAX_ENTRIES;
  let certain = true;
  for (const [index, segment] of segments.entries()) {
    const last = index === segments.length - 1;
    if (segment.pattern === undefined) {
      const next = last ? found.filter((path) => exists(cwd, path + segment.text)) : found;
      found = next.map((path) => path + segment.text + (last ? "" : "/"));
      continue;
    }
    const matches: string[] = [];
    for (const path of found) {
      listed.push(folder(cwd, path));
      // shells older than bash 5.2 let `.*` stand for the folder itself and for the one above
      const dots = segment.text.startsWith(".") ? [".", ".."] : [];
      for (const name of [...entries(folder(cwd, path)), ...dots]) {
        if (--budget < 0) return undefined;
        if (!segment.pattern.test(name)) continue;
        certain &&= segment.exact?.test(name) === true && !dots.includes(name);
        matches.push(path + name + (last ? "" : "/"));
      }
    }
    if (matches.length > MAX_MATCHES) return undefined;
    found = matches;
  }
  // what only the wider reading finds, the shell may not find
  return found.length > 0 && certain ? found : [...found, plainText(word)];
}

interface Segment {
  text: string;
  /** Takes at least what the shell takes: in some locales `?` is a byte, of which a character has up to four. */
  pattern?: RegExp;
  /** Takes exactly that where a character is one; absent with brackets. */
  exact?: RegExp;
}

/** Stands for one character in a pattern that is being made. */
const ONE = "\uE000";

function patternSegments(word: Word): Segment[] | undefined {
  const segments: Segment[] = [];
  let text = "";
  let source = "";
  let wild = false;
  const end = () => {
    const dots = source.startsWith("\\.") ? "" : "(?!\\.)";
    const wide = source.replaceAll(ONE, ".{0,2}");
    const exact = source.replaceAll(ONE, ".");
    const pattern = new RegExp(`^${dots}${wide}$`, "s");
    segments.push(
      !wild
        ? { text }
        : in_bracket
        ? { text, pattern }
        : { text, pattern, exact: new RegExp(`^${dots}${exact}$`, "su") },
    );
    text = source = "";
    wild = in_bracket = false;
  };
  let in_bracket = false;
  for (const part of word.parts) {
    if (part.kind === "hole" && part.values?.length !== 1) return undefined;
    const known = part.kind === "hole" ? part.values?.[0] ?? "" : part.text;
    for (const char of known) {
      if (char === "/") {
        end();
        continue;
      }
      text += char;
      if (in_bracket) continue;
      if (part.kind === "glob" && char === "[") {
        in_bracket = wild = true;
        source += ".*";
      } else if (part.kind === "glob" && char === "*") {
        source += ".*";
        wild = true;
      } else if (part.kind === "glob" && char === "?") {
        source += ONE;
        wild = true;
      } else source += char.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
    }
  }
  end();
  return segments;
}

function plainText(word: Word): string {
  return word.parts.map((part) => part.kind === "hole" ? part.values?.[0] ?? "" : part.text).join("");
}

function folder(cwd: string, path: string): string {
  return path.startsWith("/") ? path : `${cwd}/${path}`;
}

function entries(path: string): string[] {
  try {
    return [...Deno.readDirSync(path)].map((entry) => entry.name);
  } catch {
    return []; // missing, no folder, or closed: the shell finds nothing there either
  }
}

function exists(cwd: string, path: string): boolean {
  try {
    Deno.lstatSync(folder(cwd, path));
    return true;
  } catch {
    return false; // the shell finds nothing there either
  }
}
