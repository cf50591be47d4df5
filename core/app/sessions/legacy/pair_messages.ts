import type { AssistantBlock, Message, ToolResultBlock, ToolUseBlock } from "../../../types/mod.ts";
import type { LegacyBlock, LegacyMessage } from "./legacy_message.ts";

type LegacyCall = LegacyBlock & { type: "call" };
type LegacyResult = LegacyBlock & { type: "result" };

/**
 * Old messages as a conversation that every provider takes: it begins with the person and ends with the model, every
 * call has one result in the message after it, and no result is without its call. What had to be mended is told.
 */
export function pairMessages(
  old: readonly LegacyMessage[],
  uuid: () => string,
  mended: (what: string) => void,
): Message[] {
  const pairing = new Pairing(uuid, mended);
  for (const message of old) {
    if (message.role === "assistant") pairing.answer(message.blocks);
    else pairing.prompt(message.blocks);
  }
  return pairing.end();
}

interface OpenCall {
  old_id: string;
  call_id: string;
  result?: ToolResultBlock;
}

class Pairing {
  readonly #messages: Message[] = [];
  #open: OpenCall[] = [];

  constructor(private readonly uuid: () => string, private readonly mended: (what: string) => void) {}

  answer(blocks: readonly LegacyBlock[]): void {
    this.#closeCalls();
    if (this.#messages.length === 0) {
      this.mended("The conversation began with an answer; a line says so before it");
      this.#say("user", "[The beginning of this conversation was not kept.]");
    }
    const content: AssistantBlock[] = blocks.map((block) => {
      if (block.type === "call") return this.#call(block);
      return { type: "text", text: block.type === "text" ? block.text : this.#quarantined(block) };
    });
    this.#messages.push({ role: "assistant", content });
  }

  prompt(blocks: readonly LegacyBlock[]): void {
    const texts: string[] = [];
    for (const block of blocks) {
      if (block.type === "text") texts.push(block.text);
      else if (block.type === "call") {
        this.mended(`A call of ${block.name} in a person's message was made text`);
        texts.push(`[A call of the tool ${block.name}: ${JSON.stringify(block.input)}]`);
      } else if (!this.#take(block)) texts.push(this.#quarantined(block));
    }
    if (texts.length === 0) return;
    this.#closeCalls();
    this.#messages.push({ role: "user", content: texts.map((text) => ({ type: "text", text })) });
  }

  end(): Message[] {
    this.#closeCalls();
    if (this.#messages.at(-1)?.role === "user") this.#say("assistant", "[The old session ended here.]");
    return this.#messages;
  }

  #call({ id, name, input, malformed }: LegacyCall): ToolUseBlock {
    const call_id = this.uuid();
    this.#open.push({ old_id: id, call_id });
    return {
      type: "tool_use",
      call_id,
      wire_id: id,
      name,
      input,
      ...(malformed === undefined ? {} : { malformed }),
    };
  }

  /** True when an open call waited for this result. */
  #take({ id, content, is_error }: LegacyResult): boolean {
    const waiting = this.#open.filter((call) => call.result === undefined);
    const call = waiting.find(({ old_id }) => old_id === id) ?? (id === "" ? waiting[0] : undefined);
    if (call === undefined) return false;
    call.result = { type: "tool_result", call_id: call.call_id, content, is_error };
    return true;
  }

  /** Results become one message, in the order of their calls. */
  #closeCalls(): void {
    if (this.#open.length === 0) return;
    const content = this.#open.map(({ old_id, call_id, result }): ToolResultBlock => {
      if (result !== undefined) return result;
      this.mended(`The call ${old_id} had no result; one that says so was added`);
      const content = "The old session has no result of this call: its outcome is not known.";
      return { type: "tool_result", call_id, content, is_error: true };
    });
    this.#open = [];
    this.#messages.push({ role: "user", content });
  }

  #quarantined({ id, content }: LegacyResult): string {
    this.mended(`The result ${id} has no call; it was kept as text`);
    return `[A result of a tool call that was not kept]\n${content}`;
  }

  #say(role: "user" | "assistant", text: string): void {
    this.#messages.push({ role, content: [{ type: "text", text }] });
  }
}
