import { EXIT, LuminaError, nearest } from "../../base/mod.ts";
import type { Builtin } from "./command.ts";
import { notTyped } from "./line_commands.ts";

/** `/output-style`: how answers are written. */
export const STYLE_COMMAND: Builtin = {
  info: {
    name: "output-style",
    aliases: [],
    argument_hint: "[name]",
    description: "List the output styles, or choose one for the sessions that begin from now on.",
  },
  async run({ app, parts, typed }, args) {
    const { DEFAULT_STYLE, outputStyles } = await import("./output_styles.ts");
    const { styles, problems } = await outputStyles(parts);
    const current = parts.watch.current.settings.output_style;
    const all = [
      { name: DEFAULT_STYLE, description: "Brief and concrete, without a style of its own.", file: "" },
      ...styles.filter(({ name }) => name !== DEFAULT_STYLE),
    ];
    if (args === "") {
      const lines = all.map(({ name, description, file }) =>
        `${name.toLowerCase() === current.toLowerCase() ? "*" : " "} ${name.padEnd(14)} ${description}${
          file === "" ? "" : `  (${file})`
        }`
      );
      const wrong = problems.map(({ file, line, message }) =>
        `problem: ${file}${line === undefined ? "" : `:${line}`}: ${message}`
      );
      const data = {
        output_style: current,
        styles: all.map(({ name, description }) => ({ name, description })),
      };
      return { kind: "text", text: [...lines, ...wrong].join("\n"), data };
    }
    if (!typed) return notTyped("output-style");
    const style = all.find(({ name }) => name.toLowerCase() === args.toLowerCase());
    if (style === undefined) {
      const guess = nearest(args, all.map(({ name }) => name));
      throw new LuminaError(
        "command.usage",
        `There is no output style ${JSON.stringify(args.slice(0, 80))}: ${
          guess === undefined
            ? `there are ${all.map(({ name }) => name).join(", ")}`
            : `did you mean ${guess}?`
        }`,
        { exit: EXIT.usage },
      );
    }
    const { file } = await app.config.set("output_style", style.name);
    return {
      kind: "text",
      text:
        `Output style: ${style.name}, kept in ${file}. It begins with the next session: the system prompt of this one stays.`,
      data: { output_style: style.name },
    };
  },
};
