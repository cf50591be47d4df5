import type { Json } from "../../../types/mod.ts";

/**
 * The whole objects at the beginning of the `messages` list of a JSON text that is cut or broken further on. Empty when
 * there is no such list.
 */
export function salvageMessages(text: string): Json[] {
  const start = /"messages"\s*:\s*\[/i.exec(text);
  if (start === null) return [];
  const found: Json[] = [];
  let at = start.index + start[0].length;
  for (;;) {
    while (/[\s,]/.test(text[at] ?? "")) at++;
    const end = text[at] === "{" ? endOfObject(text, at) : undefined;
    if (end === undefined) return found;
    try {
      found.push(JSON.parse(text.slice(at, end)));
    } catch {
      return found; // broken inside: nothing after it can be trusted to be where it seems
    }
    at = end;
  }
}

/** The place behind the brace that closes the object at `at`; undefined when the text ends first. */
function endOfObject(text: string, at: number): number | undefined {
  let depth = 0;
  let quoted = false;
  for (let i = at; i < text.length; i++) {
    const char = text[i];
    if (quoted) {
      if (char === "\\") i++;
      else if (char === '"') quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === "{" || char === "[") depth++;
    else if ((char === "}" || char === "]") && --depth === 0) return i + 1;
  }
  return undefined;
}
