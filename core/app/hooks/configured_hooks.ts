import type { HookSettings, LoadedSettings } from "../../config/mod.ts";
import { hookKey, hookText, parseHooks } from "../../extension/mod.ts";
import type { HookDefinition, HookHandler, HookOrigin } from "../../extension/mod.ts";
import { errorMessage } from "../../base/mod.ts";
import type { HookReply } from "../../types/mod.ts";
import { runCommandHook } from "./command_hook.ts";
import type { CommandScope } from "./command_hook.ts";
import { runHttpHook } from "./http_hook.ts";
import type { HttpScope } from "./http_hook.ts";
import { currentHash } from "./project_hooks.ts";
import type { ProjectHook } from "./project_hooks.ts";

/** What configured hooks are run with. */
export interface HookScope {
  command: CommandScope;
  http: Omit<HttpScope, "private_allowed" | "variable">;
  /** A variable for a header of a person's hook, or of a repository's. */
  variable(name: string, origin: HookOrigin): string | undefined;
}

/** One hook of the settings, checked. */
export interface SettingsHook {
  definition: HookDefinition;
  source: "user" | "managed";
  /** The file, or whatever else the settings came from. */
  origin: string;
  line: number | undefined;
}

/** The managed hooks, then those of all layers of the user's settings, the strongest first; and what is wrong with them. */
export async function settingsHooks(
  { hook_sources, managed, settings }: Pick<LoadedSettings, "hook_sources" | "managed" | "settings">,
): Promise<{ hooks: SettingsHook[]; problems: string[] }> {
  const found: { hooks: SettingsHook[]; problems: string[] } = { hooks: [], problems: [] };
  if (managed !== undefined) {
    const line = (path: readonly (string | number)[]) => managed.line(["hooks", ...path]);
    await add(found, managed.hooks, "managed", managed.file, line);
  }
  if (managedHooksOnly({ settings, ...(managed === undefined ? {} : { managed }) })) return found;
  for (const { value, origin, line } of [...hook_sources].reverse()) {
    await add(found, value, "user", origin, line);
  }
  return found;
}

/** True where only the hooks of the managed file may run. */
export function managedHooksOnly(
  { managed, settings }: Pick<LoadedSettings, "managed" | "settings">,
): boolean {
  return settings.disable_all_hooks || managed?.allow_managed_hooks_only === true;
}

async function add(
  found: { hooks: SettingsHook[]; problems: string[] },
  value: HookSettings["value"],
  source: SettingsHook["source"],
  origin: string,
  line: HookSettings["line"],
): Promise<void> {
  const { hooks, problems } = parseHooks(Object.fromEntries(
    Object.entries(value).map(([event, list]) => [event, [...list]]),
  ));
  for (const { path, text } of problems) {
    const at = await line(path);
    found.problems.push(`${origin}${at === undefined ? "" : `:${at}`}: ${text}`);
  }
  for (const definition of hooks) {
    found.hooks.push({ definition, source, origin, line: await line(definition.path) });
  }
}

/** A hook of the settings, ready to run. */
export function settingsHandler({ definition, source, origin }: SettingsHook, scope: HookScope): HookHandler {
  return {
    ...headOf(definition, source, origin),
    run: (input, signal) => runHook(definition, source, input, scope, signal),
  };
}

/** A trusted hook of a project, ready to run: as long as its files are those that were looked at. */
export function projectHandler(hook: ProjectHook, scope: HookScope): HookHandler {
  const { definition, file, hash } = hook;
  return {
    ...headOf(definition, "repo", file),
    async run(input, signal) {
      const changed = changedSince(hook, scope.command.project_dir, hash);
      if (changed === undefined) return await runHook(definition, "repo", input, scope, signal);
      // it may have been there to refuse: nothing goes on unasked in its place
      if (definition.event !== "PreToolUse") return { kind: "error", message: changed };
      const specific = {
        hookEventName: definition.event,
        permissionDecision: "ask",
        permissionDecisionReason: changed,
      };
      return { kind: "json", value: { systemMessage: changed, hookSpecificOutput: specific } };
    },
  };
}

function changedSince(hook: ProjectHook, root: string, hash: string): string | undefined {
  const words = "its files have changed since they were trusted, so it was not run (lumina trust shows them)";
  try {
    return currentHash(root, hook) === hash ? undefined : words;
  } catch (error) {
    return `its files cannot be looked at, so it was not run: ${errorMessage(error)}`;
  }
}

function headOf(definition: HookDefinition, source: HookOrigin, origin: string): Omit<HookHandler, "run"> {
  const { event, matcher, condition, timeout_ms, background } = definition;
  return {
    name: `${origin}: ${shortText(definition)}`,
    source,
    event,
    ...(matcher === undefined ? {} : { matcher }),
    key: hookKey(definition),
    timeout_ms,
    background,
    ...(condition === undefined ? {} : { condition }),
  };
}

async function runHook(
  definition: HookDefinition,
  source: HookOrigin,
  input: Parameters<HookHandler["run"]>[0],
  scope: HookScope,
  signal: AbortSignal,
): Promise<HookReply> {
  if (definition.type === "command") return await runCommandHook(definition, input, scope.command, signal);
  const private_allowed = source !== "repo";
  const variable = (name: string) => scope.variable(name, source);
  return await runHttpHook(definition, input, { ...scope.http, private_allowed, variable }, signal);
}

/** A hook's act in a few words, for the line of a message. */
function shortText(definition: HookDefinition): string {
  const text = definition.type === "http" ? definition.url : hookText(definition);
  const line = text.trim().replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ");
  return line.length > 80 ? `${line.slice(0, 80)}…` : line;
}
