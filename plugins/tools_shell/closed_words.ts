import type { ToolContext } from "../../core/plugin_api/mod.ts";
import { deniedPlaces } from "./denied_places.ts";
import { sandboxConfig } from "./sandbox_config.ts";
import { sandboxWords } from "./sandbox_plan.ts";

/** Said where not every denied file could be looked for. */
export const TREE_TOO_LARGE =
  "the workspace is too large to look for every file that deny rules close; fixed paths are closed";

/** The words for {@link SANDBOX_SCRIPT} of a closed call. `complete` is false where {@link TREE_TOO_LARGE} holds. */
export async function closedWords(
  cwd: string,
  context: ToolContext,
  tmp_dir: string | undefined,
): Promise<{ words: string[]; complete: boolean }> {
  const denied = await deniedPlaces(context);
  const { secrets, hide, open, allow_read, allow_write } = sandboxConfig(context);
  // a locked run keeps its output elsewhere, and writes where its lock says alone
  const locked = tmp_dir === undefined;
  const words = sandboxWords({
    cwd,
    write_roots: locked ? context.write_roots : [...context.write_roots, ...allow_write],
    read_roots: [
      ...context.read_roots,
      ...(locked ? [] : [context.spill_dir]),
      ...open,
      ...allow_read,
    ],
    hide: [...hide.map(({ path }) => path), ...denied.hide],
    secrets: secrets.map(({ path }) => path),
    lock: denied.lock,
    network: context.confinement?.network === true,
    tmp_dir,
  });
  return { words, complete: denied.complete };
}
