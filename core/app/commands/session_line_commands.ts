import { EXIT, LuminaError } from "../../base/mod.ts";
import type { Builtin, CommandContext } from "./command.ts";
import { lineReply } from "./run_line.ts";
import { splitWords } from "./split_words.ts";

const SCOPES = ["files", "conversation", "both"];

function usage(message: string): LuminaError {
  return new LuminaError("command.usage", message, { exit: EXIT.usage });
}

/** The prompts of the conversation by their numbers, newest last. */
function prompts({ parts }: CommandContext): { number: number; text: string }[] {
  const { messages, origins } = parts.session.state;
  return messages.flatMap(({ role, content }, index) => {
    if (role !== "user" || content.some(({ type }) => type === "tool_result")) return [];
    const last = content.findLast((block) => block.type === "text");
    const text = last?.type === "text" ? last.text.replace(/\s+/gu, " ").slice(0, 100) : "";
    return [{ number: origins[index] ?? 0, text }];
  });
}

/** A run of one prompt has no next one. */
function hint(session_id: string): string {
  return `The next prompts go there; later: lumina -p --resume ${session_id}`;
}

/** A locked run has given up what another session needs. */
function assertUnlocked({ lockdown }: CommandContext["parts"]): void {
  if (lockdown === undefined) return;
  throw new LuminaError("lockdown.session", "A locked run keeps its session: go on elsewhere in a new run", {
    exit: EXIT.blocked,
  });
}

/** Going back, going on elsewhere, and what the session is called. */
export const SESSION_COMMANDS: readonly Builtin[] = [
  {
    info: {
      name: "rewind",
      aliases: ["undo", "checkpoint"],
      argument_hint: "[MESSAGE|undo] [files|conversation|both] [--force|--keep|--dry-run]",
      description: "Go back to a message: files, conversation, or both; without a number it lists them.",
    },
    async run(context, args) {
      const words = splitWords(args);
      const [first] = words;
      if (first === undefined) {
        const found = prompts(context);
        const lines = found.map(({ number, text }) => `${String(number).padStart(6)}  ${text}`);
        return {
          kind: "text",
          text: found.length === 0
            ? "The conversation has no message to go back to."
            : `${lines.join("\n")}\n/rewind NUMBER takes that prompt back, with what followed and the files.`,
          data: { messages: found },
        };
      }
      if (!context.typed) return (await import("./line_commands.ts")).notTyped("rewind");
      const scope = words.find((word) => SCOPES.includes(word));
      const rest = words.slice(1).filter((word) => !SCOPES.includes(word));
      if (first !== "undo" && !/^\d+$/.test(first)) {
        throw usage(
          `/rewind needs the number of a message, not ${JSON.stringify(first)}: /rewind lists them`,
        );
      }
      return await lineReply(context, [
        "session",
        "rewind",
        context.session.session_id,
        ...(first === "undo" ? ["--undo"] : ["--to", first]),
        ...(scope === undefined ? [] : [`--${scope}`]),
        "--yes",
        ...rest,
      ]);
    },
  },
  {
    info: {
      name: "clear",
      aliases: ["new", "reset"],
      argument_hint: "",
      description: "Begin a new conversation in this session; the old one stays in its journal.",
    },
    async run(context) {
      const { session } = context.parts;
      const [first] = prompts(context);
      const messages = session.state.messages.length;
      const to = session.state.origins[0];
      if (first === undefined || to === undefined) {
        return { kind: "text", text: "The conversation is empty already.", data: { messages: 0 } };
      }
      const last = session.state.origins.at(-1) ?? 0;
      await session.execute({ type: "rewind", to, scope: "conversation", snapshot: null, changed: 0 });
      return {
        kind: "text",
        text: `A new conversation begins; ${messages} messages were put aside. ` +
          `lumina session fork ${context.session.session_id} --at ${last} brings them back as a new session.`,
        data: { messages },
      };
    },
  },
  {
    info: {
      name: "fork",
      aliases: ["branch"],
      argument_hint: "[title]",
      description: "Go on in a copy of this session; this one stays as it is.",
    },
    async run({ app, parts, session }, args) {
      assertUnlocked(parts);
      const fork = await app.session_manage.fork(session.session_id, args === "" ? {} : { title: args });
      return {
        kind: "session",
        session_id: fork.session_id,
        text: `Forked: ${fork.session_id} goes on with ${fork.messages} messages of ${session.session_id}. ` +
          hint(fork.session_id),
      };
    },
  },
  {
    info: {
      name: "resume",
      aliases: [],
      argument_hint: "[ID]",
      description: "Go on with another session of this directory; without an id it lists them.",
    },
    async run(context, args) {
      const { app, parts, session } = context;
      const { root } = parts.located.project;
      if (args === "") return await lineReply(context, ["session", "list", "--cwd", root]);
      assertUnlocked(parts);
      const { session_id } = parts.store.find(args);
      if (session_id === session.session_id) {
        return { kind: "text", text: `This is the session ${session_id}.` };
      }
      const { rows } = await app.session_list.list({ all: true, archived: false }, () => {});
      const row = rows.find((each) => each.session_id === session_id);
      if (row?.open) {
        throw new LuminaError("journal.busy", `The session ${session_id} is open in another process`, {
          exit: EXIT.conflict,
        });
      }
      if (row === undefined || row.cwd !== "" && row.cwd !== root) {
        const why = row === undefined ? "is archived" : `works in ${row.cwd}, not in ${root}`;
        throw new LuminaError("session.other_directory", `The session ${session_id} ${why}`, {
          exit: EXIT.conflict,
        });
      }
      return {
        kind: "session",
        session_id,
        text:
          `Session ${session_id}: ${
            row.title === "" ? "(no prompt yet)" : row.title.replace(/\s+/gu, " ")
          }. ` +
          hint(session_id),
      };
    },
  },
  ...[true, false].map((pinned): Builtin => ({
    info: {
      name: pinned ? "pin" : "unpin",
      aliases: [],
      argument_hint: "",
      description: pinned
        ? "Keep this session from being cleaned up."
        : "Let this session be cleaned up again.",
    },
    async run({ app, session }) {
      await app.session_manage.pin(session.session_id, pinned);
      return { kind: "text", text: `The session is ${pinned ? "pinned" : "no longer pinned"}.` };
    },
  })),
  {
    info: {
      name: "rename",
      aliases: [],
      argument_hint: "TITLE",
      description: "Give this session a title.",
    },
    async run({ app, session }, args) {
      if (args === "") throw usage("/rename needs a title");
      const { title } = await app.session_manage.rename(session.session_id, args);
      return { kind: "text", text: `The session is called ${JSON.stringify(title)}.` };
    },
  },
  {
    info: {
      name: "save",
      aliases: ["s"],
      argument_hint: "",
      description: "Say what is saved: everything is, as it happens.",
    },
    run: ({ session, parts }) => ({
      kind: "text",
      text:
        `Everything up to event ${parts.session.state.seq} is saved; lumina -p --resume ${session.session_id} ` +
        "goes on with it.",
    }),
  },
  {
    info: {
      name: "quit",
      aliases: ["exit", "q"],
      argument_hint: "",
      description: "End this session's input; everything is saved.",
    },
    run: ({ session }) => ({ kind: "text", text: `Session ${session.session_id} ends here.`, end: true }),
  },
];
