import type { Node } from "jsonc-parser";
import { lineAt, type SettingsFile } from "./settings_file.ts";

/** The line of each rule of a file, list by list. */
export interface RuleLines {
  readonly allow?: readonly number[];
  readonly ask?: readonly number[];
  readonly deny?: readonly number[];
}

/**
 * Lines (from 1) of the rules in the lists of a file, below `path` (`["permissions"]` in settings). What reads positions is
 * loaded only where there is a rule.
 */
export async function ruleLines(file: SettingsFile, path: readonly string[]): Promise<RuleLines> {
  if (!/"(allow|ask|deny)"/.test(file.text)) return {};
  const jsonc = await import("jsonc-parser");
  const root = jsonc.parseTree(file.text, [], { allowTrailingComma: true });
  if (root === undefined) return {};
  const lines = (list: string): number[] => {
    const node: Node | undefined = jsonc.findNodeAtLocation(root, [...path, list]);
    return (node?.children ?? []).map(({ offset }) => lineAt(file.text, offset));
  };
  return { allow: lines("allow"), ask: lines("ask"), deny: lines("deny") };
}
