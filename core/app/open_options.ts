import type { AppRoot } from "../app_root/mod.ts";
import type { World } from "../base/mod.ts";
import type { AppPort, RunFlags } from "../cli/mod.ts";
import type { JournalWorker } from "../journal/mod.ts";
import type { SessionStore } from "./sessions/session_store.ts";

/** Where the program's own files are. */
export interface ProgramFiles {
  /** The folder of `resources/` and `plugins/`. */
  root: URL;
  /** A worker entry by its source path without extension. */
  entry(path: string): URL;
}

export interface OpenOptions {
  files: ProgramFiles;
  world: World;
  app_root: AppRoot;
  /** Started before anything else was loaded; the session closes it. */
  journals: JournalWorker;
  home: string;
  flags: RunFlags;
  /** What the command line has; slash commands are carried out by it. */
  app: AppPort;
  store: SessionStore;
  warn(text: string): void;
}
