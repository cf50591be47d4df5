import { expandGlob } from "./expand_glob.ts";
import type { Scope, Values } from "./scope.ts";
import { knownTexts } from "./word.ts";
import type { Word } from "./word.ts";

/** What a loop variable can be: the words of its list, wildcards expanded on disk. */
export function loopValues(words: readonly Word[], scope: Scope): Values {
  const all: string[] = [];
  for (const word of words) {
    const known = word.parts.some((part) => part.kind === "hole" && !part.quoted)
      ? undefined
      : knownTexts(word);
    if (known !== undefined) all.push(...known);
    else {
      if (scope.cwds === null) return null;
      for (const cwd of scope.cwds) {
        const names = expandGlob(word, cwd);
        if (names === undefined) return null;
        all.push(...names);
      }
    }
  }
  return [...new Set(all)];
}
