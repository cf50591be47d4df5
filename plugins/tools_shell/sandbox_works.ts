import { guardedArguments } from "./guarded_plan.ts";
import { sandboxWords } from "./sandbox_plan.ts";
import { SANDBOX_SCRIPT } from "./sandbox_script.ts";

/** Whether commands can be sandboxed here, and if not, why in the words of the system. */
export type SandboxProbe = { works: true } | { works: false; reason: string };

/**
 * Tries the sandbox on an empty command, with the arguments a real one gets. It is false where `bwrap` is missing or may
 * not make namespaces (containers, hardened kernels). Costs one process start; the host keeps the answer.
 */
export async function sandboxWorks(bwrap_path: string, bash_path = "/bin/bash"): Promise<SandboxProbe> {
  const words = sandboxWords({
    cwd: "/",
    write_roots: [],
    read_roots: [],
    hide: [],
    lock: [],
    secrets: [],
    network: false,
    tmp_dir: "/tmp",
  });
  return await tried(bash_path, [
    ...["-c", SANDBOX_SCRIPT, "bash", bwrap_path, ...words],
    ...["--", bash_path, "-c", ":"],
  ], bwrap_path);
}

/** The same for the guarded sandbox, which asks less of the system. Costs one start of bubblewrap. */
export async function guardWorks(bwrap_path: string, shell_path = "/bin/bash"): Promise<SandboxProbe> {
  const args = guardedArguments({
    cwd: "/",
    roots: [],
    hidden: [{ path: "/tmp", dir: true }],
    pinned: [],
    read_only: false,
    empty_file: "/dev/null",
  });
  return await tried(bwrap_path, [...args, shell_path, "-c", ":"], bwrap_path);
}

async function tried(program: string, args: string[], bwrap_path: string): Promise<SandboxProbe> {
  try {
    const { success, stderr } = await new Deno.Command(program, {
      args,
      cwd: "/",
      clearEnv: true,
      env: { PATH: "/usr/bin:/bin" },
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).output();
    if (success) return { works: true };
    const reason = new TextDecoder().decode(stderr).trim().split("\n")[0];
    return { works: false, reason: reason || `${bwrap_path} failed without a message` };
  } catch (error) {
    return { works: false, reason: error instanceof Error ? error.message : String(error) };
  }
}
