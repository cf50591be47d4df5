import type { CliAnswer, CliQuestion } from "./app_port.ts";
import type { CliIo } from "./io.ts";

/**
 * Asks a person on standard error and reads one line of standard input: `y` or `yes` allows once; anything else, and
 * the end of input, is a no.
 */
export async function askOnTerminal(
  io: CliIo,
  lines: AsyncIterator<string>,
  question: CliQuestion,
): Promise<CliAnswer> {
  const input = JSON.stringify(question.input);
  io.err(
    `Permission needed for ${question.tool}: ${
      visible(input)
    }\n  ${question.verdict.reason}\nAllow once? [y/N] `,
  );
  const { done, value } = await lines.next();
  if (!done && /^(y|yes)$/i.test(value.trim())) return { behavior: "allow" };
  return { behavior: "deny", message: done ? "nobody answered" : "the answer was no" };
}

/** Control and format characters as escapes, so that a command cannot hide parts of itself. */
function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`);
}
