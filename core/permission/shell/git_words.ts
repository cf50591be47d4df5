import { literal } from "./word.ts";
import type { Word } from "./word.ts";

const WITH_VALUE = new Set([
  "-C",
  "-c",
  "--git-dir",
  "--work-tree",
  "--namespace",
  "--config-env",
  "--exec-path",
]);

/** `git -C dir --no-pager push` as `git push`, so that a rule on the subcommand sees it. */
export function gitWithoutOptions(words: readonly Word[]): readonly Word[] {
  let at = 1;
  for (; at < words.length; at++) {
    const text = literal(words[at]);
    if (text === undefined || !text.startsWith("-")) break;
    if (WITH_VALUE.has(text)) at += 1;
  }
  return [...words.slice(0, 1), ...words.slice(at)];
}
