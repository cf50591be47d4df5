import type { Settings } from "../config/mod.ts";
import type { Model } from "../model/mod.ts";
import type { ToolManifest } from "../plugin_api/mod.ts";
import type { JsonObject } from "../types/mod.ts";

/** What tools that read files are told: which media the model takes, and their limits. */
export function readingConfig({ accepts }: Model, settings: Settings): JsonObject {
  return {
    images: accepts?.images ?? false,
    pdf: accepts?.pdf ?? false,
    image_max_bytes: settings.read_image_max_bytes,
    pdf_max_pages: settings.read_pdf_max_pages,
  };
}

/** False for the tool for patches where neither the setting nor the model wants it; true for every other tool. */
export function patchOffered(tool: ToolManifest, model: Model, { apply_patch }: Settings): boolean {
  if (tool.subject.kind !== "patch" || apply_patch === "on") return true;
  return apply_patch === "auto" && model.prefers_patch === true;
}
