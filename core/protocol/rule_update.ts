import { isJsonObject, parsePermissionMode } from "../types/mod.ts";
import type { Json, JsonObject, PermissionMode } from "../types/mod.ts";

/** For how long something holds that an answer keeps. */
type Keep = "session" | "project" | "user";

const DESTINATIONS: ReadonlyMap<string, Keep> = new Map([
  ["session", "session"],
  ["cliArg", "session"],
  ["localSettings", "project"],
  ["projectSettings", "project"],
  ["userSettings", "user"],
]);

/** What a client wants kept from now on: rules, folders that count as workspace, or another mode. */
export type WireUpdate =
  | { list: "allow" | "ask" | "deny"; rules: string[]; keep: Keep }
  | { directories: string[]; keep: Keep }
  | { mode: PermissionMode };

/**
 * Reads `updatedPermissions` of a permission answer: `addRules` with rules as `{toolName, ruleContent?}`, `addDirectories`,
 * `setMode`. The destination `session` (or `cliArg`) holds while the session runs, `userSettings` for every project,
 * `projectSettings` and `localSettings` for the project; nothing is written into the repository. What else is asked for, or
 * cannot be understood, changes nothing and is named in `problems`.
 */
export function parseUpdates(value: Json | undefined): { updates: WireUpdate[]; problems: string[] } {
  const updates: WireUpdate[] = [];
  const problems: string[] = [];
  if (value === undefined || value === null) return { updates, problems };
  if (!Array.isArray(value)) return { updates, problems: ["updatedPermissions is no list"] };
  for (const entry of value) {
    const update = isJsonObject(entry) ? readUpdate(entry) : "an entry is no object";
    if (typeof update === "string") problems.push(`updatedPermissions: ${update}`);
    else updates.push(update);
  }
  return { updates, problems };
}

function readUpdate(entry: JsonObject): WireUpdate | string {
  const type = entry["type"];
  const { destination } = entry;
  const keep = typeof destination === "string" ? DESTINATIONS.get(destination) : undefined;
  const homeless = `${String(type)} needs a destination: ${[...DESTINATIONS.keys()].join(", ")}`;
  switch (type) {
    case "addRules": {
      const list = entry["behavior"];
      if (list !== "allow" && list !== "ask" && list !== "deny") {
        return "addRules needs behavior allow, ask or deny";
      }
      const given = Array.isArray(entry["rules"]) ? entry["rules"] : [];
      const rules = given.flatMap((rule) => ruleText(rule) ?? []);
      if (rules.length === 0 || rules.length < given.length) {
        return "addRules needs rules as {toolName, ruleContent?}";
      }
      return keep === undefined ? homeless : { list, rules, keep };
    }
    case "addDirectories": {
      const directories = Array.isArray(entry["directories"]) ? entry["directories"] : [];
      if (directories.length === 0 || !directories.every((one) => typeof one === "string")) {
        return "addDirectories needs directories, a list of paths";
      }
      return keep === undefined ? homeless : { directories: directories as string[], keep };
    }
    case "setMode": {
      const mode = typeof entry["mode"] === "string" ? parsePermissionMode(entry["mode"]) : undefined;
      return mode === undefined
        ? `setMode names no mode (${JSON.stringify(entry["mode"] ?? null)})`
        : { mode };
    }
    default:
      return `${JSON.stringify(type ?? null)} is not carried out: addRules, addDirectories and setMode are`;
  }
}

/**
 * What `permission_suggestions` of a question says, ready to be sent back as `updatedPermissions`: the rules for this project,
 * and after them, for the session, rules that open the whole folder.
 */
export function suggestedUpdates(rules: readonly string[], folders: readonly string[] = []): JsonObject[] {
  const entry = (texts: readonly string[], destination: string): JsonObject[] =>
    texts.length === 0
      ? []
      : [{ type: "addRules", behavior: "allow", destination, rules: texts.map(ruleParts) }];
  return [...entry(rules, "localSettings"), ...entry(folders, "session")];
}

function ruleParts(rule: string): JsonObject {
  const open = rule.indexOf("(");
  return open < 0
    ? { toolName: rule }
    : { toolName: rule.slice(0, open), ruleContent: rule.slice(open + 1, rule.lastIndexOf(")")) };
}

function ruleText(rule: Json): string | undefined {
  if (!isJsonObject(rule) || typeof rule["toolName"] !== "string") return undefined;
  const content = rule["ruleContent"] ?? undefined;
  if (content === undefined) return rule["toolName"];
  // a content that cannot be read never stands for the whole tool
  return typeof content === "string" && content !== "" ? `${rule["toolName"]}(${content})` : undefined;
}
