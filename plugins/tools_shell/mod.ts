import type { PluginModule } from "../../core/plugin_api/mod.ts";
import { runBash } from "./bash_tool.ts";
import { ShellRegistry } from "./shell_registry.ts";
import { killShell, readShell } from "./shell_tools.ts";

export { seatbeltWorks } from "./seatbelt_command.ts";
export { endLeftCommands } from "./orphan_watch.ts";
export { guardWorks, sandboxWorks } from "./sandbox_works.ts";
export type { HiddenPlace } from "./guarded_plan.ts";
export type { SandboxConfig, SandboxProxy } from "./sandbox_config.ts";
export type { SandboxProbe } from "./sandbox_works.ts";

const registry = new ShellRegistry();

/**
 * Bash, BashOutput and KillShell.
 *
 * Grants: `run` [the shell, bubblewrap], `read` [workspace, added folders, spill_dir], `write` [spill_dir], nothing else. Keys of
 * `context.config`: `shell_on_timeout` ("background" or "end": what becomes of a command that passes its limit); `shell_id` (the id
 * of a shell that this call leaves running) and `shells` (those of the session, for a list); `bash_path`; `bwrap_path` where the call may be confined; `sandbox` (see {@link SandboxConfig}); `shell_cwd` (where the command starts, when the host keeps `data.cwd` itself); `shell_output_quota`
 * (bytes); `shell_timeout_ms` (limit of a command that names none).
 */
const plugin: PluginModule = {
  tools: {
    Bash: (input, context) => runBash(registry, input, context),
    BashOutput: (input, context) => readShell(registry, input, context),
    KillShell: (input, context) => killShell(registry, input, context),
  },
  connect: (notify) => registry.connect(notify),
  busy: () => registry.busy(),
  close: () => registry.close(),
};

export default plugin;
