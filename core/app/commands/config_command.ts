import { EXIT, LuminaError, nearest } from "../../base/mod.ts";
import type { Builtin } from "./command.ts";
import { notTyped } from "./line_commands.ts";

/** `/config`: the settings of this project, or one changed in the user's file. */
export const CONFIG_COMMAND: Builtin = {
  info: {
    name: "config",
    aliases: ["settings"],
    argument_hint: "[key [value]]",
    description: "Show the settings and where each comes from, or change one in your settings file.",
  },
  secret_args: true,
  async run({ app, parts, typed }, args) {
    const match = /^(\S+)(?:\s+([\s\S]+))?$/.exec(args);
    const key = match?.[1];
    const value = match?.[2];
    if (key !== undefined && value !== undefined) {
      if (!typed) return notTyped("config");
      const { file } = await app.config.set(key, value.trim());
      return { kind: "text", text: `${key} is set in ${file}; it holds from the next prompt on.` };
    }
    const rows = await app.config.list(parts.located.project.root);
    const shown = key === undefined ? rows : rows.filter((row) => row.key === key);
    if (key !== undefined && shown.length === 0) {
      const guess = nearest(key, rows.map((row) => row.key));
      throw new LuminaError(
        "command.usage",
        `There is no setting ${JSON.stringify(key.slice(0, 80))}${
          guess === undefined ? ": /config lists them" : `: did you mean ${guess}?`
        }`,
        { exit: EXIT.usage },
      );
    }
    return {
      kind: "text",
      text: shown.map((row) => `${row.key} = ${row.value}  (${row.source})`).join("\n"),
      data: { settings: shown },
    };
  },
};
