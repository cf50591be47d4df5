import { projectIdentity, startDirectory } from "../../app_root/mod.ts";
import type { SessionListPort } from "../../cli/mod.ts";
import { listSessions } from "./list_sessions.ts";
import { sessionTree } from "./session_tree.ts";
import type { SessionStore } from "./session_store.ts";

/** `lumina session list` and `tree` over the sessions of one app root. */
export function sessionList(store: SessionStore): SessionListPort {
  const rootOf = (query: { cwd?: string; all: boolean }) =>
    query.all ? undefined : projectIdentity(startDirectory(query.cwd)).root;
  return {
    async list(query, warn) {
      const root = rootOf(query);
      return await listSessions(store, {
        archived: query.archived,
        ...(root === undefined ? {} : { root }),
        ...(query.limit === undefined ? {} : { limit: query.limit }),
      }, warn);
    },
    async tree(query, warn) {
      const session = query.session === undefined ? undefined : store.find(query.session).session_id;
      const root = session === undefined ? rootOf(query) : undefined;
      const rows = [];
      for (const archived of [false, true]) {
        rows.push(...(await listSessions(store, { archived }, warn)).rows);
      }
      const trees = sessionTree(rows, session);
      return root === undefined ? trees : trees.filter(({ cwd }) => cwd === root);
    },
  };
}
