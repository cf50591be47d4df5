import type { Transcript } from "./transcript.ts";

/**
 * `--format json`: one object `{format: "lumina.session", version: 1, session, messages}`, as `Transcript` describes it.
 * A later version may add keys; these keep their meaning.
 */
export function jsonExport(transcript: Transcript): string {
  return `${JSON.stringify({ format: "lumina.session", version: 1, ...transcript }, null, 2)}\n`;
}
