import type { Transcript, TranscriptCall, TranscriptMessage } from "./transcript.ts";

/** `--format md`: the texts as they are (they are Markdown already), tool calls and thinking as blocks. */
export function markdownExport({ session, messages }: Transcript): string {
  const { title, session_id, cwd, model, created, updated } = session;
  const head = [
    `# ${oneLine(title) || "Session"}`,
    [
      `- session: \`${session_id}\``,
      `- directory: ${inlineCode(cwd)}`,
      `- model: ${inlineCode(model)}`,
      `- from ${created} to ${updated}`,
    ].join("\n"),
  ];
  return `${[...head, ...messages.map(messageText)].join("\n\n")}\n`;
}

function messageText({ number, role, time, text, thinking, tools }: TranscriptMessage): string {
  const parts = [`---\n\n## ${role === "user" ? "User" : "Assistant"} · #${number} · ${time}`];
  if (thinking !== undefined) parts.push(`**Thinking**\n\n${fenced(thinking, "text")}`);
  if (text.trim() !== "") parts.push(text.trimEnd());
  for (const call of tools ?? []) parts.push(callText(call));
  return parts.join("\n\n");
}

function callText({ name, input, result, failed }: TranscriptCall): string {
  const outcome = result === null
    ? "No result."
    : `${failed ? "Failed:" : "Result:"}\n\n${fenced(result, "text")}`;
  return `**${oneLine(name)}**\n\n${fenced(JSON.stringify(input, null, 2), "json")}\n\n${outcome}`;
}

/** A code block whose fence is longer than any inside (CommonMark 0.31, 4.5). */
function fenced(text: string, info: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${info}\n${text}${text.endsWith("\n") ? "" : "\n"}${fence}`;
}

function inlineCode(text: string): string {
  const clean = oneLine(text);
  if (clean === "") return "-";
  const longest = Math.max(0, ...(clean.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return longest === 0 ? `${fence}${clean}${fence}` : `${fence} ${clean} ${fence}`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
