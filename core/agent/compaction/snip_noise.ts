/** A line that shows how far something has come; of neighbours the last one is enough. */
const PROGRESS = [
  /^\s*(?:\S.{0,60}\s)?\d{1,3}(?:\.\d+)?\s?%(?:[\s|█▓▒░#=>.\-]|$)/,
  /^\s*(?:Downloading|Downloaded|Compiling|Checking|Fetching|Fetched|Resolving|Unpacking|Extracting|Preparing|Pulling|Receiving objects|Resolving deltas|Collecting|Using cached|Requirement already satisfied|Installing|npm http|npm timing|npm sill)\b/,
  /^\s*[0-9a-f]{12}: (?:Pulling fs layer|Waiting|Verifying Checksum|Download complete|Pull complete|Already exists)/,
  /^[\s|█▓▒░#=>.\-⠀-⣿]{8,}$/,
];
const LEAST = 4;

/**
 * A tool's result without what only showed progress: what a carriage return would have overwritten, runs of four or
 * more lines of progress (the last one stays), and more than two empty lines in a row. The same text where there is none.
 */
export function snipNoise(text: string): string {
  const lines = text.split("\n").map(overwritten);
  const kept: string[] = [];
  for (let at = 0; at < lines.length;) {
    let end = at;
    while (end < lines.length && isProgress(lines[end] ?? "")) end++;
    if (end - at >= LEAST) {
      kept.push(`[${end - at - 1} lines of progress left out]`, lines[end - 1] ?? "");
      at = end;
      continue;
    }
    const line = lines[at] ?? "";
    const third = line.trim() === "" && kept.at(-1)?.trim() === "" && kept.at(-2)?.trim() === "";
    if (!third) kept.push(line);
    at++;
  }
  const snipped = kept.join("\n");
  return snipped.length < text.length ? snipped : text;
}

/** A terminal would show what stands behind the last carriage return. */
function overwritten(line: string): string {
  const end = line.endsWith("\r") ? line.slice(0, -1) : line;
  const at = end.lastIndexOf("\r");
  return at < 0 ? line : end.slice(at + 1);
}

function isProgress(line: string): boolean {
  return PROGRESS.some((pattern) => pattern.test(line));
}
