import { readEvents } from "../../../journal/mod.ts";
import type { Journal } from "../../../journal/mod.ts";
import { emptySession, evolve, sessionEvents, summaryOf } from "../../../session/mod.ts";
import type { SessionEvent, SessionState, SessionSummary } from "../../../session/mod.ts";
import type { AssistantMessage, JsonObject, Message, ToolResultBlock, Usage } from "../../../types/mod.ts";
import { isMedia, mediaLabel, messageText } from "../../../types/mod.ts";

/** A tool call with its result; null while there is none. */
export interface TranscriptCall {
  name: string;
  input: JsonObject;
  result: string | null;
  failed: boolean;
}

/** A message of the conversation as it now is. */
export interface TranscriptMessage {
  /** Its number, as everywhere: the event that made it. */
  number: number;
  role: "user" | "assistant";
  /** When it was made, ISO 8601 in UTC. */
  time: string;
  /** What a person reads. */
  text: string;
  /** The model that wrote it. */
  model?: string;
  thinking?: string;
  tools?: TranscriptCall[];
}

export interface Transcript {
  session:
    & Pick<
      SessionSummary,
      "session_id" | "title" | "cwd" | "model" | "runs" | "turns" | "cost_usd" | "status"
    >
    & {
      /** ISO 8601 in UTC. */
      created: string;
      updated: string;
      usage: Usage;
    };
  messages: TranscriptMessage[];
}

/** What of a session goes into its transcript beside the texts of user and assistant. */
export interface TranscriptOptions {
  tools: boolean;
  thinking: boolean;
}

/** What the state of a session does not keep. */
interface Seen {
  times: Map<number, number>;
  /** What the person wrote, without the context that went with it. */
  prompts: Map<number, string>;
  models: Map<number, string>;
  /** Messages that no person wrote. */
  hidden: Set<number>;
}

/**
 * The conversation of a session as it now is. Hidden context, notes of the program, tools and thinking are no part of it
 * unless `options` ask for the last two. `skipped` is told what cannot be read.
 */
export async function readTranscript(
  journal: Journal,
  options: TranscriptOptions,
  skipped: (problem: string) => void,
): Promise<Transcript> {
  let state = emptySession();
  const seen: Seen = { times: new Map(), prompts: new Map(), models: new Map(), hidden: new Set() };
  for await (const page of readEvents(journal)) {
    for (const event of page) {
      state = evolve(state, event, skipped);
      if (state.origins.at(-1) !== event.seq) continue;
      seen.times.set(event.seq, event.ts);
      const decoded = sessionEvents.decode(event);
      if (decoded.known) note(seen, decoded.event);
    }
  }
  return { session: head(state), messages: messagesOf(state, seen, options) };
}

function note(seen: Seen, event: SessionEvent): void {
  if (event.type === "run.started") seen.prompts.set(event.seq, event.payload.prompt);
  if (event.type === "run.steered") seen.prompts.set(event.seq, event.payload.text);
  if (event.type === "model.answered") seen.models.set(event.seq, event.payload.model);
  if (event.type === "run.note_added" || event.type === "session.rewound") seen.hidden.add(event.seq);
}

function head(state: SessionState): Transcript["session"] {
  const { session_id, title, cwd, model, runs, turns, cost_usd, status } = summaryOf(state);
  return {
    session_id,
    title,
    cwd,
    model,
    created: iso(state.created_ts),
    updated: iso(state.updated_ts),
    runs,
    turns,
    usage: state.usage,
    cost_usd,
    // nobody owns it, or it could not have been read: its process has died
    status: state.run === null ? status : "interrupted",
  };
}

function messagesOf(state: SessionState, seen: Seen, options: TranscriptOptions): TranscriptMessage[] {
  const results = new Map<string, ToolResultBlock>();
  for (const { content } of state.messages) {
    for (const block of content) if (block.type === "tool_result") results.set(block.call_id, block);
  }
  return state.messages.flatMap((message, index): TranscriptMessage[] => {
    const number = state.origins[index] ?? 0;
    if (seen.hidden.has(number)) return [];
    const model = seen.models.get(number);
    const entry: TranscriptMessage = {
      number,
      role: message.role,
      time: iso(seen.times.get(number) ?? 0),
      text: withLabels(seen.prompts.get(number) ?? messageText(message), message),
      ...(model === undefined ? {} : { model }),
    };
    if (message.role === "assistant") {
      const thinking = options.thinking ? thinkingOf(message) : "";
      const tools = !options.tools ? [] : message.content.filter((block) => block.type === "tool_use")
        .map((block): TranscriptCall => {
          const result = results.get(block.call_id);
          return {
            name: block.name,
            input: block.malformed === undefined ? block.input : { malformed: block.malformed.raw },
            result: result === undefined
              ? null
              : [result.content, ...(result.media ?? []).map(mediaLabel)].join("\n"),
            failed: result?.is_error ?? false,
          };
        });
      if (thinking !== "") entry.thinking = thinking;
      if (tools.length > 0) entry.tools = tools;
    }
    const empty = entry.text.trim() === "" && entry.thinking === undefined && entry.tools === undefined;
    return empty ? [] : [entry];
  });
}

/** Pictures and documents are named, not copied: an export is text. */
function withLabels(text: string, { content }: Message): string {
  const labels = content.filter(isMedia).map(mediaLabel);
  return [text, ...labels].filter((part) => part !== "").join("\n");
}

function thinkingOf({ content }: AssistantMessage): string {
  return content.flatMap((block) => block.type === "thinking" ? [block.text] : []).join("\n\n");
}

const iso = (ts: number): string => new Date(ts).toISOString();
