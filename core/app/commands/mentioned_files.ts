import { resolve } from "node:path";
import type { World } from "../../base/mod.ts";
import type { JsonObject } from "../../types/mod.ts";
import type { CallPorts } from "../features/skills/skill_commands.ts";

const READ = "Read";
const MOST_FILES = 20;

/**
 * The files that a command's text mentions as `@path`, as Read shows them, to stand behind the text. Each is judged as a call
 * of Read is; what is not allowed without a question, or may hold secrets, is left out and said so, and what is no file is passed over. Throws the
 * signal's reason alone.
 */
export async function mentionedFiles(
  mentions: readonly string[],
  root: string,
  { gate, tools }: CallPorts,
  world: World,
  signal: AbortSignal,
): Promise<string> {
  const tool = tools.find(READ);
  if (tool === undefined) return "";
  const parts: string[] = [];
  for (const mention of [...new Set(mentions)].slice(0, MOST_FILES)) {
    const trimmed = mention.replace(/[.,;:]+$/, "");
    const path = [mention, trimmed].map((each) => resolve(root, each)).find(isFile);
    if (path === undefined) continue;
    const input: JsonObject = { file_path: path };
    const verdict = await gate.judge(tool, input);
    // a text that somebody wrote beforehand is no reason to hand out secrets
    const why = verdict.behavior !== "allow"
      ? verdict.reason
      : verdict.reads_secret === undefined
      ? undefined
      : "it may hold secrets";
    if (why !== undefined) {
      parts.push(`<file path="${trimmed}">\nNot shown: ${why}\n</file>`);
      continue;
    }
    const { content } = await tools.call(tool, input, {
      call_id: world.uuid(),
      verdict,
      seen: {},
      signal,
      progress: () => {},
      judge: (given) => gate.judge(tool, given),
    });
    signal.throwIfAborted();
    parts.push(`<file path="${trimmed}">\n${content}\n</file>`);
  }
  return parts.length === 0 ? "" : `\n\n${parts.join("\n")}`;
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false; // a word that only looks like a mention
  }
}
