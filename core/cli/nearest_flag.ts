/** The candidate that shares most with a mistyped word, when it is close enough to be meant. */
export function nearestFlag(word: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestScore = 0.5;
  for (const candidate of candidates) {
    const score = similarity(word.toLowerCase(), candidate.toLowerCase());
    if (score > bestScore) {
      best = candidate;
      bestScore = score;
    }
  }
  return best;
}

/** Sørensen–Dice coefficient over pairs of neighbouring characters, 0 to 1. */
function similarity(a: string, b: string): number {
  const pairs = (text: string) =>
    Array.from({ length: Math.max(0, text.length - 1) }, (_, i) => text.slice(i, i + 2));
  const left = pairs(a);
  const right = pairs(b);
  if (left.length + right.length === 0) return a === b ? 1 : 0;
  let shared = 0;
  for (const pair of left) {
    const at = right.indexOf(pair);
    if (at < 0) continue;
    shared++;
    right.splice(at, 1);
  }
  return (2 * shared) / (left.length + pairs(b).length);
}
