import { sandboxWorks } from "../../plugins/tools_shell/mod.ts";
import type { Skip } from "./shared_tool.ts";

/** Whether commands can be sandboxed on this machine, else why not; for `testWith`. */
export async function findSandbox(bwrap = "bwrap"): Promise<{ works: true } | Skip> {
  const probe = await sandboxWorks(bwrap);
  return probe.works ? probe : { skip: probe.reason };
}
