import { LuminaError } from "../../base/mod.ts";
import { EXIT } from "../../base/mod.ts";
import { parsePermissionMode, PERMISSION_MODES } from "../../types/mod.ts";
import type { PermissionMode } from "../../types/mod.ts";
import type { Builtin, BuiltinReply, CommandContext } from "./command.ts";
import { notTyped } from "./line_commands.ts";

const NEXT = "It holds for the prompts that follow while this session is open.";

async function switchTo(context: CommandContext, mode: PermissionMode, name: string): Promise<BuiltinReply> {
  const before = await context.session.mode();
  const wider = PERMISSION_MODES.indexOf(mode) > PERMISSION_MODES.indexOf(before);
  if (wider && !context.typed) return notTyped(name);
  await context.session.setMode(mode);
  const text = mode === before ? `The mode is ${mode} already.` : `Mode: ${mode} (was ${before}). ${NEXT}`;
  return { kind: "text", text, data: { mode, before } };
}

/** The permission mode. */
export const MODE_COMMANDS: readonly Builtin[] = [
  {
    info: {
      name: "mode",
      aliases: [],
      argument_hint: `[${PERMISSION_MODES.join("|")}]`,
      description: "Show or change the permission mode, while this session is open.",
    },
    async run(context, args) {
      if (args === "") {
        const mode = await context.session.mode();
        return {
          kind: "text",
          text: `Mode: ${mode}. There are ${PERMISSION_MODES.join(", ")}.`,
          data: { mode },
        };
      }
      const mode = parsePermissionMode(args);
      if (mode !== undefined) return await switchTo(context, mode, "mode");
      throw new LuminaError(
        "command.usage",
        `There is no mode ${JSON.stringify(args.slice(0, 80))}: give one of ${PERMISSION_MODES.join(", ")}`,
        { exit: EXIT.usage },
      );
    },
  },
  {
    info: {
      name: "yolo",
      aliases: [],
      argument_hint: "",
      description: "Switch the mode yolo on (everything but deny rules is allowed), or off again.",
    },
    async run(context) {
      const on = await context.session.mode() === "yolo";
      return await switchTo(context, on ? "ask" : "yolo", "yolo");
    },
  },
  {
    info: {
      name: "plan",
      aliases: [],
      argument_hint: "[what to plan]",
      description: "Switch to plan mode, in which nothing is changed; with words, plan that.",
    },
    async run(context, args, signal) {
      const reply = await switchTo(context, "plan", "plan");
      if (args === "") return reply;
      const skill = await context.other("plan", args, signal);
      if (skill !== undefined) return skill;
      return {
        kind: "prompt",
        prompt: `Make a plan and change nothing: ${args}`,
        display: `/plan ${args}`,
        hidden: true,
      };
    },
  },
];
