import { isJsonObject } from "../types/mod.ts";
import type { Json, JsonObject } from "../types/mod.ts";

/** Rules that a client wants kept. */
export interface WireRuleUpdate {
  list: "allow" | "ask" | "deny";
  rules: string[];
  keep: "session" | "project";
}

/**
 * Reads `updatedPermissions` of a permission answer: entries of type `addRules`, each rule as `{toolName, ruleContent?}`.
 * The destination `session` holds while the session runs, every other one for the project. Other types change nothing.
 */
export function parseRuleUpdates(value: Json | undefined): WireRuleUpdate[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((entry): WireRuleUpdate[] => {
    if (!isJsonObject(entry) || entry["type"] !== "addRules" || !Array.isArray(entry["rules"])) return [];
    const list = entry["behavior"];
    if (list !== "allow" && list !== "ask" && list !== "deny") return [];
    const rules = entry["rules"].flatMap((rule) => ruleText(rule) ?? []);
    return rules.length === 0
      ? []
      : [{ list, rules, keep: entry["destination"] === "session" ? "session" : "project" }];
  });
}

/** What `permission_suggestions` of a question says: ready to be sent back as `updatedPermissions`. */
export function suggestedUpdates(rules: readonly string[]): JsonObject[] {
  if (rules.length === 0) return [];
  const parts = rules.map((rule): JsonObject => {
    const open = rule.indexOf("(");
    return open < 0
      ? { toolName: rule }
      : { toolName: rule.slice(0, open), ruleContent: rule.slice(open + 1, rule.lastIndexOf(")")) };
  });
  return [{ type: "addRules", behavior: "allow", destination: "localSettings", rules: parts }];
}

function ruleText(rule: Json): string | undefined {
  if (!isJsonObject(rule) || typeof rule["toolName"] !== "string") return undefined;
  const content = rule["ruleContent"];
  return typeof content === "string" && content !== "" ? `${rule["toolName"]}(${content})` : rule["toolName"];
}
