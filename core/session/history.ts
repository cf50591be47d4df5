import { LuminaError } from "../base/mod.ts";
import { messageText, NO_USAGE } from "../types/mod.ts";
import type { StoredEvent, Usage } from "../types/mod.ts";
import { addUsage } from "../types/mod.ts";
import { agentOf } from "./agent_stream.ts";
import { sessionEvents } from "./events.ts";
import type { SessionEvent } from "./events.ts";

/** A visible message: what a person or the model said, without tools, thinking and hidden context. */
export interface HistoryMessage {
  /** The message's number, as everywhere. */
  seq: number;
  role: "user" | "assistant";
  text: string;
}

/** One summary of the history. */
export interface HistoryEntry {
  /** From 1, in the order in which the summaries were made. */
  number: number;
  /** Milliseconds since 1970. */
  ts: number;
  /** The stretch of events that it covers; 0 to 0 when an imported summary does not say. */
  from: number;
  to: number;
  title: string;
  summary: string;
  tags: string[];
  model: string;
}

interface Kept extends HistoryMessage {
  /** A rewind has taken it out of the conversation. */
  gone: boolean;
}

/**
 * The history of a session: its summaries and its visible messages, folded from the journal's events in their order.
 * Unknown and damaged events are passed over.
 */
export class SessionHistory {
  readonly #messages: Kept[] = [];
  readonly #entries: (HistoryEntry & { messages: HistoryMessage[] })[] = [];
  #usage: Usage = NO_USAGE;
  #cost_usd: number | null = 0;

  add(stored: StoredEvent): void {
    if (agentOf(stored.stream_id) !== "") return;
    const decoded = sessionEvents.decode(stored);
    if (decoded.known) this.#fold(decoded.event);
  }

  /** The visible messages of the conversation as it is now, oldest first. */
  get messages(): HistoryMessage[] {
    return this.#messages.filter((message) => !message.gone).map(plain);
  }

  /** All summaries, oldest first. */
  get entries(): readonly HistoryEntry[] {
    return this.#entries.map(({ messages: _messages, ...entry }) => entry);
  }

  /** What the summaries have used, failed attempts included; `cost_usd` is null once a price was unknown. */
  get spent(): { usage: Usage; cost_usd: number | null } {
    return { usage: this.#usage, cost_usd: this.#cost_usd };
  }

  /** The visible messages that a summary covers, also those that a later rewind took back. */
  messagesOf(number: number): readonly HistoryMessage[] {
    return this.#entries[number - 1]?.messages ?? [];
  }

  #fold(event: SessionEvent): void {
    switch (event.type) {
      case "run.started":
        this.#say(event.seq, "user", event.payload.prompt);
        break;
      case "run.steered":
        this.#say(event.seq, "user", event.payload.text);
        break;
      case "model.answered":
        this.#say(event.seq, "assistant", messageText(event.payload.message));
        break;
      case "session.message_imported": {
        const { message } = event.payload;
        this.#say(event.seq, message.role, messageText(message));
        break;
      }
      case "session.rewound":
        if (event.payload.scope !== "files") this.#takeBack(event.payload.to);
        break;
      case "memory.summarised": {
        const { from, to } = event.payload;
        const covered = this.#messages.filter(({ seq, gone }) => seq >= from && seq <= to && !gone);
        const number = this.#entries.length + 1;
        this.#entries.push({ number, ts: event.ts, ...event.payload, messages: covered.map(plain) });
        break;
      }
      case "usage.recorded": {
        const { chain, usage, cost_usd } = event.payload;
        if (chain !== "session_memory") break;
        this.#usage = addUsage(this.#usage, usage);
        this.#cost_usd = this.#cost_usd === null || cost_usd === null ? null : this.#cost_usd + cost_usd;
        break;
      }
    }
  }

  #say(seq: number, role: "user" | "assistant", text: string): void {
    if (text.trim() !== "") this.#messages.push({ seq, role, text, gone: false });
  }

  /** As `cutAt`: a prompt is taken back with all that follows, an answer stays. */
  #takeBack(to: number): void {
    const target = this.#messages.find(({ seq }) => seq === to);
    for (const message of this.#messages) {
      if (message.seq > to || (message.seq === to && target?.role === "user")) message.gone = true;
    }
  }
}

/** A list never shows more. */
export const MAX_HISTORY_LIST = 100;
const DEFAULT_LIST = 20;
const PREVIEW = 300;
const SHOWN_MESSAGES = 20;
const MESSAGE_PREVIEW = 4_000;

/** What a list shows of a summary. */
export interface HistoryPreview extends Omit<HistoryEntry, "summary"> {
  /** The summary's first 300 characters. */
  preview: string;
}

/**
 * The summaries, newest first, at most `limit` (20 by default, never more than 100); with a query only those that hold
 * this very text in title, summary or tags, whatever its case. `total` counts all that fit.
 */
export function listHistory(
  history: SessionHistory,
  { query = "", limit = DEFAULT_LIST }: { query?: string; limit?: number } = {},
): { total: number; entries: HistoryPreview[] } {
  const wanted = folded(query.trim());
  const fitting = history.entries.filter(({ title, summary, tags }) =>
    [title, summary, ...tags].some((text) => folded(text).includes(wanted))
  );
  const most = Math.min(Math.max(1, limit), MAX_HISTORY_LIST);
  const entries = fitting.toReversed().slice(0, most).map(({ summary, ...entry }) => ({
    ...entry,
    preview: shortText(summary, PREVIEW),
  }));
  return { total: fitting.length, entries };
}

/**
 * One summary in full and the first and last of the messages it covers, 20 at most; `omitted` counts those between.
 * Throws `session.no_summary` (exit 4) when no summary has this number.
 */
export function getHistory(
  history: SessionHistory,
  number: number,
): HistoryEntry & { messages: HistoryMessage[]; omitted: number } {
  const entry = history.entries[number - 1];
  if (entry === undefined) {
    const known = history.entries.length;
    throw new LuminaError(
      "session.no_summary",
      known === 0
        ? "The session has no summaries yet"
        : `There is no summary ${number}: they are numbered from 1 to ${known}`,
      { exit: 4 },
    );
  }
  const all = history.messagesOf(number);
  const omitted = Math.max(0, all.length - SHOWN_MESSAGES);
  const head = omitted === 0 ? all : all.slice(0, SHOWN_MESSAGES / 2);
  const tail = omitted === 0 ? [] : all.slice(-SHOWN_MESSAGES / 2);
  const messages = [...head, ...tail].map((message) => ({
    ...message,
    text: shortText(message.text, MESSAGE_PREVIEW),
  }));
  return { ...entry, messages, omitted };
}

/** The beginning of a text, at most `length` UTF-16 units; a cut one ends with "…", never inside a character. */
export function shortText(text: string, length: number): string {
  if (text.length <= length) return text;
  return `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

function folded(text: string): string {
  return text.normalize("NFKC").toLowerCase();
}

function plain({ seq, role, text }: HistoryMessage): HistoryMessage {
  return { seq, role, text };
}
