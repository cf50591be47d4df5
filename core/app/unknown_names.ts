import { nearest } from "../base/mod.ts";
import type { RulesQuery } from "../cli/mod.ts";
import type { Settings } from "../config/mod.ts";
import { splitRuleList } from "../permission/mod.ts";
import type { RuleNote } from "../permission/mod.ts";
import type { ToolCatalog } from "../plugin_host/mod.ts";

/** One line for each name in `disabled_tools` and `disabled_plugins` that switches nothing off. */
export function unknownNames(settings: Settings, catalog: ToolCatalog): string[] {
  const tools = settings.disabled_tools.filter((name) => !catalog.known.tools.includes(name))
    .map((name) => unknown("disabled_tools", name, "tool", catalog.tools.map((tool) => tool.name)));
  const ids = catalog.known.plugins;
  const plugins = settings.disabled_plugins.filter((name) => !ids.includes(name))
    .map((name) => unknown("disabled_plugins", name, "plugin", ids));
  return [...tools, ...plugins];
}

/** One line for each rule of a flag whose tool does not exist: it allows or denies nothing. */
export function unknownRuleTools(flags: RulesQuery, catalog: ToolCatalog): string[] {
  const known = catalog.tools.map((tool) => tool.name);
  const check = (flag: string, rules: readonly string[]) =>
    rules.flatMap(splitRuleList).map((rule) => rule.split("(", 1)[0]?.trim() ?? "")
      .filter((name) => !name.includes("*") && !name.startsWith("mcp__") && catalog.find(name) === undefined)
      .map((name) => unknown(flag, name, "tool", known));
  return [
    ...check("--allowed-tools", flags.allowed_tools),
    ...check("--disallowed-tools", flags.disallowed_tools),
  ];
}

/**
 * One line for each rule of a file whose tool does not exist and is spelled almost like one that does. Rules for tools of other
 * agents are left alone: they may wait for a plugin.
 */
export function misspelledTools(rules: readonly RuleNote[], tools: readonly string[]): string[] {
  const known = new Set([
    ...tools,
    "Write",
    "MultiEdit",
    "NotebookEdit",
    "Glob",
    "Grep",
    "List",
    "Agent",
    "Task",
  ]);
  return rules.flatMap(({ text, source, line, problem }) => {
    const name = text.split("(", 1)[0]?.trim() ?? "";
    if (source.file === undefined || problem !== undefined || known.has(name) || /\*|^mcp__/.test(name)) {
      return [];
    }
    const near = nearest(name, [...known]);
    if (near === undefined) return [];
    const place = line === undefined ? source.file : `${source.file}:${line}`;
    return [`${place}: ${text} names no tool that there is; did you mean "${near}"?`];
  });
}

/**
 * One line for each rule of the user's settings whose path begins with a single `/`: it starts beside that file, in Lumina's own
 * folder, where nobody has a file to rule about.
 */
export function strayPaths(rules: readonly RuleNote[]): string[] {
  return rules.flatMap(({ text, source, line, problem }) => {
    const [, tool, path] =
      /^\s*(Read|Edit|Write|MultiEdit|NotebookEdit|apply_patch|Glob|Grep|List)\(\s*(\/[^/].*)\)\s*$/.exec(
        text,
      ) ?? [];
    if (source.origin !== "user" || tool === undefined || path === undefined || problem !== undefined) {
      return [];
    }
    const place = `${source.file ?? "the settings"}${line === undefined ? "" : `:${line}`}`;
    return [
      `${place}: ${text} means a path in ${source.base_dir}; write ${tool}(.${path}) for the workspace, ` +
      `${tool}(/${path}) for an absolute path`,
    ];
  });
}

function unknown(setting: string, name: string, kind: string, known: readonly string[]): string {
  const near = nearest(name, known);
  const hint = near === undefined ? "" : `; did you mean "${near}"?`;
  return `"${setting}" names ${JSON.stringify(name)}, and there is no such ${kind}${hint}`;
}
