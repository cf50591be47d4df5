import type { AppRoot } from "../app_root/mod.ts";
import { projectIdentity, startDirectory } from "../app_root/mod.ts";
import type { ProjectIdentity } from "../app_root/mod.ts";
import { EXIT, LuminaError } from "../base/mod.ts";
import type { World } from "../base/mod.ts";
import type { RunFlags } from "../cli/mod.ts";
import { needsImport } from "./sessions/legacy/legacy_files.ts";
import type { SavedSession, SessionStore } from "./sessions/session_store.ts";

/** Which session a run belongs to and where it works. */
export interface LocatedSession {
  session_id: string;
  fresh: boolean;
  project: ProjectIdentity;
  directory: string;
  /** Makes the fork that the flags ask for; called when everything else that could be wrong has been looked at. */
  fork?: () => Promise<void>;
}

/**
 * Finds the session that the flags name. An old session works in its own directory and is only opened from there or with
 * `--cwd`. Whether an active session of a new one's name exists is for its journal to say. Throws `session.not_found` (exit 4),
 * `session.ambiguous` (exit 2), `session.other_directory` or `session.archived` (exit 5), or what a bad start directory
 * gives.
 */
export async function locateSession(
  flags: RunFlags,
  app_root: AppRoot,
  world: World,
  store: SessionStore,
  warn: (text: string) => void,
): Promise<LocatedSession> {
  const wanted = flags.session;
  if (wanted.kind === "new") {
    const session_id = wanted.id ?? world.uuid();
    const { directory } = store.at(session_id);
    if (wanted.id !== undefined && needsImport(directory)) throw sessionExists(session_id);
    if (wanted.id !== undefined && store.ids(true).includes(wanted.id)) throw archived(session_id);
    return { session_id, fresh: true, project: projectIdentity(startDirectory(flags.cwd)), directory };
  }
  const { listSessions, oneSession } = await import("./sessions/list_sessions.ts");
  const project = projectIdentity(startDirectory(flags.cwd));
  let saved: SavedSession;
  if (wanted.kind === "continue") {
    const { rows } = await listSessions(store, { root: project.root }, warn);
    // one in which only commands were typed holds nothing to go on with
    const spoken = rows.filter(({ messages }) => messages > 0);
    const newest = (spoken.length > 0 ? spoken : rows).reduce<typeof rows[number] | undefined>(
      (best, row) => best === undefined || row.updated_ts > best.updated_ts ? row : best,
      undefined,
    );
    if (newest === undefined) {
      throw notFound(`No session was run in ${project.root} yet: start one with lumina -p "…"`);
    }
    saved = store.at(newest.session_id);
  } else {
    saved = store.find(wanted.id);
    if (saved.archived) throw archived(saved.session_id);
    const own = (await oneSession(store, saved, () => {}))?.cwd; // damage is told when it is opened
    if (own !== undefined && own !== "" && own !== project.root) {
      throw otherDirectory(saved.session_id, own, project.root);
    }
  }
  if (wanted.fork === undefined) {
    return { session_id: saved.session_id, fresh: false, project, directory: saved.directory };
  }
  const session_id = wanted.fork.id ?? world.uuid();
  const { directory } = store.at(session_id);
  if (store.ids().includes(session_id) || store.ids(true).includes(session_id)) {
    throw sessionExists(session_id);
  }
  return {
    session_id,
    fresh: false,
    project,
    directory,
    async fork() {
      const { forkSession } = await import("./sessions/fork_session.ts");
      const { skipped } = await forkSession({ store, app_root, world, parent: saved, session_id });
      if (skipped.length > 0) {
        warn(`The fork goes on without ${skipped.length} events, the first: ${skipped[0]}`);
      }
    },
  };
}

/** No such session, or one whose process died before it was created. Exit 4. */
export function noSession(id: string): LuminaError {
  return notFound(`There is no session ${id}: lumina session list --all shows them`);
}

/** A new session was to have the id of an old one. Exit 5. */
export function sessionExists(id: string): LuminaError {
  return conflict(
    "session.exists",
    `The session ${id} exists already: go on with --resume ${id}, or give another id`,
  );
}

function otherDirectory(id: string, own: string, given: string): LuminaError {
  const way = isDirectory(own)
    ? `add --cwd ${own}`
    : `that directory is gone; where it was moved to, say lumina session move ${id} DIR`;
  return conflict("session.other_directory", `The session ${id} works in ${own}, not in ${given}: ${way}`);
}

function archived(id: string): LuminaError {
  return conflict(
    "session.archived",
    `The session ${id} is archived: take it back with lumina session unarchive ${id}`,
  );
}

function isDirectory(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch {
    return false; // gone, or out of reach: either way nothing can run there
  }
}

function conflict(code: string, message: string): LuminaError {
  return new LuminaError(code, message, { exit: EXIT.conflict });
}

function notFound(message: string): LuminaError {
  return new LuminaError("session.not_found", message, { exit: EXIT.not_found });
}
