import type { Builtin } from "./command.ts";
import { commandList } from "./help_command.ts";

/** `/skills`: the skills that can be called by name here. */
export const SKILLS_COMMAND: Builtin = {
  info: {
    name: "skills",
    aliases: ["skill"],
    argument_hint: "",
    description: "List the skills that there are here.",
  },
  async run(context) {
    const skills = (await context.list()).filter(({ source }) => source === "skill");
    const text = skills.length === 0 ? "There are no skills here." : commandList(skills);
    return { kind: "text", text, data: { skills: skills.map((one) => ({ ...one })) } };
  },
};
