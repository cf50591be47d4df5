/** Controls apart from tab and line feed, and marks that turn the direction of text around. */
// deno-lint-ignore no-control-regex -- controls are what is looked for
const CONTROLS = /\r(?!\n)|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;

/**
 * The text as a terminal may show it: what would move the cursor, set a title, reach the clipboard or turn text around
 * stands there as `\u{…}`. File names, settings of a repository and a model's answer may hold anything.
 */
export function visibleControls(text: string): string {
  return text.replace(CONTROLS, (char) => `\\u{${char.charCodeAt(0).toString(16)}}`);
}
