// deno-lint-ignore-file no-control-regex -- control characters are what this file is about
const SEQUENCES = new RegExp(
  [
    "\\x1b\\[[0-?]*[ -/]*[@-~]", // CSI: colours, cursor
    "\\x1b\\][^\\x07\\x1b]*(?:\\x07|\\x1b\\\\)", // OSC: titles, links
    "\\x1b[PX^_][^\\x1b]*\\x1b\\\\", // DCS, SOS, PM, APC
    "\\x1b[ -/]*[0-~]", // two-character escapes, character sets
  ].join("|"),
  "g",
);
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;

/**
 * What a person would see on a terminal, as plain text: no colours or other escape sequences, lines that were
 * redrawn with a carriage return in their last state, overstrikes resolved. Bells go; every other control character but
 * newline and tab is written as `\xNN`. (Sequences follow ECMA-48.)
 */
export function cleanTerminal(text: string): string {
  let clean = text.replace(SEQUENCES, "");
  if (clean.includes("\r")) clean = clean.split("\n").map(lastState).join("\n");
  if (clean.includes("\b")) clean = withoutOverstrikes(clean);
  return clean.replace(
    CONTROLS,
    (char) => char === "\x07" ? "" : `\\x${char.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
}

/** The last text that was drawn on a line: what stands after the last carriage return that is followed by text. */
function lastState(line: string): string {
  let end = line.length;
  while (line[end - 1] === "\r") end--;
  return line.slice(line.lastIndexOf("\r", end - 1) + 1, end);
}

/** Each backspace takes the character before it away, as far as the line goes. */
function withoutOverstrikes(text: string): string {
  const kept: string[] = [];
  for (const char of text) {
    if (char !== "\b") kept.push(char);
    else if (kept.length > 0 && kept.at(-1) !== "\n") kept.pop();
  }
  return kept.join("");
}
