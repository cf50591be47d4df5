import { join } from "node:path";
import { errorMessage } from "../base/mod.ts";
import { readSettingsFile } from "../config/mod.ts";
import type { RuleNote } from "../permission/mod.ts";
import { isJsonObject } from "../types/mod.ts";

/** Files of a project in which other agents keep rules beside hooks: their hooks run here, their rules do not. */
const FILES = [".claude/settings.json", ".claude/settings.local.json"];

/** One line for each file of another agent in a project that holds rules which are not in force here. */
export async function rulesElsewhere(root: string, rules: readonly RuleNote[]): Promise<string[]> {
  const held = new Set(rules.map(({ list, text }) => `${list} ${text.trim()}`));
  const told: string[] = [];
  for (const name of FILES) {
    const file = join(root, name);
    try {
      const permissions = (await readSettingsFile(file))?.value["permissions"];
      if (!isJsonObject(permissions)) continue;
      const missing = (["deny", "ask", "allow"] as const).flatMap((list) => {
        const texts = permissions[list];
        return Array.isArray(texts)
          ? texts.filter((text) => !held.has(`${list} ${String(text).trim()}`))
          : [];
      }).length;
      if (missing === 0) continue;
      const what = missing === 1 ? "1 rule that is" : `${missing} rules that are`;
      told.push(
        `${file} has ${what} not in force: lumina permission import ${file} shows them, --write takes them over`,
      );
    } catch (error) {
      told.push(`${file}: its rules cannot be read: ${errorMessage(error)}`);
    }
  }
  return told;
}
