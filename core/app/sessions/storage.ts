import type { AppRootPaths } from "../../app_root/mod.ts";
import { errorMessage } from "../../base/mod.ts";
import type { World } from "../../base/mod.ts";
import type {
  CleanupAction,
  CleanupReport,
  RetentionRules,
  SessionRow,
  StorageAmount,
  StoragePort,
  StorageStatus,
} from "../../cli/mod.ts";
import { listSessions } from "./list_sessions.ts";
import { archiveSession, removeSession, spillFolders } from "./move_session.ts";
import { sessionCopies } from "./session_copies.ts";
import type { SessionStore } from "./session_store.ts";
import { findOrphans } from "./storage_orphans.ts";
import { planRetention } from "./storage_plan.ts";
import { folderSize, sizeOf } from "./storage_size.ts";
import { collectSnapshots, snapshotAmount } from "./storage_snapshots.ts";

export interface StorageOptions {
  store: SessionStore;
  app_root: AppRootPaths;
  world: World;
  /** Read when it is needed. */
  rules(): Promise<RetentionRules>;
}

type Warn = (text: string) => void;

/** A session with what it takes. */
interface Measured extends SessionRow {
  directory: string;
  own_bytes: number;
  spill_bytes: number;
  bytes: number;
}

/** `lumina storage` over one app root. */
export function storage(options: StorageOptions): StoragePort {
  return {
    status: (warn) => status(options, warn),
    async cleanup(enforce, warn) {
      return await cleanup(options, await measure(options, warn), enforce);
    },
  };
}

async function measure({ store, app_root }: StorageOptions, warn: Warn): Promise<Measured[]> {
  const spilled = new Map<string, number>();
  for (const { session_id, path } of spillFolders(app_root)) {
    spilled.set(session_id, (spilled.get(session_id) ?? 0) + folderSize(path).bytes);
  }
  const measured: Measured[] = [];
  for (const archived of [false, true]) {
    // a session that cannot be read is warned of and never taken by a rule
    for (const row of (await listSessions(store, { archived }, warn)).rows) {
      const { directory } = store.at(row.session_id, archived);
      const own_bytes = folderSize(directory).bytes;
      const spill_bytes = spilled.get(row.session_id) ?? 0;
      measured.push({ ...row, directory, own_bytes, spill_bytes, bytes: own_bytes + spill_bytes });
    }
  }
  return measured;
}

async function cleanup(
  { store, app_root, world, rules }: StorageOptions,
  sessions: readonly Measured[],
  enforce: boolean,
): Promise<CleanupReport> {
  const used = onlyRules(await rules());
  const plan = planRetention(sessions, used, world.now());
  const actions: CleanupAction[] = [];
  const act = async (
    what: Pick<CleanupAction, "type" | "session_id" | "path" | "reason" | "bytes">,
    kind: "archive" | "delete",
    run: () => Promise<unknown>,
  ) => {
    const { type, session_id, path, reason, bytes } = what;
    const done = { deleted: false, archived: false, error: "" };
    if (enforce) {
      try {
        await run();
        done[kind === "delete" ? "deleted" : "archived"] = true;
      } catch (error) {
        done.error = errorMessage(error);
      }
    }
    const would = { would_delete: kind === "delete", would_archive: kind === "archive" };
    actions.push({ type, session_id, path, reason, bytes, ...would, ...done });
  };
  for (const { session, action, reason } of plan.actions) {
    const { session_id, directory: path, bytes } = session;
    const saved = store.at(session_id, session.archived);
    await act(
      { type: "session", session_id, path, reason, bytes },
      action,
      () =>
        action === "archive"
          ? archiveSession(store, app_root, saved, true)
          : removeSession(store, app_root, saved),
    );
  }
  for (const orphan of findOrphans(store, app_root, world.now())) {
    await act(orphan, "delete", () => Deno.remove(orphan.path, { recursive: true }));
  }
  const deleted = plan.actions.filter(({ action }) => action === "delete");
  const gone = new Set(enforce ? [] : deleted.map(({ session }) => session.session_id));
  for (const garbage of await collectSnapshots({ app_root, world }, { dry_run: !enforce, gone })) {
    const { path, bytes, snapshots, error } = garbage;
    actions.push({
      type: "rewind",
      session_id: "",
      path,
      reason: `${snapshots} snapshots of sessions that no longer exist`,
      bytes,
      would_delete: true,
      would_archive: false,
      deleted: enforce && error === "",
      archived: false,
      error,
    });
  }
  return { enforced: enforce, rules: used, actions, skipped: plan.skipped };
}

/** Nothing else of the settings goes into a report: among them is the key. */
function onlyRules(
  { retention_days, retention_max_sessions, retention_max_bytes, retention_archive }: RetentionRules,
): RetentionRules {
  return { retention_days, retention_max_sessions, retention_max_bytes, retention_archive };
}

async function status(options: StorageOptions, warn: Warn): Promise<StorageStatus> {
  const { app_root } = options;
  const sessions = await measure(options, warn);
  const projects = Map.groupBy(sessions, ({ project_id }) => project_id);
  const spilled = spillFolders(app_root).map(({ path }) => folderSize(path).bytes);
  const copies = sessionCopies(app_root);
  return {
    root: app_root.root,
    ...amounts(sessions),
    tool_results: { count: spilled.length, bytes: spilled.reduce((sum, bytes) => sum + bytes, 0) },
    backups: { count: copies.length, bytes: copies.reduce((sum, { path }) => sum + sizeOf(path), 0) },
    rewind: snapshotAmount(app_root),
    caches: folderSize(app_root.cacheDir),
    projects: [...projects].map(([project_id, own]) => ({
      project_id,
      cwd: own[0]!.cwd,
      ...amounts(own),
      tool_results: amountOf(own.filter(({ spill_bytes }) => spill_bytes > 0), "spill_bytes"),
      rewind: snapshotAmount(app_root, project_id),
    })),
    retention: await cleanup(options, sessions, false),
  };
}

function amounts(sessions: readonly Measured[]): { sessions: StorageAmount; archives: StorageAmount } {
  return {
    sessions: amountOf(sessions.filter(({ archived }) => !archived), "own_bytes"),
    archives: amountOf(sessions.filter(({ archived }) => archived), "own_bytes"),
  };
}

function amountOf(sessions: readonly Measured[], field: "own_bytes" | "spill_bytes"): StorageAmount {
  return { count: sessions.length, bytes: sessions.reduce((sum, session) => sum + session[field], 0) };
}
