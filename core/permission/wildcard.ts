/** Stands in a command line for text that is unknown until the shell runs: any characters, or none. */
export const HOLE = "\uE000";
/** Stands for a blank inside one quoted word. */
export const INNER_SPACE = "\uE001";

/** Whether a pattern matches a line with unknown parts: for certain, for some content of them, or never. */
export type Match = "yes" | "maybe" | "no";

/**
 * Matches a command line against a rule's pattern. `*` stands for any text, blanks included; a trailing ` *` or `:*`
 * wants the end of a word there, so `ls *` matches `ls` and `ls -l` but not `lsof`. A hole is matched for certain only
 * by a `*`.
 */
export function matchCommand(pattern: string, line: string): Match {
  const variants = patternVariants(pattern);
  if (variants.some((variant) => matches(variant, line))) return "yes";
  if (!line.includes(HOLE)) return "no";
  return variants.some((variant) => overlaps(variant, line)) ? "maybe" : "no";
}

/** Patterns whose variants are kept; more than rules have, fewer than hurt. */
const MAX_KNOWN = 5000;
const known = new Map<string, readonly string[]>();

/** The pattern as it is matched: itself, and without a trailing ` *` where it has one. */
export function patternVariants(pattern: string): readonly string[] {
  let variants = known.get(pattern);
  if (variants === undefined) {
    const normal = normalPattern(pattern);
    variants = normal.endsWith(" *") ? [normal, normal.slice(0, -2)] : [normal];
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(pattern, variants);
  }
  return variants;
}

/** True when the pattern has a `*` of its own. */
export function hasWildcard(pattern: string): boolean {
  return patternVariants(pattern)[0]?.includes("*") === true;
}

function normalPattern(pattern: string): string {
  return unquote(pattern.endsWith(":*") ? `${pattern.slice(0, -2)} *` : pattern.trim());
}

/** Takes the quotes of a pattern off and keeps the blanks inside them apart from those between words. */
function unquote(pattern: string): string {
  return pattern.replace(
    /'([^']*)'|"([^"\\]*)"/g,
    (_, single, double) => (single ?? double).replaceAll(" ", INNER_SPACE),
  );
}

/** `*` matches everything, every other character only itself. Linear: at most one step back per `*`. */
function matches(pattern: string, line: string): boolean {
  let p = 0;
  let l = 0;
  let star = -1;
  let resume = 0;
  while (l < line.length) {
    if (pattern[p] === "*") {
      star = p++;
      resume = l;
    } else if (p < pattern.length && pattern[p] === line[l]) {
      p += 1;
      l += 1;
    } else if (star >= 0) {
      p = star + 1;
      l = ++resume;
    } else return false;
  }
  while (pattern[p] === "*") p += 1;
  return p === pattern.length;
}

/** True when some text is matched by the pattern and can also come out of the line once its holes are filled. */
function overlaps(pattern: string, line: string): boolean {
  let row = new Array<boolean>(line.length + 1).fill(false);
  row[0] = true;
  for (let l = 0; l < line.length && line[l] === HOLE; l++) row[l + 1] = true;
  for (const char of pattern) {
    const next = new Array<boolean>(line.length + 1).fill(false);
    next[0] = char === "*" && row[0] === true;
    for (let l = 1; l <= line.length; l++) {
      const hole = line[l - 1] === HOLE;
      if (char === "*") next[l] = row[l] === true || next[l - 1] === true;
      else if (hole) next[l] = row[l] === true || row[l - 1] === true || next[l - 1] === true;
      else next[l] = row[l - 1] === true && line[l - 1] === char;
    }
    row = next;
  }
  return row[line.length] === true;
}
