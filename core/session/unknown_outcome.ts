import { canonicalJson } from "../base/mod.ts";
import type { JsonObject, RepeatClass } from "../types/mod.ts";
import type { SessionState, UnknownOutcome } from "./state.ts";

/** More are not kept: the oldest go first. */
const KEPT = 100;

/** Keeps one more in the state. */
export function addUnknown(state: Pick<SessionState, "unknown">, outcome: UnknownOutcome): void {
  state.unknown.push(outcome);
  if (state.unknown.length > KEPT) state.unknown.shift();
}

/** The same call has run since and its outcome is known: what it does to the world is done. */
export function resolveUnknown(
  state: Pick<SessionState, "unknown">,
  name: string,
  input: JsonObject,
): void {
  if (state.unknown.length === 0) return;
  state.unknown = state.unknown.filter((outcome) => !isSame(outcome, name, input));
}

/** The unresolved call of this tool with an equal input, if there is one; the latest of several. */
export function findUnknown(
  state: Readonly<Pick<SessionState, "unknown">>,
  name: string,
  input: JsonObject,
): UnknownOutcome | undefined {
  return state.unknown.findLast((outcome) => isSame(outcome, name, input));
}

function isSame(outcome: UnknownOutcome, name: string, input: JsonObject): boolean {
  return outcome.name === name && canonicalJson(outcome.input) === canonicalJson(input);
}

/** The call on one line, for people: `Bash("npm publish")`. */
export function describeCall({ name, input }: Pick<UnknownOutcome, "name" | "input">): string {
  const subject = input["command"] ?? input["file_path"] ?? input["path"] ?? input["url"] ?? input;
  const text = JSON.stringify(subject);
  return `${name}(${text.length <= 100 ? text : `${text.slice(0, 99)}…`})`;
}

/** What the model is told in the place of the result. */
export function unknownText(reason: string, repeat: RepeatClass): string {
  const what = `Interrupted (${reason}) after the tool had started: its outcome is unknown. `;
  switch (repeat) {
    case "retry":
      return `${what}Nothing is harmed by calling it again.`;
    case "ask":
      return `${what}Check what it did before you try again: the same call again needs a person's consent.`;
    case "mark":
      return `${what}Check what it did before you try again.`;
  }
}
