import type { ToolContext } from "../../core/plugin_api/mod.ts";

/** Looking for denied files stops after so many entries: a sandboxed command must not wait for a huge tree. */
const MAX_ENTRIES = 50_000;
/** Stands before a pattern that ignores case. */
const FOLDED = /^\(\?i\)/;

/**
 * The places that the call's deny rules name, for the sandbox, which knows paths only: fixed ones as they are, and for
 * patterns with wildcards what matches below the readable roots at this moment.
 */
export async function deniedPlaces(
  context: ToolContext,
): Promise<{ hide: string[]; lock: string[]; complete: boolean }> {
  const hide: string[] = [];
  const lock: string[] = [];
  const wide: { pattern: string; found: string[] }[] = [];
  for (const [patterns, found] of [[context.deny_read, hide], [context.deny_write, lock]] as const) {
    for (const pattern of patterns) {
      const fixed = fixedPath(pattern.replace(FOLDED, ""));
      if (fixed !== undefined) found.push(fixed);
      // one that ignores case holds for other spellings too: they must be looked for
      if (fixed === undefined || FOLDED.test(pattern)) wide.push({ pattern, found });
    }
  }
  if (wide.length === 0) return { hide, lock, complete: true };

  const { PathPattern, TreeWalk } = await import("../../core/files/mod.ts");
  const rules = wide.map(({ pattern, found }) => ({ pattern: PathPattern.fromAbsolute(pattern), found }));
  let entries = 0;
  for (const root of context.read_roots) {
    if (!await isDirectory(root)) continue;
    const walk = new TreeWalk({
      root,
      read_roots: [root],
      honour_ignores: false,
      denied: (path, directory) => {
        entries++;
        const matching = rules.filter((rule) => rule.pattern.matches(path, directory));
        for (const rule of matching) rule.found.push(path);
        return matching.length > 0;
      },
      descend: () => entries < MAX_ENTRIES,
      signal: context.signal,
    });
    for await (const batch of walk.batches()) void batch;
  }
  return { hide, lock, complete: entries < MAX_ENTRIES };
}

/** False for a file, and for a root that does not exist yet. */
async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await Deno.stat(path)).isDirectory;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** The one place an absolute pattern names; undefined when it holds wildcards. */
function fixedPath(pattern: string): string | undefined {
  const path = pattern.replace(/\/(?:\*\*?)?$/, "");
  if (/(?<!\\)[*?[]/.test(path)) return undefined;
  return path.replace(/\\(.)/g, "$1");
}
