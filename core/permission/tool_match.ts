import { domainToASCII } from "node:url";
import type { Json, JsonObject, ToolEffect, ToolSubject } from "../types/mod.ts";
import type { Rule } from "./rule.ts";

/** What the kernel must know of a tool. */
export interface ToolFacts {
  name: string;
  aliases: string[];
  effect: ToolEffect;
  subject: ToolSubject;
}

/** True when the rule's tool name means this tool: its name, an alias, an MCP server, or a pattern with `*`. */
export function namesTool(rule: Rule, tool: ToolFacts): boolean {
  const names = [tool.name, ...tool.aliases];
  if (names.includes(rule.tool)) return true;
  if (rule.tool.includes("*")) {
    const pattern = globRegExp(rule.tool, ".*");
    return names.some((name) => pattern.test(name));
  }
  return /^mcp__.+/.test(rule.tool) && !rule.tool.slice(5).includes("__") &&
    names.some((name) => name.startsWith(`${rule.tool}__`));
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

/**
 * `domain:host` against a URL's host, without regard to case: a leading `*.` stands for any number of labels, any other
 * `*` stays inside one. False for a text that is no URL.
 */
export function matchesDomain(specifier: string, url: string): boolean {
  if (!specifier.startsWith("domain:")) return false;
  const host = urlHost(url);
  if (host === undefined) return false;
  const wanted = specifier.slice("domain:".length).trim().toLowerCase().replace(/\.$/, "");
  const ascii = wanted.includes("*") ? wanted : domainToASCII(wanted) || wanted;
  const deep = ascii.startsWith("*.");
  const rest = globRegExp(deep ? ascii.slice(2) : ascii, "[^.]*").source.slice(1, -1);
  return new RegExp(deep ? `^(?:[^.]+\\.)+${rest}$` : `^${rest}$`).test(host);
}

/** Lower-case ASCII host of a URL without a final dot; undefined when it has none. */
export function urlHost(url: string): string | undefined {
  const parsed = URL.parse(url);
  return parsed === null || parsed.hostname === ""
    ? undefined
    : parsed.hostname.toLowerCase().replace(/\.$/, "");
}

function matchesScalar(pattern: string, value: Json | undefined): boolean {
  if (value === undefined || value === null || typeof value === "object") return false;
  return globRegExp(pattern.trim(), ".*").test(String(value));
}

function globRegExp(pattern: string, star: string): RegExp {
  const body = pattern.split("*").map((part) => part.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")).join(star);
  return new RegExp(`^${body}$`, "s");
}
