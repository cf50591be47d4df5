/** A text within a number of characters, and whether something was left out. */
export interface CutPage {
  text: string;
  truncated: boolean;
}

const GAP = "[…]";

/**
 * A page within `most` characters. With a question the paragraphs that share most words with it are kept, in their order and
 * with the headings above them; without one, or where none does, the beginning.
 */
export function cutPage(text: string, most: number, question = ""): CutPage {
  if (text.length <= most) return { text, truncated: false };
  const wanted = terms(question);
  const blocks = text.split(/\n{2,}/);
  const ranked = ranking(blocks, wanted);
  if (ranked.length === 0) return { text: `${text.slice(0, most)}`.toWellFormed(), truncated: true };
  const kept = new Set<number>();
  let room = most;
  const take = (index: number): void => {
    const block = blocks[index];
    if (block === undefined || kept.has(index)) return;
    const cost = block.length + GAP.length + 4;
    if (cost > room) return;
    room -= cost;
    kept.add(index);
  };
  take(0);
  for (const index of ranked) {
    take(index);
    if (!kept.has(index)) continue;
    for (let above = index - 1; above >= 0; above--) {
      if (!/^#{1,6} /.test(blocks[above] ?? "")) continue;
      take(above);
      break;
    }
    take(index + 1); // an answer often stands behind the words of the question
  }
  if (kept.size === 0) return { text: text.slice(0, most).toWellFormed(), truncated: true };
  const parts: string[] = [];
  let before = -1;
  for (const index of [...kept].sort((a, b) => a - b)) {
    if (index > before + 1) parts.push(GAP);
    parts.push(blocks[index] ?? "");
    before = index;
  }
  if (before < blocks.length - 1) parts.push(GAP);
  return { text: parts.join("\n\n"), truncated: true };
}

/** The blocks that share a word with the question, best first: rare words count for more. */
function ranking(blocks: readonly string[], wanted: ReadonlySet<string>): number[] {
  const found = blocks.map((block) => {
    const own = terms(block);
    return [...wanted].filter((word) => own.has(word));
  });
  const counts = new Map<string, number>();
  for (const words of found) for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const weight = (word: string) => Math.log(1 + blocks.length / (counts.get(word) ?? 1));
  return found
    .map((words, index) => ({ index, score: words.reduce((sum, word) => sum + weight(word), 0) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.index - b.index)
    .map(({ index }) => index);
}

/** The words of a text in lower case; of a script without spaces each pair of characters. */
function terms(text: string): Set<string> {
  const found = new Set<string>();
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}_]+/gu)) {
    if (!/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/u.test(word)) {
      if (word.length > 2) found.add(word);
      continue;
    }
    const characters = [...word];
    for (let at = 0; at + 1 < characters.length; at++) found.add(`${characters[at]}${characters[at + 1]}`);
  }
  return found;
}
