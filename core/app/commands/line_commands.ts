import { resolve } from "node:path";
import { EXIT } from "../../base/mod.ts";
import type { Builtin, CommandContext } from "./command.ts";
import { lineReply } from "./run_line.ts";
import { splitWords } from "./split_words.ts";

interface LineCommand {
  name: string;
  aliases?: string[];
  argument_hint?: string;
  description: string;
  /** The words behind `lumina`, from those that were typed behind the name. */
  argv(words: string[], context: CommandContext): string[];
  /** True for words that change rules, settings or other sessions. */
  loosens?(words: string[]): boolean;
}

const id = ({ session }: CommandContext) => session.session_id;
const root = ({ parts }: CommandContext) => parts.located.project.root;

/** Slash commands that are commands of the program, about this session and its project. */
const LINES: readonly LineCommand[] = [
  {
    name: "hooks",
    description: "List the hooks that run here, where each stands and why one is off.",
    argv: (words, context) => ["hooks", "list", "--cwd", root(context), ...words],
  },
  {
    name: "plugins",
    aliases: ["plugin"],
    argument_hint: "[show ID]",
    description: "List the plugins, or show one of them.",
    argv: (words, context) => ["plugin", ...(words.length === 0 ? ["list"] : words), "--cwd", root(context)],
    loosens: ([verb]) => verb !== undefined && !["list", "show", "permissions"].includes(verb),
  },
  {
    name: "doctor",
    argument_hint: "[--sandbox]",
    description: "Look over this installation, and try out what its layers hold.",
    argv: (words, context) => ["doctor", "--cwd", root(context), ...words],
  },
  {
    name: "storage",
    description: "Show what sessions, archives, tool output, snapshots and caches take.",
    argv: (words) => ["storage", "status", ...words],
  },
  {
    name: "cleanup",
    argument_hint: "[--enforce]",
    description: "Say what the retention rules would remove; --enforce does it.",
    argv: (words) => ["storage", "cleanup", ...words],
    loosens: (words) => words.includes("--enforce"),
  },
  {
    name: "history",
    argument_hint: "[--query TEXT] [--get N]",
    description: "Show the summaries of this session, newest first.",
    argv: (words, context) => ["session", "history", id(context), ...words],
  },
  {
    name: "export",
    argument_hint: "[FILE] [--format md|json|html] [--tools] [--thinking] [--share]",
    description: "Write the conversation as Markdown, JSON or HTML, into a file or as the answer.",
    argv(words, context) {
      const values = new Set(["--format", "-o", "--output"]);
      const at = words.findIndex((word, index) =>
        !word.startsWith("-") && !values.has(words[index - 1] ?? "")
      );
      const file = words[at];
      const rest = file === undefined ? words : words.toSpliced(at, 1);
      const output = file === undefined ? [] : ["--output", resolve(root(context), file)];
      return ["session", "export", id(context), ...output, ...rest];
    },
    loosens: (words) => words.some((word) => !word.startsWith("-")),
  },
];

/** The table's entries of {@link LINES}. */
export const LINE_COMMANDS: readonly Builtin[] = LINES.map((line): Builtin => ({
  info: {
    name: line.name,
    aliases: line.aliases ?? [],
    argument_hint: line.argument_hint ?? "",
    description: line.description,
  },
  async run(context, args) {
    const words = splitWords(args);
    if (line.loosens?.(words) && !context.typed) return notTyped(line.name);
    const argv = line.argv(words, context);
    const reply = await lineReply(context, argv);
    if (reply.kind === "text" && line.name === "export" && reply.text === "") {
      const file = argv[1 + argv.findIndex((word) => word === "--output" || word === "-o")];
      return { kind: "text", text: `The conversation was written into ${file}.` };
    }
    return reply;
  },
}));

/** Piped input is data: it may not change what the program does. */
export function notTyped(name: string): { kind: "error"; message: string; exit: number } {
  return {
    kind: "error",
    message: `/${name} changes something and came through a pipe: type it as the argument of -p`,
    exit: EXIT.blocked,
  };
}
