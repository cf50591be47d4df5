import { dirname, join, resolve } from "node:path";
import { makePrivateDirectory, projectIdentity, startDirectory } from "../../../app_root/mod.ts";
import type { AppRootPaths } from "../../../app_root/mod.ts";
import { EXIT, LuminaError, sha256, syncDirectory } from "../../../base/mod.ts";
import type { World } from "../../../base/mod.ts";
import type { ImportPort, ImportReport } from "../../../cli/mod.ts";
import { importSession } from "./import_session.ts";
import { exists, REPORT_FILE } from "./legacy_files.ts";
import { oldSources } from "./old_sources.ts";
import type { OldSources } from "./old_sources.ts";

/**
 * `lumina session import`: copies an old session into a folder of its own beside the sessions, imports it there, and gives
 * it its name among them as the last step. The source is only read.
 */
export function sessionImport(app_root: AppRootPaths, world: World): ImportPort {
  return {
    async importSession(path, { cwd }) {
      const project = cwd === undefined ? undefined : projectIdentity(startDirectory(cwd));
      const sources = oldSources(resolve(path));
      const session_id = idOf(sources.name, app_root, world);
      const directory = app_root.sessionDir(session_id);
      for (const place of [directory, join(app_root.archiveDir, session_id)]) {
        if (!exists(place)) continue;
        const report = reportOf(place);
        if (report !== undefined && sameFiles(report, sources)) {
          return { session_id, directory: place, already: true, report };
        }
        throw taken(path, session_id);
      }
      const staging = join(dirname(app_root.sessionsDir), ".import", session_id);
      makePrivateDirectory(dirname(staging));
      removeTree(staging); // what an import that was cut off has left
      makePrivateDirectory(staging);
      try {
        for (const file of sources.files) Deno.copyFileSync(file.path, join(staging, file.name));
        world.failpoint?.("import.copied");
        const report = await importSession(staging, {
          world,
          ...(project === undefined ? {} : { place: { project_id: project.id, cwd: project.root } }),
        });
        if (report === undefined) throw new Error("the copy holds nothing to import");
        world.failpoint?.("import.staged");
        Deno.renameSync(staging, directory);
        syncDirectory(dirname(directory));
        return { session_id, directory, already: false, report };
      } finally {
        removeTree(staging);
      }
    },
  };
}

function taken(path: string, session_id: string): LuminaError {
  return new LuminaError(
    "session.exists",
    `Cannot import ${path}: there is another session ${session_id}; delete it first (lumina session list --archived shows the archived ones)`,
    { exit: EXIT.conflict },
  );
}

/** The old name where it can be an id, else a new one. */
function idOf(name: string, app_root: AppRootPaths, world: World): string {
  const safe = name.replace(/[/\\:]/g, "_");
  try {
    app_root.sessionDir(safe);
    return safe;
  } catch {
    return world.uuid(); // `app_root.bad_id`
  }
}

function reportOf(directory: string): ImportReport | undefined {
  try {
    return JSON.parse(Deno.readTextFileSync(join(directory, REPORT_FILE)));
  } catch {
    return undefined; // a session that was not imported
  }
}

function sameFiles(report: ImportReport, { files }: OldSources): boolean {
  const hashes = new Map(report.files.map(({ name, sha256 }) => [name, sha256]));
  return files.length === hashes.size &&
    files.every(({ name, path }) => hashes.get(name) === sha256(Deno.readFileSync(path)));
}

function removeTree(path: string): void {
  try {
    Deno.removeSync(path, { recursive: true });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
