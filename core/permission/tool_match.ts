import type { Json, JsonObject, ToolEffect, ToolSubject } from "../types/mod.ts";
import type { Rule } from "./rule.ts";

/** What the kernel must know of a tool. */
export interface ToolFacts {
  name: string;
  aliases: string[];
  effect: ToolEffect;
  subject: ToolSubject;
  /** What it may do, as far as that is known: a tool with `net` reaches the network whatever its effect is. */
  capabilities?: readonly string[];
}

/** True when the rule's tool name means this tool: its name, an alias, an MCP server, or a pattern with `*`. */
export function namesTool(rule: Rule, tool: ToolFacts): boolean {
  const names = [tool.name, ...tool.aliases];
  if (names.includes(rule.tool)) return true;
  if (rule.tool.includes("*")) return names.some((name) => matchesName(rule.tool, name));
  return /^mcp__.+/.test(rule.tool) && !rule.tool.slice(5).includes("__") &&
    names.some((name) => name.startsWith(`${rule.tool}__`));
}

/** True when a tool's name fits a pattern with `*`. */
export function matchesName(pattern: string, name: string): boolean {
  return globRegExp(pattern, ".*").test(name);
}

/** True when the rule is of the family that judges this tool's paths: `Read` for reading, `Edit` for writing. */
export function namesPathFamily(rule: Rule, access: "read" | "write"): boolean {
  return rule.tool === (access === "read" ? "Read" : "Edit");
}

/** `Tool(param:value)` on a top-level scalar parameter; `*` in the value stands for any text. */
export function matchesParam(specifier: string, input: JsonObject): boolean {
  const colon = specifier.indexOf(":");
  if (colon <= 0) return false;
  const name = specifier.slice(0, colon);
  if (!Object.hasOwn(input, name)) return false;
  return matchesScalar(specifier.slice(colon + 1), input[name]);
}

/** `Agent(name)`: the kind of sub-agent a call asks for. */
export function matchesAgent(specifier: string, input: JsonObject): boolean {
  return ["agent", "agent_type", "subagent_type", "name"].some((key) =>
    Object.hasOwn(input, key) && matchesScalar(specifier, input[key])
  );
}

function matchesScalar(pattern: string, value: Json | undefined): boolean {
  if (value === undefined || value === null || typeof value === "object") return false;
  return globRegExp(pattern.trim(), ".*").test(String(value));
}

function globRegExp(pattern: string, star: string): RegExp {
  const body = pattern.split("*").map((part) => part.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")).join(star);
  return new RegExp(`^${body}$`, "s");
}
