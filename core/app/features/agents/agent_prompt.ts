import { readInstructions, systemPrompt } from "../../../agent/mod.ts";
import type { AgentDefinition } from "../../../extension/mod.ts";
import type { SessionParts } from "../../session_parts.ts";

/** At most this share of the window goes to project instructions; four bytes count as one token. */
const INSTRUCTIONS_SHARE = 0.1;

/** The system prompt of a sub-agent: what all of them are told, the instructions of its type, and those of the project. */
export async function agentPrompt(
  { app_root, files, flags, located, watch }: SessionParts,
  { prompt }: AgentDefinition,
  window: number,
): Promise<string> {
  const frame = await Deno.readTextFile(new URL("resources/prompts/agent.md", files.root));
  const { settings } = watch.current;
  const instructions = flags.bare ? [] : readInstructions({
    start_dir: located.project.root,
    markers: settings.project_root_markers,
    filenames: [...settings.project_doc_filenames].reverse(),
    fallback_dir: app_root.instructionsDir,
    max_bytes: Math.min(settings.project_doc_max_bytes, Math.floor(window * INSTRUCTIONS_SHARE * 4)),
  }).files;
  return systemPrompt(`${frame.trim()}\n\n# Your part\n${prompt.trim()}`, instructions, "");
}
