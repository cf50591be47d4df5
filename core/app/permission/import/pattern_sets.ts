/** What a pattern of opencode stands for: with a final ` *` also the text without it. */
function variants(pattern: string): string[] {
  return pattern.endsWith(" *") ? [pattern, pattern.slice(0, -2)] : [pattern];
}

/**
 * True when every text that `inner` matches is matched by `outer` too. `*` stands for any text, `?` for one character.
 * May say false where it holds, never true where it does not.
 */
export function covers(outer: string, inner: string): boolean {
  return variants(inner).every((each) => variants(outer).some((one) => coversText(one, each)));
}

/** True when some text is matched by both patterns. */
export function overlaps(one: string, other: string): boolean {
  return variants(one).some((a) => variants(other).some((b) => meet(a, b)));
}

/** `outer` matched against the text of `inner`, in which a `*` can be swallowed by a `*` alone. */
function coversText(outer: string, inner: string): boolean {
  let row = new Array<boolean>(inner.length + 1).fill(false);
  row[0] = true;
  for (const char of outer) {
    const next = new Array<boolean>(inner.length + 1).fill(false);
    next[0] = char === "*" && row[0] === true;
    for (let i = 1; i <= inner.length; i++) {
      const other = inner[i - 1];
      if (char === "*") next[i] = row[i] === true || next[i - 1] === true;
      else next[i] = row[i - 1] === true && other !== "*" && (char === "?" || char === other);
    }
    row = next;
  }
  return row[inner.length] === true;
}

function meet(one: string, other: string): boolean {
  // reach[j]: the rest of `one` from i and of `other` from j have a text in common
  let below: boolean[] = [];
  for (let i = one.length; i >= 0; i--) {
    const row = new Array<boolean>(other.length + 1).fill(false);
    for (let j = other.length; j >= 0; j--) {
      const a = one[i];
      const b = other[j];
      if (a === undefined && b === undefined) row[j] = true;
      else if (a === "*") row[j] = below[j] === true || (b !== undefined && row[j + 1] === true);
      else if (b === "*") row[j] = row[j + 1] === true || (a !== undefined && below[j] === true);
      else if (a === undefined || b === undefined) row[j] = false;
      else row[j] = (a === b || a === "?" || b === "?") && below[j + 1] === true;
    }
    below = row;
  }
  return below[0] === true;
}
