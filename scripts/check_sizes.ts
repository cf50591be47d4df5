// deno-lint-ignore-file no-console
// Fails when a file has grown too long: 500 lines at most, 300 for those that only wire or loop, 120 for the median.
import { fileURLToPath } from "node:url";
import { isFree, type SourceFile, sourceFiles } from "./source_files.ts";

const MAX_LINES = 500;
const MAX_MEDIAN = 120;
/** Files that must stay a list of steps. */
const TIGHTER: Readonly<Record<string, number>> = {
  "main.ts": 40,
  "core/app/compose.ts": 300,
  "core/agent/run_agent.ts": 300,
};

/** Every breach of the size budget, one a line. */
export function findOversize(files: readonly SourceFile[]): string[] {
  const breaches: string[] = [];
  for (const { path, text } of files) {
    const limit = TIGHTER[path] ?? MAX_LINES;
    const lines = countLines(text);
    if (lines > limit) breaches.push(`${path}:${limit}: ${lines} lines, at most ${limit}`);
  }
  const middle = medianLines(files);
  if (middle > MAX_MEDIAN) breaches.push(`the median source file has ${middle} lines, at most ${MAX_MEDIAN}`);
  return breaches;
}

/** The median length of the sources that are no tests. */
export function medianLines(files: readonly SourceFile[]): number {
  const lengths = files.filter((file) => !isFree(file.path)).map((file) => countLines(file.text)).sort((
    a,
    b,
  ) => a - b);
  return lengths[Math.floor(lengths.length / 2)] ?? 0;
}

function countLines(text: string): number {
  return text === "" ? 0 : text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
}

if (import.meta.main) {
  const files = await sourceFiles(fileURLToPath(new URL("..", import.meta.url)));
  const breaches = findOversize(files);
  for (const breach of breaches) console.error(breach);
  console.log(
    `sizes: ${files.length} files, median ${medianLines(files)} lines, ${breaches.length} breaches`,
  );
  if (breaches.length > 0) Deno.exit(1);
}
