import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { AppRoot } from "../../../app_root/mod.ts";
import type { Settings } from "../../../config/mod.ts";
import type { SkillPlace } from "../../../extension/mod.ts";
import type { Pack } from "../../../plugin_host/mod.ts";

/** What says where skills are. */
export interface SkillPlaces {
  /** The project's root. */
  project: string;
  app_root: AppRoot;
  /** The program's own `resources/`. */
  embedded: URL;
  home: string;
  /** Those that may run. */
  packs: readonly Pack[];
  settings: Pick<Settings, "skills_enabled" | "skills_dir">;
}

/**
 * Where skills are looked for; the first that has a name wins: the project's `skills/` and its second folder, the one beside
 * its commands and agents, what other agents read there, the user's, packs, and those of the program, from the copy in the app root where there is one.
 */
export function skillPlaces(
  { project, app_root, embedded, home, packs, settings }: SkillPlaces,
): SkillPlace[] {
  if (!settings.skills_enabled) return [];
  const own = (directory: string): SkillPlace => ({ source: "user", directory });
  const theirs = ["skills", settings.skills_dir, ".Lumina/skills", ".claude/skills"].map((
    folder,
  ): SkillPlace => ({
    source: "project",
    directory: join(project, folder),
    within: project,
  }));
  return [
    ...theirs,
    own(app_root.userSkillsDir),
    own(join(home, ".claude", "skills")),
    ...packs.flatMap(({ id, directory, manifest }) =>
      (manifest.contributes.skills ?? []).map((folder): SkillPlace => ({
        source: "pack",
        directory: join(directory, folder),
        within: directory,
        pack: id,
        single: true,
      }))
    ),
    { source: "bundled", directory: join(app_root.resourcesDir, "skills") },
    { source: "bundled", directory: fileURLToPath(new URL("resources/skills", embedded)) },
  ];
}
