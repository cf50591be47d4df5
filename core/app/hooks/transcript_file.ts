import { join } from "node:path";
import { makePrivateDirectory } from "../../app_root/mod.ts";
import type { SessionState } from "../../session/mod.ts";
import { isMedia, mediaLabel } from "../../types/mod.ts";
import type { AssistantBlock, JsonObject, Message, UserBlock } from "../../types/mod.ts";

/**
 * The conversation as a file of JSON lines, for hooks that read `transcript_path`: lines of `user` and `assistant` with
 * messages as the provider's wire has them. It is written only while a hook is about to run, and gone with the session: the
 * journal alone is kept.
 */
export class TranscriptFile {
  readonly path: string;
  readonly #directory: string;
  #written = 0;
  #begun = false;

  /** `directory` is the session's private one beside its journal. */
  constructor(directory: string) {
    this.#directory = directory;
    this.path = join(directory, "transcript.jsonl");
  }

  /** Brings the file up to the state. Throws what the disk gives. */
  async update(state: Readonly<SessionState>, now: number): Promise<void> {
    const { messages, origins } = state;
    const fresh = !this.#begun || messages.length < this.#written;
    if (!fresh && messages.length === this.#written) return;
    const from = fresh ? 0 : this.#written;
    const lines = messages.slice(from).map((message, index) =>
      `${JSON.stringify(line(state, message, origins[from + index] ?? 0, origins[from + index - 1], now))}\n`
    );
    this.#begun = true;
    this.#written = messages.length;
    makePrivateDirectory(this.#directory);
    await Deno.writeTextFile(this.path, lines.join(""), { append: !fresh, mode: 0o600 });
  }

  /** Takes the file away. */
  async remove(): Promise<void> {
    if (!this.#begun) return;
    try {
      await Deno.remove(this.path);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
}

function line(
  { session_id, cwd, model }: Readonly<SessionState>,
  message: Message,
  seq: number,
  before: number | undefined,
  now: number,
): JsonObject {
  const head = {
    parentUuid: before === undefined ? null : `${session_id}-${before}`,
    isSidechain: false,
    type: message.role,
  };
  const foot = {
    uuid: `${session_id}-${seq}`,
    timestamp: new Date(now).toISOString(),
    sessionId: session_id,
    cwd,
  };
  if (message.role === "user") {
    return { ...head, message: { role: "user", content: message.content.map(userBlock) }, ...foot };
  }
  return {
    ...head,
    message: { role: "assistant", model, content: message.content.flatMap(assistantBlock) },
    ...foot,
  };
}

function userBlock(block: UserBlock): JsonObject {
  if (block.type === "text") return { type: "text", text: block.text };
  if (isMedia(block)) return { type: "text", text: mediaLabel(block) };
  const { call_id, is_error, media = [] } = block;
  const content = [block.content, ...media.map(mediaLabel)].join("\n");
  return { type: "tool_result", tool_use_id: call_id, content, is_error };
}

function assistantBlock(block: AssistantBlock): JsonObject[] {
  switch (block.type) {
    case "text":
      return [{ type: "text", text: block.text }];
    case "thinking":
      return [{ type: "thinking", thinking: block.text }];
    case "redacted_thinking":
      return [];
    case "tool_use":
      return [{ type: "tool_use", id: block.call_id, name: block.name, input: block.input }];
  }
}
