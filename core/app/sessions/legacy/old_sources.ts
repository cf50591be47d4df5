import { basename, join } from "node:path";
import { EXIT, LuminaError } from "../../../base/mod.ts";
import { isJsonObject } from "../../../types/mod.ts";
import { exists, LEGACY_FILES, legacyFilesIn } from "./legacy_files.ts";
import type { LegacyFile } from "./legacy_files.ts";

/** An old session wherever it lies: a name for it and where each of its files is. */
export interface OldSources {
  name: string;
  files: { name: LegacyFile; path: string }[];
}

/** The endings of old sessions that were flat files, longest first. */
const ENDINGS: readonly (readonly [ending: string, name: LegacyFile])[] = [
  [".skill-recovery.commit.json", "skill-recovery.commit.json"],
  [".skill-recovery.json", "skill-recovery.json"],
  [".session.sqlite-wal", "session.sqlite-wal"],
  [".transcript.jsonl", "transcript.jsonl"],
  [".session.sqlite", "session.sqlite"],
  [".transcript.md", "transcript.md"],
  [".sqlite-wal", "session.sqlite-wal"],
  [".state.json", "state.json"],
  [".tasks.json", "tasks.json"],
  [".meta.json", "meta.json"],
  [".sqlite", "session.sqlite"],
  [".jsonl", "transcript.jsonl"],
  [".json", "state.json"],
  [".md", "transcript.md"],
];

/** What a file of a flat session is; undefined for any other file. */
export function flatFile(file: string): { session: string; name: LegacyFile } | undefined {
  for (const [ending, name] of ENDINGS) {
    if (file.endsWith(ending) && file.length > ending.length) {
      return { session: file.slice(0, -ending.length), name };
    }
  }
  return undefined;
}

/**
 * The old session at `path`: a directory, or one of the files of a flat one. Throws `session.nothing_to_import` (exit 4)
 * when there is none, `session.not_old` (exit 5) for a session of this Lumina.
 */
export function oldSources(path: string): OldSources {
  let info: Deno.FileInfo;
  try {
    info = Deno.statSync(path);
  } catch (error) {
    throw nothing(
      path,
      error instanceof Deno.errors.NotFound ? "there is no such file or directory" : String(error),
    );
  }
  if (info.isDirectory) {
    if (exists(join(path, "runtime.sqlite"))) {
      throw new LuminaError(
        "session.not_old",
        `${path} is a session of this Lumina: copy it below data/sessions/active to use it`,
        { exit: EXIT.conflict },
      );
    }
    const files = legacyFilesIn(path).map((name) => ({ name, path: join(path, name) }));
    if (files.length === 0) throw nothing(path, `it has none of ${LEGACY_FILES.join(", ")}`);
    return { name: ownName(path) ?? basename(Deno.realPathSync(path)), files };
  }
  const flat = flatFile(basename(path));
  if (flat === undefined) throw nothing(path, "it is no transcript and no state");
  const folder = join(path, "..");
  const files = new Map<LegacyFile, string>();
  for (const entry of Deno.readDirSync(folder)) {
    const other = flatFile(entry.name);
    if (entry.isFile && other?.session === flat.session) files.set(other.name, join(folder, entry.name));
  }
  files.set(flat.name, path);
  return { name: flat.session, files: [...files].map(([name, path]) => ({ name, path })) };
}

/** What the old `meta.json` calls the session. */
function ownName(directory: string): string | undefined {
  try {
    const meta: unknown = JSON.parse(Deno.readTextFileSync(join(directory, "meta.json")));
    const id = isJsonObject(meta) ? meta.session_id : undefined;
    return typeof id === "string" && id !== "" ? id : undefined;
  } catch {
    return undefined; // missing or broken: the import says so
  }
}

function nothing(path: string, why: string): LuminaError {
  return new LuminaError(
    "session.nothing_to_import",
    `There is no old session to import at ${path}: ${why}`,
    {
      exit: EXIT.not_found,
    },
  );
}
