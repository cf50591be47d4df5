/** What a pack's hooks do, for the person who is asked about them; nothing for a pack without any. */
export function hookLines(fresh: readonly string[], known: readonly string[]): string[] {
  const list = (words: readonly string[]) => words.map((line) => `  ${line}`);
  return [
    ...(fresh.length === 0
      ? []
      : [`Its ${known.length === 0 ? "" : "new "}hooks, at each such moment:`, ...list(fresh)]),
    ...(known.length === 0 ? [] : ["Its hooks that you have let before:", ...list(known)]),
  ];
}
