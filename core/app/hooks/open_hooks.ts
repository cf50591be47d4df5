import type { LoadedSettings } from "../../config/mod.ts";
import type { HookSource } from "../../extension/mod.ts";
import { hasHookFile } from "./hook_files.ts";
import type { SessionHooks, SessionHooksParts } from "./session_hooks.ts";

/** True where hooks may be: in the settings, in a project's files, or in packs. */
export function mayHaveHooks(
  { hook_sources, managed }: Pick<LoadedSettings, "hook_sources" | "managed">,
  project_root: string,
  more: readonly HookSource[],
): boolean {
  return more.length > 0 || hasHookFile(project_root) ||
    [managed?.hooks ?? {}, ...hook_sources.map(({ value }) => value)].some((hooks) =>
      Object.keys(hooks).length > 0
    );
}

/** The hooks of a session; what runs them is loaded only where there may be one. */
export async function openHooks(parts: SessionHooksParts): Promise<SessionHooks | undefined> {
  if (!mayHaveHooks(parts.loaded, parts.project.root, parts.more)) return undefined;
  return await (await import("./session_hooks.ts")).SessionHooks.open(parts);
}
