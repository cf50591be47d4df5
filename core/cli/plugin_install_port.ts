/** What a person is asked before a pack is put in place. */
export interface PluginQuestion {
  id: string;
  version: string;
  title: string;
  source: string;
  scope: "user" | "project";
  /** What is there now, when something is. */
  replaces?: { version: string; source: string };
  /** The new version is the older one. */
  downgrade: boolean;
  /** In words: what has not been granted yet, and what has. */
  asks: string[];
  granted: string[];
  /** In words: what its hooks do, those that nobody has let yet and those that were let before. */
  hooks: string[];
  known_hooks: string[];
}

/** What became of a pack. */
export interface InstalledPlugin {
  id: string;
  version: string;
  scope: "user" | "project";
  /** `declined`: the person said no, and nothing was changed. */
  status: "installed" | "updated" | "unchanged" | "declined";
  /** The version that was there before. */
  from?: string;
  downgrade: boolean;
  directory: string;
  /** In words. */
  granted: string[];
  /** In words: what its hooks do. */
  hooks: string[];
  /** Files that are not installed, since the pack's own integrity does not name them. */
  left_out: string[];
}

/** What removing takes. */
export interface PluginRemoval {
  id: string;
  version: string;
  directory: string;
  /** Its own folder, when it has kept something there. */
  data_dir?: string;
}

/** Which packs are meant: the user's, or those of the project in `cwd`. */
export interface PluginScopeOptions {
  project: boolean;
  cwd?: string;
}

/** Asks a person; false is a no. Where nobody can be asked it throws. */
export type PluginConsent = (question: PluginQuestion) => Promise<boolean>;

/** Installing, renewing and removing packs. Every error is one line that names the pack. */
export interface PluginInstallPort {
  install(source: string, options: PluginScopeOptions, consent: PluginConsent): Promise<InstalledPlugin>;
  /** Fetches a pack again from where it came from. */
  update(id: string, options: PluginScopeOptions, consent: PluginConsent): Promise<InstalledPlugin>;
  /** Ids of the packs that were installed. */
  installed(options: PluginScopeOptions): Promise<string[]>;
  planRemoval(id: string, options: PluginScopeOptions): Promise<PluginRemoval>;
  remove(id: string, options: PluginScopeOptions & { keep_data: boolean }): Promise<PluginRemoval>;
}
