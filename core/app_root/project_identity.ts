import { basename, isAbsolute, join } from "node:path";
import {
  canonicalJson,
  errorMessage,
  EXIT,
  LuminaError,
  sha256,
  type World,
  writeFileAtomic,
} from "../base/mod.ts";
import { isJsonObject, type Json, type JsonObject } from "../types/mod.ts";
import type { AppRootPaths } from "./app_root_paths.ts";
import { makePrivateDirectory } from "./private_directory.ts";

/** A project: the start directory itself, known by the hash of its real path. */
export interface ProjectIdentity {
  /** `<slug>-<16 hex>`: the slug is for people, the hash decides. */
  readonly id: string;
  /** The start directory with every link followed. */
  readonly root: string;
  readonly display_name: string;
}

/** How old `last_seen_at` may grow before it is written again. */
const SEEN_INTERVAL_MS = 3_600_000;

/**
 * The directory a session works in: `option` (what `--cwd` gave, relative to the current directory) or the current
 * directory. Throws `app_root.no_start_directory` (exit 2) when the current directory has been deleted.
 */
export function startDirectory(option: string | undefined): string {
  if (option !== undefined && option.trim() === "") throw noStart("--cwd is empty: give a directory");
  if (option !== undefined && isAbsolute(option)) return option;
  let current: string;
  try {
    current = Deno.cwd();
  } catch (error) {
    throw noStart(
      `The current directory cannot be read (${
        errorMessage(error)
      }): change to one that exists, or give --cwd DIR`,
      error,
    );
  }
  return option === undefined ? current : join(current, option);
}

/**
 * Names the project of a start directory. Markers such as `.git` in a parent play no part. Throws
 * `app_root.no_start_directory` (exit 2) when the path is absent or is no directory.
 */
export function projectIdentity(start_dir: string): ProjectIdentity {
  let root: string;
  try {
    root = Deno.realPathSync(start_dir);
    if (!Deno.statSync(root).isDirectory) throw new Deno.errors.NotADirectory("it is not a directory");
  } catch (error) {
    throw noStart(
      `Cannot start in ${start_dir} (${errorMessage(error)}): give a directory that exists with --cwd`,
      error,
    );
  }
  const name = basename(root);
  const key = Deno.build.os === "windows" ? root.toLowerCase() : root;
  return {
    id: `${slug(name)}-${sha256(key).slice(0, 16)}`,
    root,
    display_name: name === "" ? root : name,
  };
}

/**
 * Notes in `data/projects/<id>/project.json` that the project was used: written when it is new and then at most once
 * an hour, 0600; it can be made again, so nothing is synced. Throws `app_root.project_collision` (exit 5) when the id belongs to another path, and what
 * the file system throws. Call it off the way to the first answer.
 */
export function recordProject(app_root: AppRootPaths, project: ProjectIdentity, world: World): void {
  const directory = app_root.projectDir(project.id);
  const file = join(directory, "project.json");
  const now = world.now();
  const known = readProject(file);
  if (known !== undefined && typeof known.canonical_root === "string") {
    if (known.canonical_root !== project.root) {
      throw new LuminaError(
        "app_root.project_collision",
        `Project id ${project.id} of ${project.root} already belongs to ${known.canonical_root}: move ${directory} away if that project is gone`,
        { exit: EXIT.conflict },
      );
    }
    const seen = typeof known.last_seen_at === "string" ? Date.parse(known.last_seen_at) : NaN;
    if (now - seen < SEEN_INTERVAL_MS && now >= seen) return;
  }
  makePrivateDirectory(directory);
  const stamp = new Date(now).toISOString();
  const first = typeof known?.first_seen_at === "string" ? known.first_seen_at : stamp;
  writeFileAtomic(
    file,
    canonicalJson({
      id: project.id,
      canonical_root: project.root,
      display_name: project.display_name,
      first_seen_at: first,
      last_seen_at: stamp,
    }) + "\n",
    { durable: false },
  );
}

function readProject(file: string): JsonObject | undefined {
  let text: string;
  try {
    text = Deno.readTextFileSync(file);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
  try {
    const value: Json = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    // the file only repeats what is known anyway: a torn one is written again
    return undefined;
  }
}

function slug(name: string): string {
  const kept = name.normalize("NFC").toLowerCase().replace(/[^\p{L}\p{N}._-]+/gu, "-");
  const text = [...kept.replace(/^[-._]+|[-._]+$/g, "")].slice(0, 48).join("").replace(/[-._]+$/, "");
  return text === "" ? "default" : text;
}

function noStart(message: string, cause?: unknown): LuminaError {
  return new LuminaError("app_root.no_start_directory", message, { exit: EXIT.usage, cause });
}
