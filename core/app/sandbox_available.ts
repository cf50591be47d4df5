import { sandboxWorks } from "../../plugins/tools_shell/mod.ts";
import { findPrograms } from "./program_paths.ts";

let probed: Promise<boolean> | undefined;

/** True when commands can run under the OS sandbox on this machine; probed once per process. */
export function sandboxAvailable(workspace: string): Promise<boolean> {
  return probed ??= probe(workspace);
}

async function probe(workspace: string): Promise<boolean> {
  const { bash, bwrap } = findPrograms(["bash", "bwrap"], Deno.env.get("PATH"), workspace);
  return bwrap !== undefined && bash !== undefined && (await sandboxWorks(bwrap, bash)).works;
}
