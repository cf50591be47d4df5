import type { AppPort } from "../../cli/mod.ts";
import type { FeatureScope } from "../features/session_feature.ts";
import { OwnSessionStore } from "./own_session_store.ts";

/**
 * The ports of the command line as a slash command has them: the same ones, over a store that has the open session among
 * the saved ones. What looks at all sessions (lists, storage) sees it as open, as another process does.
 */
export function ownApp(app: AppPort, { parts }: Pick<FeatureScope, "parts">): AppPort {
  const { app_root, world, home, located, session, journal } = parts;
  const store = new OwnSessionStore(app_root, world, { ...located, session, journal });
  const manage = async () => {
    const { manageSessions } = await import("../sessions/manage_sessions.ts");
    return manageSessions(store, app_root, world);
  };
  const settings = async (project_dir: string) => {
    const { loadSettings } = await import("../../config/mod.ts");
    return (await loadSettings({ app_root, project_dir, env: Deno.env, home })).settings;
  };
  return {
    ...app,
    session_show: {
      async show(id) {
        const { showSession } = await import("../sessions/show_session.ts");
        return await showSession(store, store.find(id));
      },
      output: (id, call_id) => app.session_show.output(id, call_id),
    },
    session_manage: {
      ...app.session_manage,
      rename: async (id, title) => await (await manage()).rename(id, title),
      pin: async (id, pinned) => await (await manage()).pin(id, pinned),
      fork: async (id, options) => await (await manage()).fork(id, options),
    },
    session_history: {
      async list(id, query) {
        const { sessionHistory } = await import("../sessions/history.ts");
        return await sessionHistory(store).list(id, query);
      },
      async get(id, number) {
        const { sessionHistory } = await import("../sessions/history.ts");
        return await sessionHistory(store).get(id, number);
      },
    },
    session_export: {
      async exportSession(id, request, warn) {
        const [{ exportSessions }, { maskWith, settingsFor }] = await Promise.all([
          import("../sessions/export/export_sessions.ts"),
          import("../sessions/export/mask_with.ts"),
        ]);
        const masks = async (cwd: string) => await maskWith(await settingsFor(app_root, home, cwd), home);
        return await exportSessions(store, masks).exportSession(id, request, warn);
      },
    },
    rewind: {
      async rewind(request, decide) {
        const { rewindPort } = await import("../sessions/rewind.ts");
        return await rewindPort({ store, app_root, world, settings }).rewind(request, decide);
      },
    },
  };
}
