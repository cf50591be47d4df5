import { HOOK_EVENTS, HOOK_TIMEOUT_MS } from "../../plugin_api/mod.ts";
import type { CapabilityKind, HookEvent, PluginManifest, ToolManifest } from "../../plugin_api/mod.ts";

/** One hook of a pack, with what its manifest leaves out filled in. */
export interface PackHook {
  event: HookEvent;
  matcher?: string;
  /** The export of the pack's module. */
  handler: string;
  capabilities: readonly CapabilityKind[];
  programs: readonly string[];
  timeout_ms: number;
}

/** The hooks of a pack, in the order of the events and of the manifest. */
export function packHooks({ contributes }: Pick<PluginManifest, "contributes">): PackHook[] {
  return HOOK_EVENTS.flatMap((event) =>
    (contributes.hooks?.[event] ?? []).map(({ matcher, handler, capabilities, programs, timeout_ms }) => ({
      event,
      ...(matcher === undefined ? {} : { matcher }),
      handler,
      capabilities: capabilities ?? [],
      programs: programs ?? [],
      timeout_ms: timeout_ms ?? HOOK_TIMEOUT_MS,
    }))
  );
}

/** The exports that hooks name, each once. */
export function hookHandlers(manifest: Pick<PluginManifest, "contributes">): string[] {
  return [...new Set(packHooks(manifest).map(({ handler }) => handler))];
}

/**
 * A hook as a grant sees it: a tool that nothing judges. So it never changes the workspace by itself: `services.fs.write` asks
 * for it.
 */
export function hookAsTool({ handler, capabilities, programs, timeout_ms }: PackHook): ToolManifest {
  return {
    name: handler,
    aliases: [],
    description: "",
    input_schema: { type: "object" },
    effect: "read",
    subject: { kind: "none" },
    capabilities: [...capabilities],
    programs: [...programs],
    parallel: true,
    repeat: "mark",
    timeout_ms,
  };
}
