/**
 * Characters that a person does not see in a prompt, or that grammar and shell read differently: controls apart from
 * tab and line feed, formatting marks, blanks other than the space, fillers, private use.
 */
const HIDDEN =
  // deno-lint-ignore no-control-regex -- controls are what is looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00a0\u115f\u1160\u2800\u3164\uffa0]|\p{Cf}|\p{Zs}(?<! )|\p{Zl}|\p{Zp}|\p{Co}|\p{Cn}|\p{Cs}|[\ufe00-\ufe0e\u{e0100}-\u{e01ef}]/gu;

/** The text with each hidden character as `\u{…}`; undefined when it has none. */
export function hiddenText(text: string): string | undefined {
  const shown = text.replace(HIDDEN, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`);
  return shown === text ? undefined : shown;
}
