import { join } from "node:path";
import { fileURLToPath } from "node:url";

const SECURITY = fileURLToPath(new URL("..", import.meta.url));

/** Lines that people and attackers write: the corpus of ways around the rules, and everyday lines where they are there. */
export async function knownLines(): Promise<string[]> {
  const shared = Deno.env.get("LUMINA_SHARED") ?? join(SECURITY, "../../../shared");
  const files = [join(SECURITY, "bypass_corpus.jsonl"), join(shared, "fixtures/permission/everyday.jsonl")];
  const lines: string[] = [];
  for (const file of files) {
    let text: string;
    try {
      text = await Deno.readTextFile(file);
    } catch (error) {
      // the everyday lines are no part of the repository
      if (error instanceof Deno.errors.NotFound) continue;
      throw error;
    }
    for (const row of text.split("\n")) {
      if (row.trim() === "") continue;
      const { line } = JSON.parse(row) as { line?: unknown };
      if (typeof line === "string") lines.push(line);
    }
  }
  return lines;
}
