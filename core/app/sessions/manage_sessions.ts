import { projectIdentity, recordProject, startDirectory } from "../../app_root/mod.ts";
import type { AppRootPaths } from "../../app_root/mod.ts";
import { EXIT, LuminaError } from "../../base/mod.ts";
import type { World } from "../../base/mod.ts";
import type { DeletedSession, SessionManagePort } from "../../cli/mod.ts";
import { forkSession } from "./fork_session.ts";
import { oneSession } from "./list_sessions.ts";
import { archiveSession, removeSession } from "./move_session.ts";
import type { SavedSession, SessionStore } from "./session_store.ts";

/** A title is one line of at most this many characters. */
const TITLE_MAX = 200;

/** `lumina session rename`, `pin`, `archive`, `delete`, `redact` and `fork` over the sessions of one app root. */
export function manageSessions(store: SessionStore, app_root: AppRootPaths, world: World): SessionManagePort {
  /** The sessions of these names, each once, all of them free and none protected. */
  const removable = async (ids: readonly string[], force: boolean) => {
    const found = new Map<string, { saved: SavedSession; shown: DeletedSession }>();
    for (const id of ids) {
      const saved = store.find(id);
      const { session_id } = saved;
      await store.assertFree(saved);
      // what cannot be read can be deleted: its name is all there is to show
      const row = await oneSession(store, saved, () => {});
      const pinned = row?.pinned ?? false;
      if (pinned && !force) {
        throw new LuminaError(
          "session.pinned",
          `Cannot delete the session ${session_id}: it is pinned (lumina session unpin ${session_id}, or --force)`,
          { exit: EXIT.conflict },
        );
      }
      found.set(session_id, { saved, shown: { session_id, title: row?.title ?? "", pinned } });
    }
    return [...found.values()];
  };
  return {
    async rename(id, title) {
      const state = await store.change(store.find(id), async (session) => {
        await session.execute({ type: "set_title", title: titleOf(title), by: "user" });
      });
      return { session_id: state.session_id, title: state.title };
    },
    async pin(id, pinned) {
      const state = await store.change(
        store.find(id),
        (session) => session.execute({ type: "set_pinned", pinned }),
      );
      return { session_id: state.session_id };
    },
    async archive(id, archived) {
      const saved = store.find(id);
      const changed = await archiveSession(store, app_root, saved, archived);
      return { session_id: saved.session_id, changed };
    },
    async planRemove(ids, force) {
      return (await removable(ids, force)).map(({ shown }) => shown);
    },
    async remove(ids, force, warn) {
      const doomed = await removable(ids, force);
      for (const { saved } of doomed) await removeSession(store, app_root, saved);
      const { collectSnapshots } = await import("./storage_snapshots.ts");
      for (const { error, path } of await collectSnapshots({ app_root, world }, { dry_run: false })) {
        if (error !== "") {
          warn(`Snapshots in ${path} were kept: ${error} (lumina storage cleanup tries again)`);
        }
      }
      return doomed.map(({ shown }) => shown);
    },
    async move(id, directory) {
      const project = projectIdentity(startDirectory(directory));
      const state = await store.change(
        store.find(id),
        (session) => session.execute({ type: "place", project_id: project.id, cwd: project.root }),
      );
      recordProject(app_root, project, world);
      return { session_id: state.session_id, cwd: state.cwd };
    },
    async redact(id, messages, reason) {
      const { redactSession } = await import("./redact_session.ts");
      const saved = store.find(id);
      const redacted = await redactSession({ store, app_root, world }, saved, messages, reason);
      return { session_id: saved.session_id, redacted };
    },
    async fork(id, options) {
      const { title, ...rest } = options;
      return await forkSession({
        store,
        app_root,
        world,
        parent: store.find(id),
        session_id: world.uuid(),
        ...rest,
        ...(title === undefined ? {} : { title: titleOf(title) }),
      });
    },
  };
}

function titleOf(text: string): string {
  const title = text.replace(/\s+/gu, " ").trim();
  if (title !== "" && [...title].length <= TITLE_MAX) return title;
  throw new LuminaError(
    "session.bad_title",
    title === ""
      ? "Cannot name the session: the title is empty"
      : `Cannot name the session: a title has at most ${TITLE_MAX} characters`,
    { exit: EXIT.usage },
  );
}
