import { isJsonObject, type JsonObject } from "../types/mod.ts";
import type { MessageBuilder, OpenBlock } from "./message_builder.ts";
import { ObjectEnd } from "./tool_arguments.ts";

interface Call {
  index: number | undefined;
  id: string | undefined;
  name: string;
  /** Arguments that came before the name. */
  early: string;
  arguments_end: ObjectEnd;
  block?: OpenBlock;
}

/**
 * Puts the fragments of OpenAI tool calls together, by index and id: an id that the index does not have opens a new
 * call, a missing index follows the id or else the last call, a missing id follows the last call of that index. A
 * fragment that names a tool never continues a call whose arguments are complete, so two JSON documents are never
 * joined.
 */
export class ToolCallSlots {
  readonly #calls: Call[] = [];

  constructor(private readonly builder: MessageBuilder) {}

  push(fragment: JsonObject): void {
    const called = isJsonObject(fragment["function"]) ? fragment["function"] : {};
    const index = typeof fragment["index"] === "number" ? fragment["index"] : undefined;
    const id = typeof fragment["id"] === "string" && fragment["id"] !== "" ? fragment["id"] : undefined;
    const name = typeof called["name"] === "string" ? called["name"] : "";
    const given = called["arguments"];
    const args = typeof given === "string" ? given : isJsonObject(given) ? JSON.stringify(given) : "";

    const found = this.#find(index, id, name, args);
    const call = found ?? { index, id, name: "", early: "", arguments_end: new ObjectEnd() };
    if (!found) this.#calls.push(call);
    call.id ??= id;
    if (call.name === "" && name !== "") call.name = name;
    this.#write(call, args);
  }

  /** Ends every call; one that never got a name becomes a malformed call of an unnamed tool. */
  end(): void {
    for (const call of this.#calls) {
      if (!call.block) {
        call.block = this.builder.openTool(call.id ?? "", UNNAMED_TOOL);
        this.builder.append(
          call.block,
          call.early === "" ? "(no tool name)" : `(no tool name) ${call.early}`,
        );
      }
      this.builder.end(call.block);
    }
  }

  #find(index: number | undefined, id: string | undefined, name: string, args: string): Call | undefined {
    const last = index === undefined
      ? (id === undefined ? this.#calls.at(-1) : this.#calls.findLast((call) => call.id === id))
      : this.#calls.findLast((call) => call.index === index);
    if (!last) return undefined;
    if (id !== undefined && last.id !== undefined && last.id !== id) {
      return this.#calls.findLast((call) => call.index === index && call.id === id);
    }
    if (name === "" || last.name === "") return last;
    // it names a tool again: a new call, unless the server repeats the name with every fragment
    const more = last.arguments_end.complete && args.trim() !== "";
    return more || name !== last.name ? undefined : last;
  }

  #write(call: Call, args: string): void {
    call.arguments_end.push(args);
    if (!call.block) {
      if (call.name === "") {
        call.early += args;
        return;
      }
      call.block = this.builder.openTool(call.id ?? "", call.name);
      this.builder.append(call.block, call.early);
      call.early = "";
    }
    this.builder.append(call.block, args);
  }
}

/** The name of a call that came without one; no tool has it. */
export const UNNAMED_TOOL = "unnamed_tool";
