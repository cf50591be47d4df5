import { readInstructions, systemPrompt } from "../../../agent/mod.ts";
import type { AgentDefinition } from "../../../extension/mod.ts";
import { instructionOptions } from "../../project_instructions.ts";
import type { SessionParts } from "../../session_parts.ts";

/** The system prompt of a sub-agent: what all of them are told, the instructions of its type, and those of the project. */
export async function agentPrompt(
  { app_root, files, flags, home, located, watch }: SessionParts,
  { prompt }: AgentDefinition,
  window: number,
): Promise<string> {
  const frame = await Deno.readTextFile(new URL("resources/prompts/agent.md", files.root));
  const place = { start_dir: located.project.root, fallback_dir: app_root.instructionsDir, home, window };
  const instructions = flags.bare
    ? []
    : readInstructions(instructionOptions(place, watch.current.settings)).files;
  return systemPrompt(`${frame.trim()}\n\n# Your part\n${prompt.trim()}`, instructions, "");
}
