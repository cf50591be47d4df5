import { EXIT, LuminaError } from "../../base/mod.ts";
import { tasksOf } from "../../session/mod.ts";
import type { Builtin, CommandContext } from "./command.ts";
import { notTyped } from "./line_commands.ts";
import { splitWords } from "./split_words.ts";

const MARKS: Readonly<Record<string, string>> = { completed: "[x]", in_progress: "[>]" };

/** What goes on in a session: tasks, sub-agents, commands in the background. */
export const WORK_COMMANDS: readonly Builtin[] = [
  {
    info: {
      name: "tasks",
      aliases: ["todos"],
      argument_hint: "",
      description: "Show the session's list of tasks.",
    },
    run({ parts }) {
      const tasks = tasksOf(parts.session.state);
      const lines = tasks.map(({ task_id, subject, status, owner, blocked_by }) => {
        const facts = [
          ...(owner === undefined ? [] : [owner]),
          ...(blocked_by.length === 0 ? [] : [`after ${blocked_by.join(", ")}`]),
        ];
        return `${MARKS[status] ?? "[ ]"} ${task_id}  ${subject}${
          facts.length === 0 ? "" : ` (${facts.join("; ")})`
        }`;
      });
      return {
        kind: "text",
        text: lines.length === 0 ? "There are no tasks." : lines.join("\n"),
        data: { tasks: tasks.map((task) => ({ ...task })) },
      };
    },
  },
  {
    info: {
      name: "agents",
      aliases: [],
      argument_hint: "",
      description: "List the agent types that there are here, and the sub-agents of this session.",
    },
    async run({ parts, shared }) {
      const { types, problems } = await shared.agents?.types() ?? { types: [], problems: [] };
      const lines = types.map(({ name, description, source, file }) =>
        `${name.padEnd(20)} ${description.replace(/\s+/gu, " ")}  (${file ?? source})`
      );
      if (lines.length === 0) lines.push("This session has no sub-agents.");
      const { agents } = parts.session.state;
      if (agents.length > 0) lines.push("", "In this session:");
      for (const { agent_id, agent_type, description, background, status } of agents) {
        lines.push(
          `  ${agent_id}  ${status}${background ? ", in the background" : ""}  ${agent_type}: ${description}`,
        );
      }
      for (const { file, line, message } of problems) {
        lines.push(`problem: ${file}${line === undefined ? "" : `:${line}`}: ${message}`);
      }
      return {
        kind: "text",
        text: lines.join("\n"),
        data: {
          types: types.map((type) => ({ ...type })),
          agents: agents.map(({ agent_id, agent_type, description, background, status }) => ({
            agent_id,
            agent_type,
            description,
            background,
            status,
          })),
        },
      };
    },
  },
  {
    info: {
      name: "bashes",
      aliases: ["shells"],
      argument_hint: "[kill ID]",
      description: "List the commands that run in the background, or end one.",
    },
    async run(context, args, signal) {
      const [verb, id, ...rest] = splitWords(args);
      if (verb !== undefined) {
        if (verb !== "kill" || id === undefined || rest.length > 0) {
          throw new LuminaError("command.usage", "Not understood: /bashes, or /bashes kill ID", {
            exit: EXIT.usage,
          });
        }
        if (!context.typed) return notTyped("bashes");
        return { kind: "text", text: await kill(context, id, signal) };
      }
      const { shells } = context.parts.session.state;
      return {
        kind: "text",
        text: shells.length === 0
          ? "No command runs in the background."
          : shells.map(({ shell_id, command }) => `${shell_id}  ${command.replace(/\s+/gu, " ")}`).join("\n"),
        data: { shells: shells.map((shell) => ({ ...shell })) },
      };
    },
  },
];

/** Ends a command as the model's own tool does. */
async function kill(
  { parts, session }: CommandContext,
  shell_id: string,
  signal: AbortSignal,
): Promise<string> {
  if (!parts.session.state.shells.some((shell) => shell.shell_id === shell_id)) {
    throw new LuminaError(
      "command.not_found",
      `No command ${shell_id} runs in the background: /bashes lists them`,
      {
        exit: EXIT.not_found,
      },
    );
  }
  const { gate, tools } = await session.callPorts(signal);
  const tool = tools.find("KillShell");
  if (tool === undefined) throw new LuminaError("command.failed", "KillShell is not offered in this session");
  const input = { shell_id };
  const { content, is_error } = await tools.call(tool, input, {
    call_id: parts.world.uuid(),
    verdict: await gate.judge(tool, input),
    seen: {},
    signal,
    progress: () => {},
  });
  if (is_error === true) throw new LuminaError("command.failed", content.replaceAll("\n", "; "));
  return content;
}
