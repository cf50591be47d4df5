import type { CommandInfo, CommandSource } from "../../types/mod.ts";
import type { Builtin } from "./command.ts";

const HEADINGS: readonly [CommandSource, string][] = [
  ["builtin", "Commands"],
  ["skill", "Skills"],
  ["user", "Your command files"],
  ["project", "Command files of the project"],
  ["pack", "Commands of plugins"],
];

/** Columns of the commands themselves. */
const WIDTH = 26;

/** `/help`: everything that may stand behind a slash here, and nothing else. */
export const HELP_COMMAND: Builtin = {
  info: {
    name: "help",
    aliases: [],
    argument_hint: "[command]",
    description: "List the slash commands, skills and command files that there are here.",
  },
  async run(context, args, signal) {
    signal.throwIfAborted();
    const all = await context.list();
    const wanted = args.replace(/^\//, "").toLowerCase();
    if (wanted !== "") {
      const one = all.find(({ name, aliases }) =>
        [name, ...aliases].some((each) => each.toLowerCase() === wanted)
      );
      if (one === undefined) throw context.unknown(wanted, all);
      return { kind: "text", text: details(one), data: { commands: [{ ...one }] } };
    }
    const problems = await context.problems();
    return {
      kind: "text",
      text: [commandList(all), ...problems.map((problem) => `problem: ${problem}`)].join("\n"),
      data: { commands: all.map((one) => ({ ...one })) },
    };
  },
};

/** The commands by where they come from. */
export function commandList(all: readonly CommandInfo[]): string {
  const parts = HEADINGS.flatMap(([source, heading]) => {
    const own = all.filter((one) => one.source === source);
    if (own.length === 0) return [];
    const lines = own.map((one) => {
      const usage = `  ${usageOf(one)}`;
      const about = `${oneLine(one.description)}${aliasText(one)}`;
      return usage.length <= WIDTH
        ? `${usage.padEnd(WIDTH)}  ${about}`
        : `${usage}\n${" ".repeat(WIDTH)}  ${about}`;
    });
    return [`${heading}\n${lines.join("\n")}`];
  });
  return parts.join("\n\n");
}

function details(one: CommandInfo): string {
  const lines = [`${usageOf(one)}${aliasText(one)}`, oneLine(one.description)];
  if (one.file !== undefined) lines.push(`file: ${one.file}`);
  return lines.join("\n");
}

function usageOf({ name, argument_hint }: CommandInfo): string {
  return `/${name}${argument_hint === "" ? "" : ` ${oneLine(argument_hint)}`}`;
}

function aliasText({ aliases }: CommandInfo): string {
  return aliases.length === 0 ? "" : ` (also ${aliases.map((alias) => `/${alias}`).join(", ")})`;
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/gu, " ").trim();
  return line.length <= 200 ? line : `${line.slice(0, 199)}…`;
}
