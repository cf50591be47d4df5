import type { AppRoot } from "../../app_root/mod.ts";
import type { World } from "../../base/mod.ts";
import type { AppPort } from "../../cli/mod.ts";

/** The ports of the commands on saved sessions. Each part is loaded when a command needs it. */
export function sessionPorts(
  appRoot: () => AppRoot,
  home: () => string,
  world: World,
): Pick<
  AppPort,
  | "session_list"
  | "session_show"
  | "session_manage"
  | "session_history"
  | "session_import"
  | "storage"
  | "repair"
> {
  const opened = async () => {
    const { SessionStore } = await import("./session_store.ts");
    const app_root = appRoot();
    return { app_root, store: new SessionStore(app_root, world) };
  };
  const list = async () => {
    const { sessionList } = await import("./session_list.ts");
    return sessionList((await opened()).store);
  };
  const manage = async () => {
    const { manageSessions } = await import("./manage_sessions.ts");
    const { store, app_root } = await opened();
    return manageSessions(store, app_root, world);
  };
  const storagePort = async () => {
    const { storage } = await import("./storage.ts");
    const { loadSettings } = await import("../../config/mod.ts");
    const { store, app_root } = await opened();
    // a project may not say what becomes of the sessions of others: only the user's settings count
    const rules = async () => (await loadSettings({ app_root, env: Deno.env, home: home() })).settings;
    return storage({ store, app_root, world, rules });
  };
  const history = async () => {
    const { sessionHistory } = await import("./history.ts");
    return sessionHistory((await opened()).store);
  };
  const repair = async () => {
    const { repairPort } = await import("./repair.ts");
    const { store, app_root } = await opened();
    return repairPort(store, app_root, world);
  };
  return {
    session_history: {
      list: async (id, query) => await (await history()).list(id, query),
      get: async (id, number) => await (await history()).get(id, number),
    },
    session_import: {
      async importSession(path, options) {
        const { sessionImport } = await import("./legacy/import_elsewhere.ts");
        return await sessionImport(appRoot(), world).importSession(path, options);
      },
    },
    session_list: {
      list: async (query, warn) => await (await list()).list(query, warn),
      tree: async (query, warn) => await (await list()).tree(query, warn),
    },
    session_show: {
      async show(id) {
        const { showSession } = await import("./show_session.ts");
        const { store } = await opened();
        return await showSession(store, store.find(id));
      },
      async output(id, call_id) {
        const { keptOutput } = await import("./kept_output.ts");
        const { store } = await opened();
        return await keptOutput(store, store.find(id), call_id);
      },
    },
    session_manage: {
      rename: async (id, title) => await (await manage()).rename(id, title),
      pin: async (id, pinned) => await (await manage()).pin(id, pinned),
      archive: async (id, archived) => await (await manage()).archive(id, archived),
      planRemove: async (ids, force) => await (await manage()).planRemove(ids, force),
      remove: async (ids, force, warn) => await (await manage()).remove(ids, force, warn),
      move: async (id, directory) => await (await manage()).move(id, directory),
      redact: async (id, messages, reason) => await (await manage()).redact(id, messages, reason),
      fork: async (id, options) => await (await manage()).fork(id, options),
    },
    repair: {
      async *verify(id) {
        yield* (await repair()).verify(id);
      },
      repair: async (id) => await (await repair()).repair(id),
    },
    storage: {
      status: async (warn) => await (await storagePort()).status(warn),
      cleanup: async (enforce, warn) => await (await storagePort()).cleanup(enforce, warn),
    },
  };
}
