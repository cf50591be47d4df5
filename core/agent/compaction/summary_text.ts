import { messageText } from "../../types/mod.ts";
import type { Message } from "../../types/mod.ts";
import { textTokens } from "../context/token_count.ts";

const HEADER = "The conversation to sum up, one JSON object a line:";
/** Characters that one result or input may keep, tried from the first on until all fits. */
const CAPS = [20_000, 8_000, 4_000, 2_000, 1_000, 500, 250, 120];
/** Texts of the person and the model may keep this many times as much. */
const TEXT_SHARE = 3;
/** Of what is still too long, this share of the budget goes to the beginning, the rest to the end. */
const BEGINNING = 0.15;

/**
 * Messages as the one who sums them up reads them: one JSON object a line, so that no text can pass for another message,
 * within `budget` tokens. Calls and results are among them; thinking is not.
 */
export function summaryText(messages: readonly Message[], earlier: string, budget: number): string {
  const before = earlier === "" ? [] : [JSON.stringify({ before: earlier })];
  let lines: string[] = [];
  for (const cap of CAPS) {
    lines = [...before, ...messages.flatMap((message) => linesOf(message, cap))];
    if (total(lines) <= budget) return [HEADER, ...lines].join("\n");
  }
  return [HEADER, ...fitting(lines, budget)].join("\n");
}

function linesOf(message: Message, cap: number): string[] {
  const lines: string[] = [];
  const text = messageText(message).trim();
  if (text !== "") lines.push(JSON.stringify({ [message.role]: cut(text, cap * TEXT_SHARE) }));
  for (const block of message.content) {
    if (block.type === "tool_use") {
      lines.push(JSON.stringify({ call: block.name, input: cut(JSON.stringify(block.input), cap) }));
    } else if (block.type === "tool_result") {
      const { content, is_error } = block;
      lines.push(JSON.stringify({ [is_error ? "failed" : "result"]: cut(content, cap) }));
    }
  }
  return lines;
}

/** The beginning and the end of what is too long, with a word between them. */
function fitting(lines: readonly string[], budget: number): string[] {
  const sizes = lines.map((line) => textTokens(line) + 1);
  let from = 0;
  for (let left = budget * BEGINNING; from < lines.length && (sizes[from] ?? 0) <= left; from++) {
    left -= sizes[from] ?? 0;
  }
  let to = lines.length;
  for (let left = budget * (1 - BEGINNING); to > from && (sizes[to - 1] ?? 0) <= left; to--) {
    left -= sizes[to - 1] ?? 0;
  }
  if (to <= from) return [...lines];
  return [...lines.slice(0, from), `(${to - from} lines left out)`, ...lines.slice(to)];
}

function total(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + textTokens(line) + 1, 0);
}

/** The beginning and the end of a text, at most about `length` UTF-16 units. */
export function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const head = Math.floor(length * 0.7);
  const tail = length - head;
  return `${text.slice(0, head)} […${text.length - length} characters…] ${text.slice(text.length - tail)}`
    .toWellFormed();
}
