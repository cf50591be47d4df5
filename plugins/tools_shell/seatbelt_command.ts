import type { ToolContext } from "../../core/plugin_api/mod.ts";
import { deniedPlaces } from "./denied_places.ts";
import { sandboxConfig } from "./sandbox_config.ts";
import { seatbeltProfile } from "./seatbelt_profile.ts";
import type { SandboxProbe } from "./sandbox_works.ts";

/** The words before a command on macOS, without the program; see {@link seatbeltProfile}. `tmp_dir` is its own `/tmp`. */
export async function seatbeltArguments(
  level: "closed" | "guarded",
  tmp_dir: string,
  context: ToolContext,
): Promise<string[]> {
  const { secrets, hide, open, allow_write } = sandboxConfig(context);
  const denied = level === "closed" ? await deniedPlaces(context) : { hide: [], lock: [] };
  const profile = seatbeltProfile({
    level,
    network: context.confinement?.network === true,
    write_roots: [...context.write_roots, ...allow_write, tmp_dir],
    read_roots: [...context.read_roots, context.spill_dir],
    open,
    hidden: [...[...secrets, ...hide].map(({ path }) => path), ...denied.hide],
    lock: denied.lock,
  });
  return ["-p", profile];
}

/** Whether commands can be sandboxed on this Mac. Costs one start of `sandbox-exec`. */
export async function seatbeltWorks(
  program: string,
  shell_path = "/bin/bash",
): Promise<SandboxProbe> {
  try {
    const { success, stderr } = await new Deno.Command(program, {
      args: ["-p", "(version 1)\n(allow default)", shell_path, "-c", ":"],
      clearEnv: true,
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).output();
    if (success) return { works: true };
    return { works: false, reason: new TextDecoder().decode(stderr).trim().split("\n")[0] || program };
  } catch (error) {
    return { works: false, reason: error instanceof Error ? error.message : String(error) };
  }
}
