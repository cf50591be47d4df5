import { join } from "node:path";
import type { AppRoot } from "../app_root/mod.ts";
import { projectIdentity, startDirectory } from "../app_root/mod.ts";
import type { ProjectIdentity } from "../app_root/mod.ts";
import { EXIT, LuminaError } from "../base/mod.ts";
import type { World } from "../base/mod.ts";
import type { RunFlags } from "../cli/mod.ts";
import type { SessionRow } from "../cli/mod.ts";

/** The sessions on this machine, newest first, and one of them by its id. */
export interface SavedSessions {
  list(): Promise<SessionRow[]>;
  find(id: string): Promise<SessionRow | undefined>;
}

/** Which session a run belongs to and where it works. */
export interface LocatedSession {
  session_id: string;
  fresh: boolean;
  project: ProjectIdentity;
  directory: string;
}

/**
 * Finds the session that the flags name. An old session always works in its own directory. Whether a session of a new
 * one's name exists is for its journal to say. Throws `session.not_found` (exit 4), `session.other_directory` (exit 5),
 * or what a bad start directory gives.
 */
export async function locateSession(
  flags: RunFlags,
  app_root: AppRoot,
  world: World,
  saved: SavedSessions,
): Promise<LocatedSession> {
  const wanted = flags.session;
  if (wanted.kind === "new") {
    const session_id = wanted.id ?? world.uuid();
    const directory = app_root.sessionDir(session_id);
    const project = projectIdentity(startDirectory(flags.cwd));
    return { session_id, fresh: true, project, directory };
  }
  if (wanted.kind === "continue") {
    const project = projectIdentity(startDirectory(flags.cwd));
    const newest = (await saved.list()).find((row) => row.cwd === project.root);
    if (newest === undefined) {
      throw notFound(`No session was run in ${project.root} yet: start one with lumina -p "…"`);
    }
    const directory = app_root.sessionDir(newest.session_id);
    return { session_id: newest.session_id, fresh: false, project, directory };
  }
  const directory = app_root.sessionDir(wanted.id);
  if (!exists(join(directory, "runtime.sqlite"))) {
    throw noSession(wanted.id);
  }
  const own = (await saved.find(wanted.id))?.cwd;
  if (own !== undefined && own !== "" && flags.cwd !== undefined) {
    const given = projectIdentity(startDirectory(flags.cwd)).root;
    if (given !== own) {
      throw new LuminaError(
        "session.other_directory",
        `The session ${wanted.id} works in ${own}, not in ${given}: leave --cwd out, or start a new session there`,
        { exit: EXIT.conflict },
      );
    }
  }
  const project = projectIdentity(own === undefined || own === "" ? startDirectory(flags.cwd) : own);
  return { session_id: wanted.id, fresh: false, project, directory };
}

/** No such session, or one whose process died before it was created. Exit 4. */
export function noSession(id: string): LuminaError {
  return notFound(`There is no session ${id}: lumina --list shows them`);
}

function notFound(message: string): LuminaError {
  return new LuminaError("session.not_found", message, { exit: EXIT.not_found });
}

function exists(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
