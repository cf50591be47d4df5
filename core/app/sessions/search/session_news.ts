import { readEvents, REDACTION_EVENT } from "../../../journal/mod.ts";
import type { Journal } from "../../../journal/mod.ts";
import { agentOf, sessionEvents, shortText } from "../../../session/mod.ts";
import type { SessionEvent } from "../../../session/mod.ts";
import { messageText } from "../../../types/mod.ts";
import type { Json, Message, StoredEvent } from "../../../types/mod.ts";
import type { IndexedSession, SessionNews } from "./search_index.ts";

const TITLE_LENGTH = 80;

/** The events that hold something to find, or say what no longer is; the others are not even decoded. */
const TELLING: ReadonlySet<string> = new Set<SessionEvent["type"]>([
  "session.created",
  "session.titled",
  "session.rewound",
  "session.message_imported",
  "run.started",
  "run.steered",
  "run.step_started",
  "run.finished",
  "run.interrupted",
  "model.answered",
  "model.retried",
  "model.failed",
  "tool.finished",
]);

/**
 * What a journal has said since `known` was read, or all of it when there is no more to build on: the file is another
 * one, it is shorter, or something in it was redacted.
 */
export async function sessionNews(
  journal: Journal,
  known: IndexedSession,
  inode: number,
): Promise<SessionNews> {
  const goesOn = known.inode === inode && known.seq > 0 && await journal.head() >= known.seq;
  const after = goesOn ? known.seq : 0;
  const reader = new NewsReader(
    goesOn ? known : { ...known, seq: 0, answer: 0, title: "", titled: false, cwd: "" },
  );
  for await (const page of readEvents(journal, { after })) {
    for (const event of page) {
      if (event.type === REDACTION_EVENT && after > 0) {
        return await sessionNews(journal, { ...known, seq: 0 }, inode);
      }
      reader.read(event);
    }
  }
  return { session: { ...reader.session, inode }, after, changes: reader.changes };
}

class NewsReader {
  readonly changes: SessionNews["changes"] = [];
  readonly session: IndexedSession;
  /** What an attempt that died had said; it stays in the conversation when the run ends without an answer. */
  #partial = "";
  /** Which answer made a call. */
  #calls = new Map<string, number>();

  constructor(session: IndexedSession) {
    this.session = { ...session };
  }

  read(stored: StoredEvent): void {
    const { session } = this;
    session.seq = stored.seq;
    if (!TELLING.has(stored.type) || agentOf(stored.stream_id) !== "") return;
    const decoded = sessionEvents.decode(stored);
    if (!decoded.known) return; // damaged or newer: what it said cannot be found
    const { event } = decoded;
    switch (event.type) {
      case "session.created":
        session.cwd = event.payload.cwd;
        break;
      case "session.titled":
        session.titled = true;
        this.#title(event.payload.title, event.ts);
        break;
      case "session.rewound":
        if (event.payload.scope !== "files") this.changes.push({ cut: event.payload.to });
        break;
      case "session.message_imported":
        if (isPrompt(event.payload.message)) this.#asked(messageText(event.payload.message), event.ts);
        this.#message(event.payload.message, event);
        break;
      case "run.started":
        this.#partial = "";
        this.#asked(event.payload.prompt, event.ts);
        this.#add("user", event.payload.prompt, event);
        break;
      case "run.steered":
        this.#add("user", event.payload.text, event);
        break;
      case "run.step_started":
        this.#partial = "";
        break;
      case "model.answered":
        this.#partial = "";
        this.#message(event.payload.message, event);
        break;
      case "model.retried":
      case "model.failed":
        this.#partial = event.payload.partial === null ? "" : messageText(event.payload.partial);
        break;
      case "run.finished":
      case "run.interrupted":
        this.#add("assistant", this.#partial, event);
        this.#partial = "";
        break;
      case "tool.finished": {
        const seq = this.#calls.get(event.payload.call_id) ?? session.answer;
        this.#add("tool", event.payload.content, { seq, ts: event.ts });
        break;
      }
    }
  }

  /** The first prompt names the session until somebody does. */
  #asked(prompt: string, ts: number): void {
    if (this.session.title !== "" || this.session.titled) return;
    this.#title(shortText(prompt.trim().split("\n", 1)[0] ?? "", TITLE_LENGTH), ts);
  }

  #message(message: Message, { seq, ts }: { seq: number; ts: number }): void {
    this.#add(message.role, messageText(message), { seq, ts });
    if (message.role === "assistant") this.session.answer = seq;
    for (const block of message.content) {
      if (block.type === "tool_result") this.#add("tool", block.content, { seq: this.session.answer, ts });
      if (block.type !== "tool_use") continue;
      this.#calls.set(block.call_id, seq);
      const input = block.malformed?.raw ?? textsOf(block.input).join("\n");
      this.#add("tool", `${block.name}\n${input}`, { seq, ts });
    }
  }

  #add(role: "user" | "assistant" | "tool", text: string, { seq, ts }: { seq: number; ts: number }): void {
    if (text.trim() !== "") this.changes.push({ seq, role, ts, text });
  }

  #title(title: string, ts: number): void {
    this.session.title = title;
    if (title !== "") this.changes.push({ seq: 0, role: "title", ts, text: title });
  }
}

/** What a person wrote, not the results of tools. */
function isPrompt({ role, content }: Message): boolean {
  return role === "user" && content.every(({ type }) => type === "text");
}

/** The texts and numbers inside a JSON value, as they are and not as JSON writes them. */
function textsOf(value: Json): string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number") return [String(value)];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsOf);
}
