/** A build of a pack; with problems nothing was written. */
export interface PluginBuild {
  id: string;
  version: string;
  /** Where it was written, absolute. */
  out: string;
  /** Bytes of what was written, by name. */
  files: Record<string, number>;
  /** One line each, with `file:line:column` where there is one. */
  problems: string[];
  warnings: string[];
  types_checked: boolean;
  /** Why types were not checked; empty when they were. */
  types_reason: string;
}

/** One line of the table that a check prints. */
export interface PluginCheck {
  check: string;
  /** The tool that it is about. */
  tool?: string;
  ok: boolean;
  /** What was found, or what to do. */
  detail: string;
}

/** One round of `dev`. */
export interface PluginRound {
  /** What started it, relative to the pack; empty for the first. */
  changed: string[];
  build?: PluginBuild;
  /** Empty when it did not build. */
  checks: PluginCheck[];
  /** Why there is no build at all, as when the manifest cannot be read. */
  error?: string;
}

/** What `lumina help` has pages of: the guide, every key of a manifest, the protocol of hooks, and slash commands. */
export const GUIDE_TOPICS = ["plugins", "plugin-manifest", "hooks", "commands", "web"] as const;
export type GuideTopic = (typeof GUIDE_TOPICS)[number];

/** Making plugins. Folders are relative to the current one; absent means it. */
export interface PluginAuthorPort {
  create(request: { kind: string; name: string; directory?: string }): Promise<{
    directory: string;
    files: string[];
  }>;
  build(request: { directory?: string; out?: string }): Promise<PluginBuild>;
  check(request: { directory?: string }): Promise<PluginCheck[]>;
  /** Builds and checks after every change until the signal aborts; the next round waits for what is done with one. */
  dev(request: {
    directory?: string;
    signal: AbortSignal;
    round(round: PluginRound): Promise<void>;
  }): Promise<void>;
  /** A page for authors, Markdown. */
  guide(topic: GuideTopic): Promise<string>;
}
