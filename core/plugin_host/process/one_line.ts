import { withoutFlags } from "../../base/mod.ts";

/** Controls, and marks that turn the direction of text around. */
// deno-lint-ignore no-control-regex -- controls are what is looked for
const CONTROLS = /[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g;
/** What sets colours and moves the cursor. */
// deno-lint-ignore no-control-regex -- the escape character is what is looked for
const ESCAPES = /\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?)/g;
/** The URL that a pack's bytes are loaded from holds all of them. */
const DATA_URL = /data:text\/javascript;base64,[A-Za-z0-9+/=.…]*/g;

/** What a stranger wrote, as a person may read it in one line of at most `most` characters. */
export function oneLine(text: string, most = 300): string {
  const line = withoutFlags(text.slice(0, 1_000_000)).replace(ESCAPES, "").replace(DATA_URL, "mod.js")
    .replace(
      CONTROLS,
      " ",
    ).trim();
  return line.length <= most ? line : `${line.slice(0, most - 1)}…`;
}

/** The same for text of several lines, of which the last `most` characters stay. */
export function plainLines(text: string, most: number): string {
  return text.split("\n").map((line) => oneLine(line, 2_000)).join("\n").slice(-most);
}
