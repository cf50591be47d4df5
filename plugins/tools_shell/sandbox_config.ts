import type { JsonObject, ToolContext } from "../../core/plugin_api/mod.ts";
import type { HiddenPlace } from "./guarded_plan.ts";

/** How commands of a closed sandbox reach the domains that the settings list. */
export interface SandboxProxy {
  /** The socket of the proxy outside. */
  socket: string;
  /** Starts the bridge inside, which listens and hands on to the socket: program and arguments. */
  bridge: string[];
  /** Folder of the modules that the program is run from; a compiled one has none. */
  sources?: string;
  /** Addresses that are not reached through the proxy. */
  no_proxy: string;
}

/** What the host tells about the sandbox of one call. Paths are real paths. */
export interface SandboxConfig {
  /** Places with secrets that stand there and are not granted. */
  secrets: HiddenPlace[];
  /** Further places that cannot be read: Lumina's own folder, what `sandbox.deny_read` names. */
  hide: HiddenPlace[];
  /** Folders that hold a secret place and keep their names, see `GuardedPlan`. */
  pinned: string[];
  /** What is granted inside a hidden place. */
  open: string[];
  /** Readable and writable in the closed sandbox beside the folders of the call. */
  allow_read: string[];
  allow_write: string[];
  proxy: SandboxProxy | undefined;
  /** A call may ask for more. */
  allow_escalation: boolean;
}

/** Reads `context.config.sandbox`; what is absent is empty. */
export function sandboxConfig({ config }: Pick<ToolContext, "config">): SandboxConfig {
  const given = (config["sandbox"] ?? {}) as JsonObject & Partial<SandboxConfig>;
  const { secrets = [], hide = [], pinned = [], open = [], allow_read = [], allow_write = [], proxy } = given;
  return {
    secrets,
    hide,
    pinned,
    open,
    allow_read,
    allow_write,
    proxy,
    allow_escalation: given.allow_escalation ?? true,
  };
}
