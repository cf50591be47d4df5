import { isAbsolute, join, resolve } from "node:path";
import { errorMessage } from "../../../base/mod.ts";
import type { ImportEntry } from "../../../cli/mod.ts";
import { parseRule } from "../../../permission/mod.ts";
import { isJsonObject, parsePermissionMode } from "../../../types/mod.ts";
import type { Json } from "../../../types/mod.ts";
import type { JsonRuleFile } from "./json_rule_file.ts";
import { escapeText } from "./rule_texts.ts";

/** Where a settings file of Claude stands. */
export interface ClaudePlace {
  /** Where its `/path` patterns and its relative folders start. */
  base_dir: string;
  home: string;
  /** Where `/path` patterns of our file start; the same folder needs no rewriting. */
  our_base_dir: string;
  /** True for a tool that there is here. */
  known(tool: string): boolean;
  /** Our settings file, where the file is the person's own; a project's hooks are run from where they stand. */
  our_settings?: string;
}

/** What holds no rule, with what becomes of it. */
const OTHER_KEYS: Readonly<Record<string, string>> = {
  sandbox: "what the system enforces is set here by the setting sandbox",
  env: "no permission rule",
  model: "no permission rule",
};

/** Names for which Claude takes no path: rules with one are ignored there. */
const NO_PATHS = /^(Write|MultiEdit|NotebookEdit|Glob|Grep|LS)$/;

/** Translates `permissions` of a Claude settings file. The grammar and the precedence are ours; places differ. */
export function translateClaude(file: JsonRuleFile, place: ClaudePlace): ImportEntry[] {
  const entries: ImportEntry[] = [];
  const { permissions } = file.value;
  if (isJsonObject(permissions)) {
    for (const [key, value] of Object.entries(permissions)) {
      const path = ["permissions", key];
      if (key === "allow" || key === "ask" || key === "deny") {
        if (!Array.isArray(value)) entries.push(unknown(file, path, "it is no list of rules"));
        else {
          for (const [index, rule] of value.entries()) {
            entries.push({ ...ruleEntry(key, rule, place), line: file.line([...path, index]) });
          }
        }
      } else if (key === "additionalDirectories" && Array.isArray(value)) {
        for (const [index, folder] of value.entries()) {
          entries.push({ ...folderEntry(folder, place), line: file.line([...path, index]) });
        }
      } else entries.push(settingEntry(file, key, value));
    }
  } else if (permissions !== undefined) {
    entries.push(unknown(file, ["permissions"], "it is no object of lists"));
  }
  for (const key of Object.keys(file.value)) {
    if (key === "permissions" || key === "$schema") continue;
    const known = key === "hooks" ? hooksNote(place) : OTHER_KEYS[key];
    const note = known ?? "it is no permission rule that is known here; left alone";
    entries.push({
      source: key,
      line: file.line([key]),
      outcome: known === undefined ? "unknown" : "not taken",
      rules: [],
      note,
    });
  }
  return entries;
}

/** What becomes of hooks, which no import copies. */
function hooksNote({ our_settings }: ClaudePlace): string {
  return our_settings === undefined
    ? "they run from this file once it is trusted (lumina trust); nothing is copied"
    : `no hook of this file is run: copy the key hooks into ${our_settings}, the form is the same`;
}

function ruleEntry(list: "allow" | "ask" | "deny", text: Json, place: ClaudePlace): ImportEntry {
  const source = `${list} ${typeof text === "string" ? text : JSON.stringify(text)}`;
  if (typeof text !== "string") return { source, outcome: "unknown", rules: [], note: "it is no text" };
  try {
    const rule = parseRule(text, { origin: "user", base_dir: place.base_dir });
    const { tool, specifier } = rule;
    if (specifier !== undefined && NO_PATHS.test(tool) && !/^[a-z_][a-z0-9_]*:/.test(specifier)) {
      const note = `Claude takes no path at ${tool}: write ${
        /^(Glob|Grep|LS)$/.test(tool) ? "Read" : "Edit"
      }(…)`;
      return { source, outcome: "not taken", rules: [], note };
    }
    if (list === "allow" && tool.includes("*") && !/^mcp__[^*]+?__/.test(tool)) {
      const note = "an allow rule may have * in a tool name only after mcp__server__";
      return { source, outcome: "not taken", rules: [], note };
    }
    const mine = anchored(rule.text, tool, specifier, place);
    const notes = [
      ...(mine === rule.text ? [] : ["its path is written out: it starts at another folder here"]),
      ...(tool.includes("*") || tool.startsWith("mcp__") || place.known(tool)
        ? []
        : [`there is no tool ${tool} here: it holds nothing until there is`]),
    ];
    return {
      source,
      outcome: "same",
      rules: [{ list, rule: mine }],
      ...(notes.length === 0 ? {} : { note: notes.join("; ") }),
    };
  } catch (error) {
    const tool = /^\s*([A-Za-z_][\w-]*)/.exec(text)?.[1];
    const fault = errorMessage(error);
    return list === "allow" || tool === undefined
      ? { source, outcome: "not taken", rules: [], note: fault }
      : {
        source,
        outcome: "stricter",
        rules: [{ list: "ask", rule: tool }],
        note: `${fault}; it counts as asking for every ${tool}`,
      };
  }
}

/** The rule as it must stand in our file, where `/path` starts at another folder. */
function anchored(text: string, tool: string, specifier: string | undefined, place: ClaudePlace): string {
  if (specifier === undefined || !/^(Read|Edit)$/.test(tool) || !/^\/(?!\/)/.test(specifier)) return text;
  if (place.base_dir === place.our_base_dir) return text;
  return `${tool}(/${escapeText(place.base_dir.replace(/\/+$/, ""))}${specifier})`;
}

function folderEntry(folder: Json, { base_dir, home }: ClaudePlace): ImportEntry {
  const source = `additionalDirectories ${JSON.stringify(folder)}`;
  if (typeof folder !== "string" || folder.trim() === "") {
    return { source, outcome: "unknown", rules: [], note: "it is no folder" };
  }
  const path = folder === "~" || folder.startsWith("~/")
    ? join(home, folder.slice(1))
    : isAbsolute(folder)
    ? folder
    : resolve(base_dir, folder);
  return { source, outcome: "same", rules: [], directories: [path] };
}

function settingEntry(file: JsonRuleFile, key: string, value: Json | undefined): ImportEntry {
  const entry = { source: `${key} ${JSON.stringify(value ?? null)}`, line: file.line(["permissions", key]) };
  if (key === "defaultMode" && typeof value === "string") {
    if (value === "dontAsk") {
      return {
        ...entry,
        outcome: "mode",
        rules: [],
        mode: "ask",
        note: "without a person to answer, mode ask refuses what it would ask",
      };
    }
    const mode = parsePermissionMode(value);
    if (mode !== undefined) return { ...entry, outcome: "mode", rules: [], mode };
  }
  if (key === "disableBypassPermissionsMode" && value === "disable") {
    return { ...entry, outcome: "same", rules: [], no_yolo: true };
  }
  return unknown(file, ["permissions", key], "nothing here knows this key or this value");
}

function unknown(file: JsonRuleFile, path: string[], note: string): ImportEntry {
  return { source: path.join("."), line: file.line(path), outcome: "unknown", rules: [], note };
}
