import { dirname, join } from "node:path";
import type { JsonObject, ToolContext, ToolOutcome } from "../../core/plugin_api/mod.ts";
import { withoutHost } from "../../core/plugin_api/mod.ts";
import plugin from "./mod.ts";

/** A tree in a temporary folder: text or bytes are a file, `->x` a link to x (`$ROOT` is the folder). */
export async function withTree(
  files: Record<string, string | Uint8Array>,
  run: (root: string) => Promise<void>,
): Promise<void> {
  const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "lumina-search-" }));
  try {
    for (const [path, content] of Object.entries(files)) {
      const full = join(root, path);
      await Deno.mkdir(dirname(full), { recursive: true });
      if (content instanceof Uint8Array) await Deno.writeFile(full, content);
      else if (content.startsWith("->")) await Deno.symlink(content.slice(2).replace("$ROOT", root), full);
      else await Deno.writeTextFile(full, content);
    }
    await run(root);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

/** A call's context with `cwd` as workspace. */
export function contextFor(cwd: string, more: Partial<ToolContext> = {}): ToolContext {
  return {
    call_id: "call",
    cwd,
    read_roots: [cwd],
    write_roots: [],
    deny_read: [],
    deny_write: [],
    seen: {},
    spill_dir: cwd,
    child_env: {},
    config: {},
    ...withoutHost(),
    ...more,
  };
}

/** Runs a tool of the plugin. */
export function call(
  tool: "Glob" | "Grep",
  input: JsonObject,
  cwd: string,
  more: Partial<ToolContext> = {},
): Promise<ToolOutcome> {
  return plugin.tools[tool]!(input, contextFor(cwd, more));
}

/** Where ripgrep is installed; undefined when it is not. */
export function findRg(): string | undefined {
  for (const folder of (Deno.env.get("PATH") ?? "").split(":")) {
    try {
      if (Deno.statSync(join(folder, "rg")).isFile) return Deno.realPathSync(join(folder, "rg"));
    } catch {
      // not in this folder
    }
  }
  return undefined;
}
