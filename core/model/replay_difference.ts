import { mediaLabel } from "../types/mod.ts";
import type { Message } from "../types/mod.ts";
import type { ModelRequest } from "./port.ts";
import type { RecordedRequest } from "./replay_recording.ts";

/** How much of a text stands on each side of the place where two differ. */
const AROUND = 60;

/**
 * Where a request first differs from the recorded one, in words; undefined when they are the same. The facts of the
 * moment (the context block before a prompt: date, branch, mode) are not compared, and the workspace may lie elsewhere:
 * its path counts as the same text on both sides.
 */
export function requestDifference(recorded: RecordedRequest, request: ModelRequest): string | undefined {
  const before = neutral(recorded.messages);
  const now = neutral(request.messages);
  const system = textDifference(before.text(recorded.system), now.text(request.system));
  if (system !== undefined) return `in the system prompt, ${system}`;
  const tools = request.tools.map(({ name }) => name);
  if (JSON.stringify(tools) !== JSON.stringify(recorded.tools)) {
    const gone = recorded.tools.filter((name) => !tools.includes(name));
    const added = tools.filter((name) => !recorded.tools.includes(name));
    return `in the tools: recorded but not offered now: ${gone.join(", ") || "none"}; offered now only: ${
      added.join(", ") || "none"
    }`;
  }
  for (const [index, message] of recorded.messages.entries()) {
    const other = request.messages[index];
    if (other === undefined) break;
    const difference = messageDifference(before.blocks(message), now.blocks(other));
    if (difference !== undefined) return `in message ${index + 1} (${message.role}), ${difference}`;
  }
  const count = request.messages.length;
  if (count === recorded.messages.length) return undefined;
  return `in its length: recorded ${recorded.messages.length} messages, now ${count}`;
}

/** Texts of a conversation without what may differ from one machine and moment to the next. */
function neutral(messages: readonly Message[]) {
  const cwd = workspaceOf(messages);
  const text = (value: string) => cwd === undefined ? value : value.replaceAll(cwd, "<workspace>");
  return {
    text,
    /** One text for each block, with a word in front for what it is. */
    blocks(message: Message): string[] {
      return message.content.map((block, index) => {
        switch (block.type) {
          case "text":
            return `text: ${
              text(
                message.role === "user" && index === 0 && message.content.length > 1
                  ? block.text.replace(CONTEXT, "<context/>")
                  : block.text,
              )
            }`;
          case "tool_result":
            return `${block.is_error ? "failed result" : "result"}: ${text(block.content)}${
              (block.media ?? []).map(mediaLabel).join("")
            }`;
          case "tool_use":
            return `call of ${block.name}: ${text(JSON.stringify(block.malformed?.raw ?? block.input))}`;
          case "thinking":
            return `thinking: ${text(block.text)}`;
          case "image":
          case "document":
            return mediaLabel(block);
          case "redacted_thinking":
            return `redacted thinking: ${block.data}`;
        }
      });
    },
  };
}

const CONTEXT = /^<context>\n[\s\S]*?\n<\/context>/;

/** Where a conversation works, as its first context block says. */
function workspaceOf(messages: readonly Message[]): string | undefined {
  for (const { role, content } of messages) {
    const first = content[0];
    if (role !== "user" || first?.type !== "text" || content.length < 2) continue;
    const cwd = /^Working directory: (.+)$/m.exec(CONTEXT.exec(first.text)?.[0] ?? "")?.[1];
    if (cwd !== undefined) return cwd;
  }
  return undefined;
}

function messageDifference(recorded: string[], now: string[]): string | undefined {
  for (let index = 0; index < Math.max(recorded.length, now.length); index++) {
    const difference = textDifference(recorded[index] ?? "nothing", now[index] ?? "nothing");
    if (difference !== undefined) return `part ${index + 1}, ${difference}`;
  }
  return undefined;
}

function textDifference(recorded: string, now: string): string | undefined {
  if (recorded === now) return undefined;
  let at = 0;
  while (recorded[at] === now[at]) at++;
  return `from character ${at + 1}: recorded ${excerpt(recorded, at)}, now ${excerpt(now, at)}`;
}

function excerpt(text: string, at: number): string {
  const from = Math.max(0, at - AROUND);
  const to = Math.min(text.length, at + AROUND);
  return `${from > 0 ? "…" : ""}${JSON.stringify(text.slice(from, to).toWellFormed())}${
    to < text.length ? "…" : ""
  }`;
}
