export type PluginScope = "bundled" | "user" | "project";

/** One plugin in a list. */
export interface PluginRow {
  id: string;
  version: string;
  title: string;
  scope: PluginScope;
  /** Its tools may run. */
  enabled: boolean;
  /** Names of its tools. */
  tools: string[];
  /** Events at which its hooks run. */
  hooks: string[];
  /** Where a plugin of the same id stands before it. */
  shadowed_by: PluginScope | null;
  /** What keeps it or one of its tools from running, one line each. */
  problems: string[];
  /** Switched off by a person: `record`, or by the setting `disabled_plugins`: `setting`. */
  switched_off: "record" | "setting" | null;
  directory: string;
}

export interface PluginListing {
  plugins: PluginRow[];
  /** What is wrong and belongs to no row: folders without a readable manifest, a damaged record. */
  problems: string[];
}

/** Everything that is known of one plugin. */
export interface PluginDetails extends PluginRow {
  description: string;
  kinds: string[];
  /** Where it was installed from; null of a bundled one and of one that was never approved. */
  source: { kind: string; value: string } | null;
  installed_at: string | null;
  /** What it keeps for itself; null of a bundled one. */
  data_dir: string | null;
  entry: string | null;
  /** SHA-256 by path, as approved. */
  files: Record<string, string>;
  tool_details: {
    name: string;
    effect: string;
    destructive: boolean;
    idempotent: boolean;
    capabilities: string[];
    description: string;
  }[];
  /** Its hooks, `words` saying what each does. */
  hook_details: {
    event: string;
    matcher: string | null;
    handler: string;
    capabilities: string[];
    words: string;
  }[];
  /** In words: what it asks for and has. */
  granted: string[];
  /** In words: what it asks for and nobody has granted. */
  not_granted: string[];
}

/** What a person is shown before a plugin is approved again. */
export interface PluginTrustQuestion {
  id: string;
  version: string;
  title: string;
  scope: PluginScope;
  directory: string;
  /** The version that was approved; null for one that never was. */
  approved: string | null;
  changes: { path: string; what: "changed" | "added" | "missing" }[];
  /** In words: not granted yet, granted before, granted and not asked for any more. */
  asks: string[];
  granted: string[];
  dropped: string[];
  /** In words: what its hooks do, those that nobody has let yet and those that were let before. */
  hooks: string[];
  known_hooks: string[];
}

export interface PluginTrusted {
  id: string;
  version: string;
  scope: PluginScope;
  /** `declined`: the person said no, and nothing was changed. */
  status: "trusted" | "unchanged" | "declined";
}

export interface PluginListOptions {
  cwd?: string;
  /** The project's pack of an id that another scope has too. */
  project: boolean;
}

/** Looking at plugins, switching them on and off, approving what has changed. */
export interface PluginListPort {
  list(cwd: string | undefined): Promise<PluginListing>;
  /** Throws `plugin.unknown` (exit 4). */
  show(id: string, options: PluginListOptions): Promise<PluginDetails>;
  /** Gives what keeps it off all the same. Throws `plugin.unknown` (exit 4), `plugin.blocked` (exit 3). */
  enable(id: string, on: boolean, options: PluginListOptions): Promise<{ changed: boolean; still: string[] }>;
  trust(
    id: string,
    options: PluginListOptions,
    consent: (question: PluginTrustQuestion) => Promise<boolean>,
  ): Promise<PluginTrusted>;
}
