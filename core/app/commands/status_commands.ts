import { VERSION } from "../version.ts";
import type { Builtin } from "./command.ts";

/** How the session stands. */
export const STATUS_COMMANDS: readonly Builtin[] = [
  {
    info: {
      name: "status",
      aliases: [],
      argument_hint: "",
      description: "Show the session: model, mode, workspace, messages, version.",
    },
    async run({ session, parts }) {
      const { state } = parts.session;
      const { settings } = parts.watch.current;
      const mode = await session.mode();
      const facts: [string, string][] = [
        ["session", session.session_id],
        ["title", state.title === "" ? "(no prompt yet)" : state.title.replace(/\s+/gu, " ")],
        ["workspace", parts.located.project.root],
        ["model", session.model.name === "" ? "(none configured)" : session.model.name],
        ["effort", settings.effort ?? "(the model's own)"],
        ["mode", mode],
        ["output style", settings.output_style],
        ["messages", String(state.messages.length)],
        ["runs", String(state.runs)],
        ["app root", parts.app_root.root],
        ["version", VERSION],
      ];
      const text = facts.map(([name, value]) => `${name.padEnd(13)} ${value}`).join("\n");
      const data = Object.fromEntries(facts.map(([name, value]) => [name.replace(" ", "_"), value]));
      return { kind: "text", text, data };
    },
  },
  {
    info: {
      name: "tokens",
      aliases: [],
      argument_hint: "",
      description: "Show the tokens that this session has used.",
    },
    run({ parts }) {
      const { usage, turns } = parts.session.state;
      const total = usage.input + usage.output + usage.cache_read + usage.cache_write;
      return {
        kind: "text",
        text: `${total} tokens in ${turns} ${turns === 1 ? "answer" : "answers"}: input ${usage.input}, ` +
          `output ${usage.output}, read from the cache ${usage.cache_read}, written to it ${usage.cache_write}`,
        data: { ...usage, total, turns },
      };
    },
  },
];
