import { errorMessage } from "../base/mod.ts";
import type { World } from "../base/mod.ts";
import { ModelError } from "../model/mod.ts";
import type { OpenModel } from "../model/mod.ts";
import { shortText } from "../session/mod.ts";
import type { HistoryMessage } from "../session/mod.ts";
import { addUsage, isJsonObject, messageText, NO_USAGE } from "../types/mod.ts";
import type { Message, Usage } from "../types/mod.ts";

/** Tokens that a summary may have. */
export const SUMMARY_TOKENS = 800;

const USER_PREVIEW = 1_200;
const ASSISTANT_PREVIEW = 1_500;
/** Of a longer stretch only its first and last messages are shown. */
const HEAD = 10;
const TAIL = 30;
const TITLE_LENGTH = 80;
const SUMMARY_LENGTH = 4_000;
const MAX_TAGS = 10;
const TAG_LENGTH = 40;
/** The first request and one more after a wrong answer. */
const ATTEMPTS = 2;

/** What a summary took, all its requests together. */
export interface SummaryCost {
  model: string;
  usage: Usage;
  /** Null when a price is unknown. */
  cost_usd: number | null;
  duration_ms: number;
}

export interface Summary {
  title: string;
  summary: string;
  tags: string[];
}

/** A summary, or why there is none; `spent` is null when no request was answered. */
export type SummaryOutcome =
  | { ok: true; summary: Summary; spent: SummaryCost }
  | { ok: false; reason: string; spent: SummaryCost | null };

export interface SummaryDeps {
  /** Its output limit should be `SUMMARY_TOKENS`. */
  model: Pick<OpenModel, "name" | "stream" | "costOf">;
  world: World;
  /** What the model is told about its task. */
  system: string;
}

/**
 * Asks the model for title, summary and tags of a stretch of conversation. An answer that is not what was asked for is
 * asked for again once. A failure of the model is an outcome; only an abort throws.
 */
export async function summarise(
  deps: SummaryDeps,
  stretch: readonly HistoryMessage[],
  signal: AbortSignal,
): Promise<SummaryOutcome> {
  const { model, world } = deps;
  const started = world.mono();
  const messages: Message[] = [user(stretchText(stretch))];
  let spent: SummaryCost | null = null;
  let reason = "";
  try {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const answer = await ask(deps, messages, signal);
      spent = added(spent, answer, world.mono() - started);
      const parsed = parseSummary(answer.text);
      if (typeof parsed !== "string") return { ok: true, summary: parsed, spent };
      reason = parsed;
      if (answer.text.trim() === "") continue;
      messages.push({ role: "assistant", content: [{ type: "text", text: answer.text }] });
      messages.push(user(`That is of no use: ${reason}. ${FORM}`));
    }
    return { ok: false, reason: `${model.name} gave no summary: ${reason}`, spent };
  } catch (error) {
    if (signal.aborted || !(error instanceof ModelError)) throw error;
    return { ok: false, reason: errorMessage(error), spent };
  }
}

const FORM = 'Answer with one JSON object alone: {"title": "…", "summary": "…", "tags": ["…"]}';

async function ask(
  { model, system }: SummaryDeps,
  messages: readonly Message[],
  signal: AbortSignal,
): Promise<{ text: string; model: string; usage: Usage; cost_usd: number | null }> {
  for await (const event of model.stream({ system, messages, tools: [] }, signal)) {
    if (event.type !== "done") continue;
    const { usage } = event;
    return {
      text: messageText(event.message),
      model: event.model,
      usage,
      cost_usd: model.costOf(event.model, usage),
    };
  }
  throw new ModelError("The model's stream ended without an answer", { category: "network" });
}

function added(
  before: SummaryCost | null,
  { model, usage, cost_usd }: Omit<SummaryCost, "duration_ms">,
  duration_ms: number,
): SummaryCost {
  const cost = before?.cost_usd === null || cost_usd === null ? null : (before?.cost_usd ?? 0) + cost_usd;
  return {
    model,
    usage: addUsage(before?.usage ?? NO_USAGE, usage),
    cost_usd: cost,
    duration_ms: Math.round(duration_ms),
  };
}

/** The stretch as one JSON object a line, so that no text can pass for another message. */
function stretchText(stretch: readonly HistoryMessage[]): string {
  const omitted = stretch.length - HEAD - TAIL;
  const line = ({ role, text }: HistoryMessage) =>
    JSON.stringify({ role, text: shortText(text, role === "user" ? USER_PREVIEW : ASSISTANT_PREVIEW) });
  const lines = omitted <= 0 ? stretch.map(line) : [
    ...stretch.slice(0, HEAD).map(line),
    `(${omitted} messages omitted)`,
    ...stretch.slice(-TAIL).map(line),
  ];
  return `The conversation to summarise, one message a line:\n\n${lines.join("\n")}\n\n${FORM}`;
}

function user(text: string): Message {
  return { role: "user", content: [{ type: "text", text }] };
}

/** The summary that an answer holds, perhaps inside a code fence or other words; else what is wrong with it. */
export function parseSummary(answer: string): Summary | string {
  const from = answer.indexOf("{");
  const to = answer.lastIndexOf("}");
  if (answer.trim() === "") return "the answer is empty";
  let value: unknown;
  try {
    value = JSON.parse(answer.slice(Math.max(from, 0), to + 1));
  } catch {
    return "it is not JSON"; // what the parser says of a cut or foreign text helps nobody
  }
  if (!isJsonObject(value)) return "it is not a JSON object";
  const { title, summary, tags } = value;
  if (typeof title !== "string" || title.trim() === "") return "title is missing";
  if (typeof summary !== "string" || summary.trim() === "") return "summary is missing";
  const words = Array.isArray(tags) ? tags.filter((tag) => typeof tag === "string") : [];
  return {
    title: shortText(title.trim().replace(/\s+/g, " "), TITLE_LENGTH),
    summary: shortText(summary.trim(), SUMMARY_LENGTH),
    tags: [...new Set(words.map((tag) => shortText(tag.trim(), TAG_LENGTH)).filter((tag) => tag !== ""))]
      .slice(0, MAX_TAGS),
  };
}
