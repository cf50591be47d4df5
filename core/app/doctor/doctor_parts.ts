import type { AppRoot, ProjectIdentity } from "../../app_root/mod.ts";
import type { World } from "../../base/mod.ts";

/** What the commands for people stand on. */
export interface PeopleOptions {
  appRoot(): AppRoot;
  home(): string;
  /** Where the program's own files lie. */
  root: URL;
  /** A module of the program by its path without ending. */
  entry(path: string): URL;
  world: World;
}

/** What the doctor stands on once the app root is open. */
export interface DoctorParts extends PeopleOptions {
  app_root: AppRoot;
  project: ProjectIdentity;
}
