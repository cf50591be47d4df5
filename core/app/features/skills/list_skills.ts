import { fileURLToPath } from "node:url";
import { projectIdentity, startDirectory } from "../../../app_root/mod.ts";
import type { AppRoot } from "../../../app_root/mod.ts";
import type { SkillListing } from "../../../cli/mod.ts";
import { loadSettings } from "../../../config/mod.ts";
import { SkillLibrary } from "../../../extension/mod.ts";
import { readCatalog } from "../../../plugin_host/mod.ts";
import { hasPacks } from "../../plugins/has_packs.ts";
import { sessionPacks } from "../../plugins/session_packs.ts";
import { skillPlaces } from "./skill_places.ts";

/** Every skill of a session that would start in a directory, and why one is not used. Throws `config.…` and `cli.usage`. */
export async function listSkills(
  { app_root, home, root }: {
    app_root: AppRoot;
    home: string;
    /** Folder of the program's `plugins` and `resources`. */
    root: URL;
  },
  where: { cwd?: string; settings_file?: string },
): Promise<SkillListing> {
  const project = projectIdentity(startDirectory(where.cwd));
  const { settings } = await loadSettings({
    app_root,
    project_dir: project.root,
    env: Deno.env,
    home,
    ...(where.settings_file === undefined ? {} : { settings_file: where.settings_file }),
  });
  const bundled = readCatalog(fileURLToPath(new URL("plugins", root)));
  const disabled = settings.disabled_plugins;
  const packs = hasPacks(app_root, project)
    ? (await sessionPacks({ bundled, app_root, project, root, disabled })).catalog.packs
    : [];
  const places = skillPlaces({
    project: project.root,
    app_root,
    embedded: root,
    home,
    packs,
    // what is switched off is listed as well, and says so
    settings: { ...settings, skills_enabled: true },
  });
  const { skills, problems } = await new SkillLibrary().look(places);
  return {
    skills: skills.map((skill) => ({
      name: skill.name,
      source: skill.source,
      pack: skill.pack ?? null,
      description: skill.description,
      argument_hint: skill.argument_hint,
      file: skill.file,
      user_invocable: skill.user_invocable,
      model_invocable: skill.model_invocable,
      fork: skill.fork,
      off: !settings.skills_enabled
        ? "skills_enabled is false"
        : settings.disabled_skills.includes(skill.name)
        ? "disabled_skills names it"
        : null,
    })),
    problems: problems.map(({ file, line, message, usable }) =>
      `${file}${line === undefined ? "" : `:${line}`}: ${message}${usable ? "" : " (this skill is not used)"}`
    ),
  };
}
