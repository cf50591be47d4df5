import { dirname, isAbsolute, join } from "node:path";
import { isInside } from "../files/mod.ts";
import { hasSecretName } from "../permission/mod.ts";
import { findImports } from "./instruction_imports.ts";

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
  /** What `~` in an import stands for; absent: such an import is not followed. */
  home?: string;
  /** Folders outside the project from which its files may import. */
  import_dirs?: readonly string[];
  /** True of a file, as a real path, that holds secrets: a project's files cannot import it. */
  closed?(path: string): boolean;
}

/** How far imports are followed. */
const MOST_DEPTH = 5;
/** More than this of one file is not read at all. */
const MOST_BYTES = 2_000_000;

/**
 * Collects project instructions: from the nearest marked parent directory down to the start directory, outermost
 * first, so that what is nearer wins. Markers only help to find files: they never widen the workspace. A file that
 * is a link out of that tree is not read. A line `@path` imports another file, which stands before the one that names it.
 * What exceeds the budget is cut at the end of the outermost files first; every cut or skipped file gives a warning.
 */
export function readInstructions(
  options: InstructionOptions,
): { files: InstructionFile[]; warnings: string[] } {
  const directories = instructionDirectories(options.start_dir, options.markers);
  const boundary = directories[0] ?? options.start_dir;
  const reader = new InstructionReader(options, boundary);
  let files = reader.read(directories);
  if (files.length === 0) files = reader.readOwn(options.fallback_dir);
  return { files: fit(files, options.max_bytes, reader.warnings), warnings: reader.warnings };
}

/**
 * The instruction files of one directory below the start directory, with what they import; files that are known already
 * are left out.
 */
export function readInstructionsOf(
  directory: string,
  options: InstructionOptions,
  known: ReadonlySet<string>,
): { files: InstructionFile[]; warnings: string[] } {
  const reader = new InstructionReader(options, options.start_dir, known);
  const files = reader.read([directory]);
  return { files: fit(files, options.max_bytes, reader.warnings), warnings: reader.warnings };
}

/** Names with those that belong to them: another agent's file may lie in its folder and have a local part beside it. */
function namesOf(filenames: readonly string[]): string[] {
  return filenames.flatMap((name) =>
    name === "CLAUDE.md" ? [join(".claude", name), name, "CLAUDE.local.md"] : [name]
  );
}

/** Reads files and their imports, each file once. */
class InstructionReader {
  readonly warnings: string[] = [];
  readonly #options: InstructionOptions;
  readonly #boundary: string;
  readonly #seen: Set<string>;

  constructor(options: InstructionOptions, boundary: string, known: ReadonlySet<string> = new Set()) {
    this.#options = options;
    this.#boundary = boundary;
    this.#seen = new Set(known);
  }

  read(directories: readonly string[]): InstructionFile[] {
    const names = namesOf(this.#options.filenames);
    const paths = directories.flatMap((directory) => names.map((name) => join(directory, name)));
    return this.#readAll(paths, [this.#boundary], [this.#boundary, ...this.#options.import_dirs ?? []]);
  }

  /** The user's own files may import from anywhere. */
  readOwn(directory: string): InstructionFile[] {
    return this.#readAll(this.#options.filenames.map((name) => join(directory, name)), undefined, undefined);
  }

  #readAll(
    paths: readonly string[],
    within: readonly string[] | undefined,
    imports: readonly string[] | undefined,
  ): InstructionFile[] {
    const direct = paths.flatMap((path) => {
      const file = this.#file(path, within);
      if (file === undefined || this.#seen.has(file.real)) return [];
      this.#seen.add(file.real);
      return [file];
    });
    return direct.flatMap((file) => [...this.#imports(file, [file.real], imports), file])
      .map(({ path, text }) => ({ path, text })).filter(({ text }) => text !== "");
  }

  #imports(
    { path: importer, text }: ReadFile,
    chain: readonly string[],
    within: readonly string[] | undefined,
  ): ReadFile[] {
    return findImports(text).flatMap(({ path, certain }) => {
      const absolute = this.#absolute(path, dirname(importer));
      const file = absolute === undefined ? undefined : this.#file(absolute, within, importer);
      if (file === undefined) {
        if (certain && (absolute === undefined || !exists(absolute))) {
          this.warnings.push(`${importer} imports @${path}, which is not there`);
        }
        return [];
      }
      if (chain.includes(file.real)) {
        this.warnings.push(`${importer} imports @${path}, which imports it again: it counts once`);
        return [];
      }
      if (this.#seen.has(file.real)) return [];
      if (chain.length > MOST_DEPTH) {
        this.warnings.push(
          `${importer} imports @${path} more than ${MOST_DEPTH} levels deep: it was not read`,
        );
        return [];
      }
      this.#seen.add(file.real);
      return [...this.#imports(file, [...chain, file.real], within), file];
    });
  }

  #absolute(path: string, directory: string): string | undefined {
    const { home } = this.#options;
    if (path.startsWith("~/")) return home === undefined ? undefined : join(home, path.slice(2));
    return isAbsolute(path) ? path : join(directory, path);
  }

  /** A text file inside one of the folders; undefined when there is none that may be read. */
  #file(path: string, within: readonly string[] | undefined, importer?: string): ReadFile | undefined {
    try {
      const real = Deno.realPathSync(path);
      const { isFile, size } = Deno.statSync(real);
      if (!isFile) return undefined;
      if (within !== undefined && !within.some((folder) => isInside(folder, real))) {
        this.warnings.push(
          importer === undefined
            ? `${path} is a link out of the project and was not read`
            : `${importer} imports ${path}, which lies outside the project: add its folder to project_doc_import_dirs to allow that`,
        );
        return undefined;
      }
      if (importer !== undefined && within !== undefined && this.#options.closed?.(real) === true) {
        this.warnings.push(`${importer} imports ${path}, which holds secrets: it was not read`);
        return undefined;
      }
      // what others wrote is no reason to hand out secrets
      if (within !== undefined && hasSecretName(real)) {
        this.warnings.push(`${path} may hold secrets and was not read as instructions`);
        return undefined;
      }
      if (size > MOST_BYTES) {
        this.warnings.push(`${path} has ${size} bytes and was not read: instructions are shorter`);
        return undefined;
      }
      const text = new TextDecoder().decode(Deno.readFileSync(real)).trim(); // takes a byte order mark off
      if (text.includes("\0")) {
        this.warnings.push(`${path} is no text and was not read`);
        return undefined;
      }
      return { path, real, text };
    } catch (error) {
      if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) {
        return undefined;
      }
      this.warnings.push(`Cannot read ${path}: ${error instanceof Error ? error.message : error}`);
      return undefined;
    }
  }
}

interface ReadFile extends InstructionFile {
  real: string;
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
