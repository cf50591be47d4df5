import { basename, join } from "node:path";
import { errorMessage, EXIT, LuminaError } from "../../base/mod.ts";
import type { PluginManifest } from "../../plugin_api/mod.ts";
import type { JsonObject } from "../../types/mod.ts";
import { parseManifest } from "../packs/parse_manifest.ts";

/** A manifest as it stands in its file, and as the schema completes it. */
export interface ReadManifest {
  given: JsonObject;
  manifest: PluginManifest;
}

/**
 * Reads `manifest.json` of a pack's folder. Throws `plugin.not_found` (exit 4) where there is none, else what `parseManifest`
 * throws.
 */
export async function readManifest(directory: string): Promise<ReadManifest> {
  const file = join(directory, "manifest.json");
  let text: string;
  try {
    text = await Deno.readTextFile(file);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) {
      throw new LuminaError(
        "plugin.not_found",
        `${directory} is no pack: it has no manifest.json; lumina plugin new tools NAME makes one`,
        { exit: EXIT.not_found },
      );
    }
    throw new LuminaError("plugin.manifest", `Cannot read ${file}: ${errorMessage(error)}`, { cause: error });
  }
  try {
    JSON.parse(text);
  } catch (error) {
    // its author wants the place
    throw new LuminaError("plugin.manifest", `${file} is not valid JSON: ${errorMessage(error)}`);
  }
  const manifest = parseManifest(text, basename(directory), { strict: true });
  return { given: JSON.parse(text), manifest };
}
