import { EXIT, LuminaError } from "../../base/mod.ts";
import { EFFORTS } from "../../model/mod.ts";
import type { Builtin } from "./command.ts";

/** The model and how hard it thinks. */
export const MODEL_COMMANDS: readonly Builtin[] = [
  {
    info: {
      name: "model",
      aliases: [],
      argument_hint: "[name]",
      description: "Show the model, or change it while this session is open.",
    },
    async run({ session, parts }, args) {
      if (args !== "") {
        const before = session.model.name;
        await session.setModel(args);
        const { name } = session.model;
        return {
          kind: "text",
          text: `Model: ${name}${before === "" || before === name ? "" : ` (was ${before})`}. ` +
            `It holds while this session is open; lumina config set api_model ${name} keeps it.`,
          data: { model: name },
        };
      }
      const { name, window, max_output } = session.model;
      if (name === "") {
        return {
          kind: "text",
          text: "No model is configured: /model NAME sets one for this session, " +
            "lumina config set api_model NAME for all of them.",
          data: { model: null },
        };
      }
      const { fallback_api_enabled, fallback_api_model } = parts.watch.current.settings;
      const lines = [`Model: ${name}, window ${window} tokens, output up to ${max_output}.`];
      if (fallback_api_enabled && fallback_api_model) lines.push(`Fallback: ${fallback_api_model}.`);
      return { kind: "text", text: lines.join("\n"), data: { model: name, window, max_output } };
    },
  },
  {
    info: {
      name: "effort",
      aliases: [],
      argument_hint: `[${EFFORTS.join("|")}]`,
      description: "Show or change how hard the model thinks, while this session is open.",
    },
    async run({ session, parts }, args) {
      const levels = EFFORTS.join(", ");
      if (args === "") {
        const { effort } = parts.watch.current.settings;
        const text = effort === undefined
          ? `Effort: the model's own; there are ${levels}.`
          : `Effort: ${effort}; there are ${levels}.`;
        return { kind: "text", text, data: { effort: effort ?? null } };
      }
      const effort = EFFORTS.find((level) => level === args);
      if (effort === undefined) {
        throw new LuminaError(
          "command.usage",
          `There is no effort ${JSON.stringify(args.slice(0, 80))}: give one of ${levels}`,
          { exit: EXIT.usage },
        );
      }
      await session.setEffort(effort);
      return {
        kind: "text",
        text:
          `Effort: ${effort}. It holds while this session is open; lumina config set effort ${effort} keeps it.`,
        data: { effort },
      };
    },
  },
];
