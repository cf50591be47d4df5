import { fileURLToPath } from "node:url";
import { nearest } from "../../base/mod.ts";
import type { DoctorCheck } from "../../cli/mod.ts";
import { loadSettings } from "../../config/mod.ts";
import { findCommandFiles, SkillLibrary } from "../../extension/mod.ts";
import type { FileProblem } from "../../extension/mod.ts";
import { readCatalog } from "../../plugin_host/mod.ts";
import { commandPlaces } from "../commands/command_files.ts";
import { DEFAULT_STYLE, outputStyles } from "../commands/output_styles.ts";
import { agentTypes } from "../features/agents/agent_types.ts";
import { skillPlaces } from "../features/skills/skill_places.ts";
import { listHooks } from "../hooks/list_hooks.ts";
import { hasPacks } from "../plugins/has_packs.ts";
import { sessionPacks } from "../plugins/session_packs.ts";
import type { DoctorParts } from "./doctor_parts.ts";

const FIX = "correct the file: it alone is not used";

/** What people have written as files: skills, commands, output styles, agents and hooks, and which of them are broken. */
export async function checkFiles(parts: DoctorParts): Promise<DoctorCheck[]> {
  const { app_root, entry, project, root } = parts;
  const home = parts.home();
  const { settings } = await loadSettings({ app_root, project_dir: project.root, env: Deno.env, home });
  const bundled = readCatalog(fileURLToPath(new URL("plugins", root)));
  const catalog = hasPacks(app_root, project)
    ? (await sessionPacks({ bundled, app_root, project, root, disabled: settings.disabled_plugins })).catalog
    : bundled;
  const places = {
    app_root,
    catalog,
    files: { root, entry },
    flags: { bare: false, allowed_tools: [], disallowed_tools: [] },
    located: { project },
  };
  const skills = await new SkillLibrary().look(skillPlaces({
    project: project.root,
    app_root,
    embedded: root,
    home,
    packs: catalog.packs,
    settings,
  }));
  const commands = await findCommandFiles(commandPlaces(places));
  const styles = await outputStyles(places);
  const agents = await agentTypes({ files: { root }, app_root, project_root: project.root });
  const hooks = await listHooks({ app_root, home, root }, { cwd: project.root });
  const broken = [
    ...skills.problems.map((problem) => check("skill", problem, problem.usable)),
    ...commands.problems.map((problem) => check("command", problem)),
    ...styles.problems.map((problem) => check("output style", problem)),
    ...chosenStyle(settings.output_style, styles.styles.map(({ name }) => name)),
    ...agents.problems.map((problem) => check("agent", problem)),
    ...hooks.problems.map((found): DoctorCheck => ({
      layer: "files",
      what: "hook",
      status: "failed",
      found,
      fix: FIX,
    })),
  ];
  if (broken.some(({ status }) => status === "failed")) return broken;
  const found = `${skills.skills.length} skills, ${commands.commands.length} commands, ` +
    `${styles.styles.length} output styles, ${agents.types.length} agent types, ${hooks.hooks.length} hooks`;
  return [{ layer: "files", what: "can be read", status: "ok", found }, ...broken];
}

/** The style that the settings name, where it is none. */
function chosenStyle(name: string, names: readonly string[]): DoctorCheck[] {
  if ([DEFAULT_STYLE, ...names].some((each) => each.toLowerCase() === name.toLowerCase())) return [];
  return [{
    layer: "files",
    what: "output style",
    status: "failed",
    found: `the setting output_style names ${
      JSON.stringify(name)
    }, which no file has: answers are written as by default`,
    fix: `lumina config set output_style ${nearest(name, names) ?? DEFAULT_STYLE}`,
  }];
}

function check(what: string, { file, line, message }: FileProblem, usable = false): DoctorCheck {
  const found = `${file}${line === undefined ? "" : `:${line}`}: ${message}`;
  return usable
    ? { layer: "files", what, status: "note", found }
    : { layer: "files", what, status: "failed", found, fix: FIX };
}
