import { EXIT, LuminaError } from "../../base/mod.ts";
import type { CompactReport, ContextUse } from "../../agent/mod.ts";
import type { Builtin } from "./command.ts";

/** The window: who uses it, and making room in it. */
export const CONTEXT_COMMANDS: readonly Builtin[] = [
  {
    info: {
      name: "context",
      aliases: [],
      argument_hint: "",
      description: "Show who uses what of the model's window.",
    },
    async run({ session }) {
      const use = await session.context();
      return { kind: "text", text: contextText(use), data: { ...use } };
    },
  },
  {
    info: {
      name: "compact",
      aliases: ["compress"],
      argument_hint: "[focus]",
      description: "Compact the conversation now; the focus says what the summary must keep.",
    },
    async run({ parts, session }, args, signal) {
      if (parts.session.state.messages.length === 0) {
        return { kind: "text", text: "There is nothing to compact: the conversation is empty." };
      }
      if (session.model.name === "") {
        throw new LuminaError("config.no_model", "/compact needs a model: /model NAME sets one", {
          exit: EXIT.usage,
        });
      }
      const report = await session.compact(args, signal);
      return { kind: "text", text: compactText(report), data: { ...report } };
    },
  },
];

function compactText(
  { tier, tokens_before, tokens_after, messages, results, reason }: CompactReport,
): string {
  if (tier === "none") return `Nothing was compacted: ${reason ?? "there is nothing to gain"}.`;
  const size = `about ${tokens_before} tokens are ${tokens_after} now`;
  return tier === "summary"
    ? `Compacted: ${size}; a summary stands for ${messages} messages. The whole conversation stays in the journal.`
    : `Compacted: ${size}; ${results} old results of tools were shortened.`;
}

function contextText(use: ContextUse): string {
  const row = (name: string, tokens: number) =>
    `  ${name.padEnd(14)} ${String(tokens).padStart(9)}  ${percent(tokens, use.window)}`;
  const many = <T>(rows: readonly T[], text: (one: T) => string) => rows.slice(0, 12).map(text);
  return [
    `${use.model === "" ? "(no model)" : use.model}: about ${use.used} of ${use.window} tokens ` +
    `(${percent(use.used, use.window).trim()}), compacted at ${use.compact_at}`,
    row("system prompt", use.system),
    row("tools", use.tools),
    row("instructions", use.instructions),
    row("skills", use.skills),
    row("messages", use.messages),
    row("free", use.free),
    `${use.kept_messages} of ${use.all_messages} messages are sent as themselves`,
    ...(use.by_file.length + use.by_tool.length === 0 ? [] : ["largest of them, in tokens:"]),
    ...many(use.by_file, ({ path, tokens }) => `  ${String(tokens).padStart(7)}  ${path}`),
    ...many(use.by_tool, ({ name, tokens }) => `  ${String(tokens).padStart(7)}  tool ${name}`),
  ].join("\n");
}

function percent(tokens: number, window: number): string {
  return `${(100 * tokens / Math.max(1, window)).toFixed(1).padStart(5)} %`;
}
