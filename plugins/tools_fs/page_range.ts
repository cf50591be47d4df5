import { ToolFailure } from "./tool_failure.ts";

/** Pages of a document, from 1, both ends included. */
export interface PageRange {
  first: number;
  last: number;
}

/** Reads `pages`: `3`, `2-5`, `10-` (to the end, as far as `most` goes). Throws `ToolFailure` for anything else. */
export function pageRange(pages: string, total: number, most: number): PageRange {
  const found = /^\s*(\d+)\s*(?:(-)\s*(\d*)\s*)?$/.exec(pages);
  const first = Number(found?.[1] ?? 0);
  const open = found?.[2] !== undefined && found[3] === "";
  const last = open ? Math.min(total, first + most - 1) : Number(found?.[3] ?? first);
  if (found === null || first < 1 || last < first) {
    throw new ToolFailure(
      `The input "pages" must be a page or a range such as "3", "2-5" or "10-": it is "${pages}"`,
    );
  }
  if (first > total) throw new ToolFailure(`There is no page ${first}: the document has ${total}`);
  if (Math.min(last, total) - first + 1 > most) {
    throw new ToolFailure(`At most ${most} pages are read at once: ask for ${first}-${first + most - 1}`);
  }
  return { first, last: Math.min(last, total) };
}
