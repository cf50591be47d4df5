/** A text derived from another one, with offsets that lead both ways. */
export interface TextView {
  readonly text: string;
  /** Offset in the source for an offset in `text`; -1 when it lies inside something that was replaced. */
  toSource(offset: number): number;
  /** Offset in `text` for an offset in the source; -1 when it lies inside something that was replaced. */
  toView(offset: number): number;
}

/** The text itself. */
export function plainView(text: string): TextView {
  return { text, toSource: (offset) => offset, toView: (offset) => offset };
}

/**
 * `base` with every match of the global `pattern` replaced. `replace` must not return an empty text. Offsets map to
 * the source of `base`; only the replaced pieces are stored.
 */
export function replacedView(base: TextView, pattern: RegExp, replace: (piece: string) => string): TextView {
  const from: number[] = []; // starts and ends of the pieces, in base.text
  const to: number[] = []; // the same in the new text
  const parts: string[] = [];
  let done = 0;
  let length = 0;
  for (const match of base.text.matchAll(pattern)) {
    const piece = match[0];
    const shown = replace(piece);
    if (shown === piece) continue;
    parts.push(base.text.slice(done, match.index), shown);
    length += match.index - done;
    done = match.index + piece.length;
    from.push(match.index, done);
    to.push(length, length += shown.length);
  }
  if (parts.length === 0) return base;
  parts.push(base.text.slice(done));
  return {
    text: parts.join(""),
    toSource: (offset) => {
      const inner = moved(offset, to, from);
      return inner < 0 ? -1 : base.toSource(inner);
    },
    toView: (offset) => {
      const inner = base.toView(offset);
      return inner < 0 ? -1 : moved(inner, from, to);
    },
  };
}

/** Moves an offset between two lists of piece borders (start, end, start, end …). */
function moved(offset: number, from: readonly number[], to: readonly number[]): number {
  let low = 0;
  let high = from.length;
  while (low < high) { // the last border that is not after offset
    const middle = (low + high) >> 1;
    if ((from[middle] ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  const border = low - 1;
  if (border < 0) return offset;
  const start = from[border] ?? 0;
  if (border % 2 === 0 && offset !== start) return -1;
  return (to[border] ?? 0) + offset - start;
}
