import type { CliAnswer, CliQuestion } from "./app_port.ts";
import type { CliIo } from "./io.ts";
import { untilAborted } from "./until_aborted.ts";

/**
 * Asks a person on standard error and reads one line of standard input: `y` or `yes` allows once, `a` or `always` allows
 * and keeps the suggested rules for this project; anything else, the end of input and an abort are a no; text after `n`
 * is the reason that the model is told. Calls that run side by side ask one after the other: a line answers the question
 * that stands above it. The tool `AskUserQuestion` is no permission: the whole line is its answer, the number of an option
 * stands for that option.
 */
export function terminalAsker(
  io: CliIo,
  lines: AsyncIterator<string>,
): (question: CliQuestion, signal: AbortSignal) => Promise<CliAnswer> {
  let before: Promise<unknown> = Promise.resolve();
  return (question, signal) => {
    const answer = before.then(() => ask(io, lines, question, signal));
    before = answer.catch(() => {}); // told to the one who asked
    return answer;
  };
}

async function ask(
  io: CliIo,
  lines: AsyncIterator<string>,
  question: CliQuestion,
  signal: AbortSignal,
): Promise<CliAnswer> {
  if (signal.aborted) return { behavior: "deny", message: "the run was interrupted" };
  if (question.tool === "AskUserQuestion") return await answer(io, lines, question, signal);
  const input = JSON.stringify(question.input);
  const rules = question.verdict.suggestions;
  const always = rules.length > 0
    ? `  always would keep for this project: ${rules.map(visible).join(", ")}\n`
    : "";
  io.err(
    `Permission needed for ${question.tool}: ${visible(input)}\n  ${
      visible(question.verdict.reason)
    }\n${always}Allow? [y]es once${rules.length > 0 ? ", [a]lways" : ""}, [N]o: `,
  );
  const { done, value } = await untilAborted(lines.next(), signal, { done: true as const, value: undefined });
  if (done) return { behavior: "deny", message: "nobody answered" };
  const said = value.trim();
  if (/^(y|yes)$/i.test(said)) return { behavior: "allow" };
  if (/^(a|always)$/i.test(said) && rules.length > 0) {
    return { behavior: "allow", updates: [{ list: "allow", rules, keep: "project" }] };
  }
  const reason = /^(?:n|no)\b[\s,:]*(.+)$/i.exec(said)?.[1];
  return { behavior: "deny", message: reason ?? "the answer was no" };
}

/** A question that is answered in words; an empty line is no answer. */
async function answer(
  io: CliIo,
  lines: AsyncIterator<string>,
  { input, verdict }: CliQuestion,
  signal: AbortSignal,
): Promise<CliAnswer> {
  const options = Array.isArray(input["options"]) ? input["options"].map(String) : [];
  const shown = options.map((option, index) => `  ${index + 1}. ${visible(option)}\n`).join("");
  io.err(`${visible(String(input["question"]))}\n  ${visible(verdict.reason)}\n${shown}Answer: `);
  const { done, value } = await untilAborted(lines.next(), signal, { done: true as const, value: undefined });
  const said = done ? "" : value.trim();
  if (said === "") return { behavior: "deny", message: "nobody answered" };
  const chosen = /^\d{1,2}$/.test(said) ? options[Number(said) - 1] : undefined;
  return { behavior: "allow", updated_input: { ...input, answer: chosen ?? said } };
}

/** Control and format characters as escapes, so that a command cannot hide parts of itself. */
function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`);
}
