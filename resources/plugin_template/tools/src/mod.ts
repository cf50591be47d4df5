import type { JsonObject, PluginModule, ToolContext, ToolOutcome } from "../lumina.d.ts";

/** How often each word of a text occurs, the most frequent first; words that occur equally often in the text's order. */
export function countWords(text: string): [word: string, times: number][] {
  const counts = new Map<string, number>();
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) {
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return [...counts].sort(([, a], [, b]) => b - a);
}

/** The input has been checked against the manifest's schema before the tool is called. */
async function samplePack(input: JsonObject, context: ToolContext): Promise<ToolOutcome> {
  const { text, top = 10 } = input;
  if (typeof text !== "string" || typeof top !== "number") {
    return { content: "text must be a string and top a number", is_error: true };
  }
  const counts = countWords(text);
  if (counts.length === 0) return { content: "The text has no words", is_error: true };
  context.progress(`${counts.length} different words\n`);
  for (const [word, times] of counts.slice(0, top)) {
    // what is written is the result; write() waits while the host is busy and throws when the call is cancelled
    await context.write(`${times}\t${word}\n`);
  }
  return { content: "" };
}

const pack: PluginModule = { tools: { SamplePack: samplePack } };
export default pack;
