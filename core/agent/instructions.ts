import { dirname, join } from "node:path";
import { isInside } from "../files/mod.ts";

/** One instruction file, its text without a byte order mark. */
export interface InstructionFile {
  path: string;
  text: string;
}

export interface InstructionOptions {
  /** The start directory, as a real path. */
  start_dir: string;
  /** Names that mark a project's root. */
  markers: readonly string[];
  /** File names by rising weight: in one directory all are read, the last one wins. */
  filenames: readonly string[];
  /** Where the user's own instructions lie; read only when the project has none. */
  fallback_dir: string;
  /** Bytes that all texts together may have. */
  max_bytes: number;
}

/**
 * Collects project instructions: from the nearest marked parent directory down to the start directory, outermost
 * first, so that what is nearer wins. Markers only help to find files: they never widen the workspace. A file that
 * is a link out of that tree is not read. What exceeds the budget is cut at the end of the outermost files first;
 * every cut or skipped file gives a warning.
 */
export function readInstructions(
  options: InstructionOptions,
): { files: InstructionFile[]; warnings: string[] } {
  const warnings: string[] = [];
  const directories = instructionDirectories(options.start_dir, options.markers);
  const boundary = directories[0] ?? options.start_dir;
  let files = directories.flatMap((directory) =>
    options.filenames.flatMap((name) => read(join(directory, name), boundary, warnings))
  );
  if (files.length === 0) {
    files = options.filenames.flatMap((name) => read(join(options.fallback_dir, name), undefined, warnings));
  }
  return { files: fit(files, options.max_bytes, warnings), warnings };
}

/** From the nearest marked directory (the start directory included) down to the start directory. */
function instructionDirectories(start: string, markers: readonly string[]): string[] {
  const directories = [start];
  for (let directory = start;;) {
    if (markers.some((marker) => exists(join(directory, marker)))) return directories;
    const parent = dirname(directory);
    if (parent === directory) return [start];
    directories.unshift(parent);
    directory = parent;
  }
}

function read(path: string, boundary: string | undefined, warnings: string[]): InstructionFile[] {
  try {
    if (boundary !== undefined && !isInside(boundary, Deno.realPathSync(path))) {
      warnings.push(`${path} is a link out of the project and was not read`);
      return [];
    }
    if (!Deno.statSync(path).isFile) return [];
    const text = new TextDecoder().decode(Deno.readFileSync(path)).trim(); // takes a byte order mark off
    return text === "" ? [] : [{ path, text }];
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return [];
    warnings.push(`Cannot read ${path}: ${error instanceof Error ? error.message : error}`);
    return [];
  }
}

function fit(files: InstructionFile[], max_bytes: number, warnings: string[]): InstructionFile[] {
  const encoder = new TextEncoder();
  let left = max_bytes;
  const kept: InstructionFile[] = [];
  for (const file of [...files].reverse()) {
    const bytes = encoder.encode(file.text);
    if (bytes.length <= left) {
      kept.unshift(file);
      left -= bytes.length;
      continue;
    }
    warnings.push(
      `${file.path} was cut from ${bytes.length} to ${left} bytes: instructions may have ${max_bytes} (project_doc_max_bytes, a tenth of the model's window at most)`,
    );
    if (left > 0) {
      const text = new TextDecoder().decode(bytes.subarray(0, left), { stream: true }); // drops a cut character
      kept.unshift({ path: file.path, text });
    }
    left = 0;
  }
  return kept;
}

function exists(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false; // not there, or not to be seen: either way it marks nothing
  }
}
