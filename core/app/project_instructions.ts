import { join } from "node:path";
import type { InstructionOptions } from "../agent/mod.ts";
import type { Settings } from "../config/mod.ts";
import { hasSecretName, secretPlaceOf, secretPlaces } from "../permission/mod.ts";

/** At most this share of the window goes to project instructions; four bytes count as one token. */
const INSTRUCTIONS_SHARE = 0.1;

/** How the instructions of a project are read, by the settings of the moment. */
export function instructionOptions(
  place: { start_dir: string; fallback_dir: string; home: string; window: number },
  settings: Settings,
): InstructionOptions {
  const { start_dir, fallback_dir, home, window } = place;
  const os = Deno.build.os === "darwin" ? "darwin" : "linux";
  return {
    start_dir,
    fallback_dir,
    home,
    markers: settings.project_root_markers,
    filenames: [...settings.project_doc_filenames].reverse(),
    max_bytes: Math.min(settings.project_doc_max_bytes, Math.floor(window * INSTRUCTIONS_SHARE * 4)),
    closed: (path) => hasSecretName(path) || secretPlaceOf(path, secretPlaces({ home, os })) !== undefined,
    import_dirs: settings.project_doc_import_dirs.map((path) =>
      real(path.startsWith("~/") ? join(home, path.slice(2)) : path)
    ),
  };
}

function real(path: string): string {
  try {
    return Deno.realPathSync(path);
  } catch {
    return path; // a folder that is not there holds nothing to import
  }
}
