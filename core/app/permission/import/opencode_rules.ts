import { isJsonObject } from "../../../types/mod.ts";
import type { Json, JsonObject } from "../../../types/mod.ts";
import type { OrderedRule } from "./ordered_rules.ts";

/** One rule of an opencode file, in the order in which they are tried: the last that matches wins. */
export interface OpencodeRule extends OrderedRule {
  /** What it is about: bash, edit, read … or a pattern of these names. */
  permission: string;
  path: (string | number)[];
  /** As written: `bash "git *": allow`. */
  source: string;
  /** What is wrong with it, and what it counts as. */
  problem?: string;
}

/** What an opencode file says of permissions. */
export interface OpencodeRules {
  rules: OpencodeRule[];
  /** Keys that are no rules, with what they are. */
  others: { path: string[]; outcome: "not taken" | "unknown"; note: string }[];
}

/** Names of the newer form, with those of the older one. */
const NAMES: Readonly<Record<string, string>> = {
  shell: "bash",
  subagent: "task",
  write: "edit",
  patch: "edit",
  multiedit: "edit",
  apply_patch: "edit",
};

/**
 * Reads `permission` (by tool, opencode.ai/v1/docs/permissions), `permissions` (a list, opencode.ai/docs/permissions), the
 * older `tools`, and the same keys of the agent that one talks to; rules of other agents are told and left.
 */
export function opencodeRules(value: JsonObject): OpencodeRules {
  const found: OpencodeRules = { rules: [], others: [] };
  const agent = typeof value["default_agent"] === "string" ? value["default_agent"] : "build";
  readSection(value, [], found);
  for (const key of ["agent", "agents", "mode"]) {
    const agents = value[key];
    if (!isJsonObject(agents)) continue;
    for (const [name, section] of Object.entries(agents)) {
      if (!isJsonObject(section) || !RULE_KEYS.some((rules) => rules in section)) continue;
      if (name === agent) readSection(section, [key, name], found);
      else {
        found.others.push({
          path: [key, name],
          outcome: "not taken",
          note: name === "plan"
            ? "mode plan is strict by itself: nothing is changed in it"
            : `there is no agent ${JSON.stringify(name)} here, and rules hold for all agents`,
        });
      }
    }
  }
  for (const key of Object.keys(value)) {
    if (RULE_KEYS.includes(key) || ["agent", "agents", "mode", "default_agent", "$schema"].includes(key)) {
      continue;
    }
    found.others.push({ path: [key], outcome: "unknown", note: "it is no permission rule; left alone" });
  }
  return found;
}

const RULE_KEYS = ["tools", "permission", "permissions"];

function readSection(section: JsonObject, at: string[], found: OpencodeRules): void {
  const { tools, permission, permissions } = section;
  const add = (name: string, pattern: string, action: Json | undefined, path: (string | number)[]) => {
    const rule = { permission: NAMES[name] ?? name, pattern, path, source: "" };
    const label = `${[...at, name].join(".")} ${JSON.stringify(pattern)}`;
    if (action === "allow" || action === "ask" || action === "deny") {
      found.rules.push({ ...rule, action, source: `${label}: ${action}` });
    } else {
      const problem = `${JSON.stringify(action ?? null)} is none of allow, ask, deny: it counts as ask`;
      found.rules.push({
        ...rule,
        action: "ask",
        source: `${label}: ${JSON.stringify(action ?? null)}`,
        problem,
      });
    }
  };
  const wrong = (key: string, want: string) =>
    found.others.push({ path: [...at, key], outcome: "unknown", note: `it is no ${want}; not taken` });
  if (isJsonObject(tools)) {
    for (const [name, on] of Object.entries(tools)) {
      add(name, "*", on === true ? "allow" : on === false ? "deny" : on, [...at, "tools", name]);
    }
  } else if (tools !== undefined && !Array.isArray(tools)) wrong("tools", "object of switches");
  if (typeof permission === "string") add("*", "*", permission, [...at, "permission"]);
  else if (isJsonObject(permission)) {
    for (const [name, entry] of Object.entries(permission)) {
      const path = [...at, "permission", name];
      if (!isJsonObject(entry)) add(name, "*", entry, path);
      else {for (const [pattern, action] of Object.entries(entry)) {
          add(name, pattern, action, [...path, pattern]);
        }}
    }
  } else if (permission !== undefined) wrong("permission", "object of rules");
  if (Array.isArray(permissions)) {
    for (const [index, entry] of permissions.entries()) {
      const path = [...at, "permissions", index];
      const { action, resource, effect } = isJsonObject(entry) ? entry : {};
      if (typeof action === "string" && typeof resource === "string") add(action, resource, effect, path);
      else {
        const note = 'it is no rule {"action", "resource", "effect"}: everything counts as ask';
        found.rules.push({
          permission: "*",
          pattern: "*",
          action: "ask",
          path,
          source: `permissions[${index}]`,
          problem: note,
        });
      }
    }
  } else if (permissions !== undefined) wrong("permissions", "list of rules");
}
