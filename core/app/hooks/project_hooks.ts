import { join } from "node:path";
import { canonicalJson, errorMessage, sha256 } from "../../base/mod.ts";
import { readSettingsFile, settingLine } from "../../config/mod.ts";
import { hookText, parseHooks } from "../../extension/mod.ts";
import type { HookDefinition } from "../../extension/mod.ts";
import { HOOK_EVENTS, isJsonObject } from "../../types/mod.ts";
import type { Json } from "../../types/mod.ts";
import { HOOK_FILES } from "./hook_files.ts";
import { namedScripts } from "./named_scripts.ts";
import type { NamedScript } from "./named_scripts.ts";

/** One hook that a project brings. */
export interface ProjectHook {
  definition: HookDefinition;
  /** Relative to the project. */
  file: string;
  line: number;
  /** What tells it from the other hooks of the project. */
  name: string;
  /** Files of the project that its command names. */
  scripts: NamedScript[];
  /** Over all that it does: what a trust in it is bound to. */
  hash: string;
}

export interface ProjectHooks {
  hooks: ProjectHook[];
  /** What is wrong with the files, one line each with file and line. */
  problems: string[];
}

/** Reads the hooks that a project brings. What cannot be read is a problem; the other hooks count. */
export async function projectHooks(root: string): Promise<ProjectHooks> {
  const found: ProjectHooks = { hooks: [], problems: [] };
  for (const file of HOOK_FILES) {
    try {
      await readFile(root, file, found);
    } catch (error) {
      found.problems.push(errorMessage(error));
    }
  }
  return found;
}

async function readFile(root: string, file: string, found: ProjectHooks): Promise<void> {
  const read = await readSettingsFile(join(root, file));
  if (read === undefined) return;
  // `disableAllHooks` of a project's file speaks for the project alone
  if (read.value["disableAllHooks"] === true) return;
  const inner = isJsonObject(read.value["hooks"]) || !Object.keys(read.value).some(isEvent);
  const value: Json | undefined = inner ? read.value["hooks"] : read.value;
  if (value === undefined || value === null) return;
  const at = inner ? ["hooks"] : [];
  const { hooks, problems } = parseHooks(value);
  for (const { path, text } of problems) {
    found.problems.push(`${file}:${await settingLine(read, [...at, ...path])}: ${text}`);
  }
  const counts = new Map<string, number>();
  for (const definition of hooks) {
    const number = (counts.get(definition.event) ?? 0) + 1;
    counts.set(definition.event, number);
    const line = await settingLine(read, [...at, ...definition.path]);
    try {
      const scripts = scriptsOf(root, definition);
      const name = `${definition.event} ${number} in ${file}`;
      found.hooks.push({ definition, file, line, name, scripts, hash: hashOf(file, definition, scripts) });
    } catch (error) {
      found.problems.push(`${file}:${line}: the hook is not run: ${errorMessage(error)}`);
    }
  }
}

/** The hash of a hook as its files are now: another one than before means that what would run is not what was looked at. */
export function currentHash(root: string, { file, definition }: ProjectHook): string {
  return hashOf(file, definition, scriptsOf(root, definition));
}

function scriptsOf(root: string, hook: HookDefinition): NamedScript[] {
  return hook.type === "http" ? [] : namedScripts(root, [hook.command, ...hook.args ?? []]);
}

function hashOf(file: string, { path: _, ...hook }: HookDefinition, scripts: readonly NamedScript[]): string {
  return sha256(canonicalJson(JSON.parse(JSON.stringify({ file, hook, scripts }))));
}

/** What a hook is and does, one line each, nothing left out. */
export function projectHookLines({ definition, scripts }: ProjectHook): string[] {
  const { event, matcher, condition, background, timeout_ms } = definition;
  const when = [
    matcher === undefined ? "" : ` of ${matcher}`,
    condition === undefined ? "" : ` if ${condition}`,
    background ? ", beside the work" : "",
  ].join("");
  const does = definition.type === "http"
    ? "sends what happens: "
    : "runs, with your rights and outside of every sandbox: ";
  return [
    `at ${event}${when}, at most ${timeout_ms / 1000} s`,
    `${does}${hookText(definition)}`,
    ...scripts.map(({ path, sha256 }) => `with the file ${path} as it is now (${sha256.slice(0, 12)})`),
  ];
}

function isEvent(key: string): boolean {
  return HOOK_EVENTS.some((event) => event === key);
}
