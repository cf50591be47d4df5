import { guardWorks, sandboxWorks, seatbeltWorks } from "../../plugins/tools_shell/mod.ts";
import type { SandboxProbe } from "../../plugins/tools_shell/mod.ts";
import { NO_SANDBOX } from "../permission/mod.ts";
import type { SandboxPolicy } from "../permission/mod.ts";
import { findPrograms } from "./program_paths.ts";

let probed: Promise<SandboxProbe> | undefined;
let guarded: Promise<SandboxProbe> | undefined;

/** Whether commands can run under the OS sandbox on this machine, and why not; probed once per process. */
export function sandboxProbe(workspace: string): Promise<SandboxProbe> {
  return probed ??= probe(workspace, sandboxWorks);
}

/** The same for the guarded sandbox, which asks less of the system. */
export function guardProbe(workspace: string): Promise<SandboxProbe> {
  return guarded ??= probe(workspace, guardWorks);
}

/** The same as the permission kernel takes it, with what is wished of it. */
export async function sandboxPolicy(
  workspace: string,
  wishes: SandboxPolicy = NO_SANDBOX as SandboxPolicy,
): Promise<SandboxPolicy> {
  const probe = await sandboxProbe(workspace);
  return { ...wishes, available: probe.works, ...(probe.works ? {} : { reason: probe.reason }) };
}

async function probe(workspace: string, works: typeof sandboxWorks): Promise<SandboxProbe> {
  const names = ["bash", "bwrap", "sandbox-exec"];
  const { bash, bwrap, "sandbox-exec": seatbelt } = findPrograms(names, Deno.env.get("PATH"), workspace);
  if (Deno.build.os === "darwin") {
    if (seatbelt === undefined) return { works: false, reason: "sandbox-exec is not there" };
    return await seatbeltWorks(seatbelt, bash);
  }
  if (bwrap === undefined) return { works: false, reason: "bubblewrap (bwrap) is not installed" };
  if (bash === undefined) return { works: false, reason: "bash is not installed" };
  return await works(bwrap, bash);
}
