import { dirname, join, resolve } from "node:path";
import { errorMessage, LuminaError } from "../../base/mod.ts";
import type { Settings } from "../../config/mod.ts";
import { PathPattern } from "../../files/mod.ts";
import { NO_SANDBOX, secretPlaces } from "../../permission/mod.ts";
import type { SandboxPolicy } from "../../permission/mod.ts";
import type { ToolOutcome } from "../../plugin_api/mod.ts";
import type { JsonObject } from "../../types/mod.ts";
import type { Confinement, PermissionMode, RunEvent } from "../../types/mod.ts";
import type { HiddenPlace, SandboxProxy } from "../../../plugins/tools_shell/mod.ts";
import { guardProbe, sandboxProbe } from "../sandbox_available.ts";
import type { DomainProxy } from "./domain_proxy.ts";
import { PlantedFiles } from "./planted_files.ts";
import { hiddenPlaces, likelyPlaces, pinnedFolders, placesInside, realHome } from "./hidden_places.ts";

export interface SandboxParts {
  /** Its real path. */
  workspace: string;
  home: string;
  /** Real path of Lumina's own folder. */
  app_root: string;
  env: { get(name: string): string | undefined };
  /** The folder of its repository where that lies outside of the workspace: it is read, not written. */
  repository?: string;
  /** Set for a locked run: its commands are closed in every mode, and nothing can be probed once it has begun. */
  locked?: boolean;
  settings(): Settings;
}

/** What one call takes into its sandbox. */
export interface CallSandbox {
  /** The key `sandbox` of the call's config. */
  config: JsonObject;
  /** The outcome of the call, with what the proxy refused meanwhile; ends what was opened for it. */
  around(outcome: Promise<ToolOutcome>): Promise<ToolOutcome>;
}

/** The path of a socket is short (108 bytes), so it cannot lie below any folder. */
const SOCKET_FOLDER = "/tmp";

/** The sandbox as a session uses it: whether there is one, what it hides, and the way to the listed domains. */
export class SessionSandbox {
  readonly #parts: SandboxParts;
  /** Of background shells, which outlive their call. */
  #proxies: DomainProxy[] = [];
  readonly #planted = new PlantedFiles();
  #told = false;
  #cleaned: Promise<void> | undefined;

  constructor(parts: SandboxParts) {
    this.#parts = parts;
  }

  /** A call may ask to leave its sandbox. */
  get escalates(): boolean {
    return this.#parts.settings().sandbox.allow_escalation;
  }

  /** Begins to find out what a command in this mode will need to know. */
  begin(mode: PermissionMode): void {
    this.#probe(mode).catch(() => {}); // told by `policy`
  }

  /** What the kernel must know of the sandbox; the first call starts a process, once. */
  async policy(mode: PermissionMode, emit: (event: RunEvent) => void): Promise<SandboxPolicy> {
    const probe = await this.#probe(mode);
    if (!probe.works && mode === "auto" && !this.#told) {
      this.#told = true;
      emit({
        type: "warning",
        text: `${
          this.#parts.settings().sandbox.fail_if_unavailable
            ? "No command runs (sandbox.fail_if_unavailable)"
            : "Mode auto asks before commands"
        }: there is no sandbox (${probe.reason})`,
      });
    }
    return {
      ...sandboxWishes(this.#parts),
      available: probe.works,
      ...(probe.works ? {} : { reason: probe.reason }),
    };
  }

  /** What a call takes with it. `background`: its command outlives the call. Locked runs get no proxy. */
  async forCall(
    confinement: Confinement | undefined,
    { background, locked, write_roots, deny_read = [] }: {
      background: boolean;
      locked: boolean;
      /** Where the command may write. */
      write_roots: readonly string[];
      /** Absolute patterns of rules; those that name one place hide it, the others only where the plugin looks for them. */
      deny_read?: readonly string[];
    },
  ): Promise<CallSandbox> {
    const { sandbox } = this.#parts.settings();
    const { app_root, repository } = this.#parts;
    const { secrets, allow_read } = sandboxWishes(this.#parts);
    const granted = [...confinement?.secrets ?? []];
    const opened = locked ? granted : [...granted, ...allow_read];
    const secret = hiddenPlaces(likelyPlaces(secrets), opened);
    const own = hiddenPlaces(
      [app_root, ...this.#paths(sandbox.deny_read), ...fixedPlaces(deny_read)],
      granted,
    );
    // a locked run may write nothing itself
    const closed = confinement?.level === "closed" && !locked;
    if (closed) this.#planted.watch(write_roots);
    const wants_proxy = Deno.build.os === "linux" && closed && !confinement.network &&
      sandbox.allowed_domains.length > 0;
    const proxy = wants_proxy ? await this.#openProxy() : undefined;
    const config = {
      secrets: secret.hidden.map((place) => ({ ...place })),
      hide: [...own.hidden, ...confinement?.level === "guarded" ? ownProcess() : []].map((place) => ({
        ...place,
      })),
      pinned: confinement?.level === "guarded"
        ? pinnedFolders(secret.hidden, realHome(this.#parts.home))
        : [],
      open: [...secret.open, ...own.open],
      allow_read: locked ? [] : [...allow_read, ...repository === undefined ? [] : [repository]],
      allow_write: locked ? [] : this.#paths(sandbox.allow_write),
      allow_escalation: sandbox.allow_escalation && !locked,
      ...(proxy === undefined ? {} : { proxy: { ...await proxyConfig(proxy, sandbox.allowed_domains) } }),
    };
    return {
      config,
      around: async (outcome) => {
        let over: ToolOutcome | undefined;
        try {
          over = await outcome;
        } finally {
          if (proxy !== undefined) {
            // also one that has passed its limit goes on
            if (background || over?.data?.["moved_to_background"] === true) this.#proxies.push(proxy);
            else await proxy.close();
          }
        }
        const notes: string[] = [];
        const refused = proxy?.refused() ?? [];
        if (refused.length > 0) {
          notes.push(`network: refused ${refused.join(", ")} (sandbox.allowed_domains)`);
        }
        const planted = closed ? this.#planted.remove() : [];
        if (planted.length > 0) {
          notes.push(`${planted.join(", ")} would run programs outside of the sandbox and was taken away`);
        }
        if (notes.length === 0) return over;
        return { ...over, content: [over.content, ...notes.map((note) => `[${note}]`)].join("\n") };
      },
    };
  }

  /** Ends what is still open. */
  async close(): Promise<void> {
    await Promise.all(this.#proxies.splice(0).map((proxy) => proxy.close()));
    // those of background shells, which end before this
    this.#planted.remove();
  }

  #probe(mode: PermissionMode) {
    const { locked, workspace } = this.#parts;
    const closed = locked === true || mode === "auto" || mode === "plan";
    return closed ? sandboxProbe(workspace) : guardProbe(workspace);
  }

  #paths(list: readonly string[]): string[] {
    return absolutePaths(list, this.#parts);
  }

  async #openProxy(): Promise<DomainProxy> {
    const [{ openDomainProxy, removeLeftSockets }, { systemNetwork }] = await Promise.all([
      import("./domain_proxy.ts"),
      import("../net/guarded_fetch.ts"),
    ]);
    const { allowed_domains: domains } = this.#parts.settings().sandbox;
    try {
      this.#cleaned ??= removeLeftSockets(SOCKET_FOLDER);
      await this.#cleaned;
      return await openDomainProxy({ domains, folder: SOCKET_FOLDER, network: systemNetwork() });
    } catch (error) {
      throw new LuminaError(
        "sandbox.proxy",
        `The proxy for sandbox.allowed_domains cannot listen in ${SOCKET_FOLDER}: ${
          errorMessage(error)
        }; nothing was run. Make that folder writable, or empty the setting`,
        { cause: error },
      );
    }
  }
}

/**
 * Root makes no namespace of users, which alone keeps the environment of this process from its children: its folder in /proc is
 * hidden instead.
 */
function ownProcess(): HiddenPlace[] {
  return Deno.build.os === "linux" && Deno.uid() === 0 ? [{ path: `/proc/${Deno.pid}`, dir: true }] : [];
}

/** What the settings want of the sandbox, and where the secrets lie, as the kernel takes it; whether there is one is open. */
export function sandboxWishes(
  parts: Pick<SandboxParts, "home" | "workspace" | "env" | "settings">,
): SandboxPolicy {
  const { home, env } = parts;
  const settings = parts.settings();
  const { sandbox, api_key_file, fallback_api_key_file } = settings;
  const { os } = Deno.build;
  const config_home = env.get("XDG_CONFIG_HOME");
  const data_home = env.get("XDG_DATA_HOME");
  const keys = [api_key_file, fallback_api_key_file].filter((path) => path !== undefined && path !== "");
  const secrets = [
    ...secretPlaces({
      home,
      os: os === "linux" || os === "darwin" ? os : "other",
      ...(config_home === undefined ? {} : { config_home }),
      ...(data_home === undefined ? {} : { data_home }),
    }),
    ...absolutePaths(keys as string[], parts),
  ];
  return {
    ...NO_SANDBOX,
    fail_if_unavailable: sandbox.fail_if_unavailable,
    excluded: [...sandbox.excluded_commands],
    allow_escalation: sandbox.allow_escalation,
    some_domains: sandbox.allowed_domains.length > 0,
    secrets,
    in_workspace: placesInside(likelyPlaces(secrets), parts.workspace),
    allow_read: absolutePaths(sandbox.allow_read, parts),
  };
}

/** The places of patterns that name one file or folder, without a wildcard. */
function fixedPlaces(patterns: readonly string[]): string[] {
  return patterns.flatMap((text) => {
    const pattern = PathPattern.fromAbsolute(text);
    const { place } = pattern;
    return place !== undefined && pattern.matches(place, true) ? [place] : [];
  });
}

/** `~` is the home folder; what is relative starts in the workspace. */
function absolutePaths(
  list: readonly string[],
  { home, workspace }: { home: string; workspace: string },
): string[] {
  return list.map((path) =>
    path === "~" || path.startsWith("~/") ? join(home, path.slice(1)) : resolve(workspace, path)
  );
}

async function proxyConfig(proxy: DomainProxy, domains: readonly string[]): Promise<SandboxProxy> {
  const [{ programCommand }, { BRIDGE_ARGUMENT }] = await Promise.all([
    import("../../plugin_host/process/mod.ts"),
    import("./bridge.ts"),
  ]);
  const { program, args } = programCommand(BRIDGE_ARGUMENT);
  const local = ["localhost", "127.0.0.1", "[::1]"].filter((host) =>
    !domains.some((domain) => domain.startsWith(host))
  );
  return {
    socket: proxy.socket,
    bridge: [program, ...args],
    ...(Deno.build.standalone ? {} : { sources: dirname(args.at(-2) ?? "") }),
    no_proxy: local.join(",").replace("[::1]", "::1"),
  };
}
