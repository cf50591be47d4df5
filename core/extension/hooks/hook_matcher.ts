import { errorMessage, LuminaError } from "../../base/mod.ts";

/** Tells which moments of an event a hook waits for. */
export type HookMatcher = (subjects: readonly string[]) => boolean;

/** Characters of a matcher: more is no name of a tool. */
const MOST = 1_000;

/**
 * Reads a matcher: nothing, an empty text and `*` fit every moment; letters, digits, `_`, `-`, spaces, `,` and `|` alone
 * are a list of exact names; everything else is a JavaScript regular expression that may fit anywhere. A moment fits when
 * one of its subjects does; a moment without any fits every matcher. Throws `hook.matcher`.
 */
export function hookMatcher(text: string | undefined): HookMatcher {
  const matcher = text?.trim() ?? "";
  if (matcher === "" || matcher === "*") return () => true;
  if (matcher.length > MOST) {
    throw new LuminaError("hook.matcher", `the matcher has ${matcher.length} characters, at most ${MOST}`);
  }
  if (/^[A-Za-z0-9_ \-,|]+$/.test(matcher)) {
    const names = new Set(matcher.split(/[,|]/).map((name) => name.trim()).filter((name) => name !== ""));
    return (subjects) => subjects.length === 0 || subjects.some((subject) => names.has(subject));
  }
  let pattern: RegExp;
  try {
    pattern = new RegExp(matcher);
  } catch (error) {
    throw new LuminaError(
      "hook.matcher",
      `the matcher ${JSON.stringify(matcher)} is no regular expression: ${errorMessage(error)}`,
    );
  }
  return (subjects) => subjects.length === 0 || subjects.some((subject) => pattern.test(subject));
}
