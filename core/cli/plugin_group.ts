import type { Command } from "commander";

/** `lumina plugin`: made by the first that adds a command to it. */
export function pluginGroup(program: Command): Command {
  return program.commands.find((command) => command.name() === "plugin") ??
    program.command("plugin").description("install, look at and write plugins");
}
