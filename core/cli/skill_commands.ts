import type { Command } from "commander";
import type { CliDeps } from "./cli_deps.ts";
import type { ListedSkill, SkillListing } from "./skill_port.ts";
import { visibleControls } from "./visible_controls.ts";

const FORMAT = `
A skill is a folder with a SKILL.md: instructions for one kind of task, which the model loads when the task fits and a
person by typing /name. It is looked for in the project's skills/, .Lumina/PROJECT_SKILLS/, .Lumina/skills/ and
.claude/skills/, in config/skills/ of Lumina's own folder and ~/.claude/skills/, in plugins, and among those of the
program; the first of a name is used. The file begins with its fields:
  ---
  name: the name of the folder
  description: what it does and when it is used
  ---
and may have: when-to-use, argument-hint, arguments, allowed-tools, model, effort, context: fork, agent, shell, paths,
user-invocable, disable-model-invocation. In its text $ARGUMENTS, $0, $name and \${LUMINA_SKILL_DIR} are filled in, and
!\`command\` stands for what the command prints: it is judged as a call of Bash, and one of a project or plugin is asked
about unless a rule allows it. allowed-tools of a project's or a plugin's skill leaves only these tools; in your own files it allows them.`;

/** `lumina skills …`: instructions for kinds of tasks. */
export function addSkillCommands(program: Command, { app, io }: CliDeps): void {
  const skills = program.command("skills").description(
    "look at the instructions that there are for kinds of tasks",
  )
    .addHelpText("after", FORMAT);
  skills.command("list").description(
    "every skill of a session that would start here, and what is wrong with their files",
  )
    .option("--cwd <dir>", "the project; default is the current directory")
    .option("--settings <file>", "the settings file of a run")
    .option("--json", "as JSON")
    .action(async (options: { cwd?: string; settings?: string; json?: true }) => {
      const before: { cwd?: string; settings?: string } = program.opts();
      const { cwd = before.cwd, settings = before.settings } = options;
      const listing = await app.skills.list({
        ...(cwd === undefined ? {} : { cwd }),
        ...(settings === undefined ? {} : { settings_file: settings }),
      });
      await io.out(options.json ? `${JSON.stringify(listing)}\n` : listingText(listing));
    });
}

function listingText({ skills, problems }: SkillListing): string {
  const lines = skills.flatMap(skillLines);
  if (skills.length === 0) lines.push("No skills (lumina skills --help)");
  lines.push(...problems.map((problem) => `problem: ${problem}`));
  return `${lines.map(visibleControls).join("\n")}\n`;
}

function skillLines(skill: ListedSkill): string[] {
  const hint = skill.argument_hint === "" ? "" : ` ${skill.argument_hint}`;
  const who = [
    ...(skill.user_invocable ? [] : ["only the model"]),
    ...(skill.model_invocable ? [] : ["only people"]),
    ...(skill.fork ? ["by a sub-agent"] : []),
  ];
  const source = skill.pack === null ? skill.source : `plugin ${skill.pack}`;
  return [
    `/${skill.name}${hint}: ${skill.description.replace(/\s+/g, " ")}`,
    `  ${[source, ...who, skill.file].join(", ")}`,
    ...(skill.off === null ? [] : [`  NOT USED: ${skill.off}`]),
  ];
}
