import type { AppRootPaths } from "../../app_root/mod.ts";
import { EXIT, loadNativeHash, LuminaError } from "../../base/mod.ts";
import type { World } from "../../base/mod.ts";
import type { RewindDecision, RewindPath, RewindPort, RewindReport, RewindRequest } from "../../cli/mod.ts";
import type { Journal } from "../../journal/mod.ts";
import { planRewind, rewindTarget, runSteps, SnapshotStore, TreeRestore } from "../../rewind/mod.ts";
import { withoutConflicts, Workspace } from "../../rewind/mod.ts";
import type { PathChange, RewindPlan, RewindTarget } from "../../rewind/mod.ts";
import { cutAt } from "../../session/mod.ts";
import type { Session, SessionState } from "../../session/mod.ts";
import { limitsOf, ownFolder, snapshotFile } from "./capture_hook.ts";
import type { CaptureSettings } from "./capture_hook.ts";
import { beforeLastRewind, fileHistory } from "./file_moments.ts";
import type { SessionStore } from "./session_store.ts";

export interface RewindParts {
  store: SessionStore;
  app_root: AppRootPaths;
  world: World;
  /** The settings of a project. */
  settings(project_dir: string): Promise<CaptureSettings>;
}

/** `lumina session rewind`. */
export function rewindPort(parts: RewindParts): RewindPort {
  return { rewind: (request, decide) => rewind(parts, request, decide) };
}

/** How often a person is asked about a workspace that changes meanwhile. */
const MAX_ASKED = 5;

type Decide = (plan: RewindReport) => Promise<RewindDecision>;

/** A session, and what is asked for, looked up in its journal. */
interface Opened {
  state: Readonly<SessionState>;
  to: number;
  scope: RewindRequest["scope"];
  /** Undefined when only the conversation goes back. */
  target: RewindTarget | undefined;
}

async function rewind(parts: RewindParts, request: RewindRequest, decide: Decide): Promise<RewindReport> {
  const { store } = parts;
  const saved = store.find(request.id);
  if (request.dry_run) {
    const state = await store.state(saved);
    const journal = await store.openJournal(saved);
    try {
      const opened = await lookUp(journal, state, request);
      return await withFiles(parts, opened, async (files) => await Promise.resolve(planned(opened, files)));
    } finally {
      await journal.close();
    }
  }
  let report: RewindReport | undefined;
  await store.change(saved, async (session, journal) => {
    const opened = await lookUp(journal, session.state, request);
    report = await withFiles(parts, opened, (files) => carryOut(parts, session, opened, files, decide));
  });
  return report!; // `change` throws unless it was made
}

async function lookUp(
  journal: Journal,
  state: Readonly<SessionState>,
  { to: wanted, scope }: RewindRequest,
): Promise<Opened> {
  if (wanted === "undo") {
    const history = await fileHistory(journal);
    const { position, to } = beforeLastRewind(history);
    return { state, to, scope: "files", target: rewindTarget(history.moments, position) };
  }
  const kept = cutAt(state, wanted);
  if (scope === "conversation") return { state, to: wanted, scope, target: undefined };
  // an answer stays with the results of its calls: the files are those behind the last of them
  const index = state.origins.indexOf(wanted);
  const position = kept > index ? state.origins[kept - 1] ?? wanted : wanted;
  const { moments } = await fileHistory(journal);
  return { state, to: wanted, scope, target: rewindTarget(moments, position) };
}

/** The files as they are and what must be done to them. */
interface Files {
  workspace: Workspace;
  /** What is restored. */
  snapshot: string;
  present: string;
  skipped: string[];
  plan: RewindPlan;
  /** Looks at the workspace anew. */
  again(): Promise<Files>;
}

/** Captures the workspace as it is, for `body`; it gets nothing when no file was written since. */
async function withFiles<T>(
  { app_root, world, settings }: RewindParts,
  { state, to, target }: Opened,
  body: (files: Files | undefined) => Promise<T>,
): Promise<T> {
  if (target?.snapshot === undefined) return await body(undefined);
  const { snapshot } = target;
  const root = workspaceOf(state);
  if (snapshot === "") {
    throw notKept(to, "were not captured (the journal has the warning, or the setting rewind was off)");
  }
  await loadNativeHash();
  const store = openStore(snapshotFile(app_root, state.project_id), to);
  try {
    if (!store.has(snapshot)) throw notKept(to, "are no longer kept (rewind_max_store_bytes, or a cleanup)");
    const workspace = new Workspace(store, {
      root,
      session_id: state.session_id,
      exclude: [ownFolder(app_root)],
      // however much the agent has made: it must be possible to go back from it
      limits: { ...limitsOf(await settings(root)), max_store_bytes: Infinity },
      world,
    });
    // snapshots that a cleanup took away are like those that never were
    const has = (hash: string) => hash !== "" && store.has(hash);
    const left = has(target.left) ? target.left : "";
    const between = target.between.filter(({ from, to }) => has(from) && has(to));
    const known = left === "" ? [snapshot] : [snapshot, left];
    const look = async (): Promise<Files> => {
      const { snapshot: present, skipped } = await workspace.capture({ known, open_closed: true });
      const plan = planRewind(store, present, snapshot, { left, between });
      return { workspace, snapshot, present, skipped, plan, again: look };
    };
    return await body(await look());
  } finally {
    store.close();
  }
}

function openStore(file: string, to: number): SnapshotStore {
  try {
    return SnapshotStore.open(file, { create: false });
  } catch (error) {
    if (error instanceof LuminaError && error.code === "rewind.missing") {
      throw notKept(to, "are no longer kept");
    }
    throw error;
  }
}

async function carryOut(
  { world }: RewindParts,
  session: Session,
  opened: Opened,
  found: Files | undefined,
  decide: Decide,
): Promise<RewindReport> {
  const { decision, files } = await agree(opened, found, decide);
  const report = planned(opened, files);
  if (decision === "cancel") return { ...report, outcome: "cancelled" };
  let changed = 0;
  if (files !== undefined) {
    const { workspace, plan, present, skipped } = files;
    const changes = decision === "keep" ? withoutConflicts(plan) : plan.changes;
    if (decision === "keep") report.kept = [...plan.conflicts].map(shownPath);
    await session.execute({ type: "note_capture", snapshot: present, moment: "rewind", skipped });
    const restore = new TreeRestore(report.workspace, workspace.store, () => world.uuid());
    const done = await runSteps(restore.run(changes, workspace.unfinished), world, undefined);
    report.left.push(...done.left);
    report.failed = done.failed;
    changed = done.changed.length;
    if (done.failed.length > 0) return { ...report, outcome: "failed" };
  }
  const { to, scope } = opened;
  await session.execute({ type: "rewind", to, scope, snapshot: files?.snapshot ?? null, changed });
  return { ...report, outcome: "done" };
}

/**
 * Asks what is to be done, again where files have changed while a person was thinking: nothing is overwritten that was
 * not captured, and nothing of a person's that was not shown.
 */
async function agree(
  opened: Opened,
  found: Files | undefined,
  decide: Decide,
): Promise<{ decision: RewindDecision; files: Files | undefined }> {
  let files = found;
  for (let asked = 0; asked < MAX_ASKED; asked++) {
    const decision = await decide(planned(opened, files));
    if (decision === "cancel" || files === undefined) return { decision, files };
    const now = await files.again();
    if (wasShown(now.plan, files.plan)) return { decision, files: now };
    files = now;
  }
  throw new LuminaError(
    "session.workspace_busy",
    `Nothing was changed: something goes on writing in ${opened.state.cwd}; end it and try again`,
    { exit: EXIT.conflict },
  );
}

/** Whether the plan `now` changes no path that was not in `shown`, and has no conflict that was not there. */
function wasShown(now: RewindPlan, shown: RewindPlan): boolean {
  const paths = new Set(shown.changes.map(({ path }) => path));
  return now.changes.every(({ path }) => paths.has(path)) &&
    [...now.conflicts].every((path) => shown.conflicts.has(path));
}

/** What would be done. */
function planned({ state, to, scope }: Opened, files: Files | undefined): RewindReport {
  const kept = scope === "files" ? state.messages.length : cutAt(state, to);
  return {
    session_id: state.session_id,
    workspace: state.cwd,
    to,
    scope,
    outcome: "plan",
    messages: state.messages.length - kept,
    last_message: lastOf(state, kept),
    changes: files === undefined ? [] : files.plan.changes.map((change) => ({
      path: shownPath(change.path),
      action: actionOf(change),
      conflict: files.plan.conflicts.has(change.path),
    })),
    kept: [],
    left: files?.plan.stays.map(shownPath) ?? [],
    failed: [],
    skipped: files?.skipped ?? [],
  };
}

/** The number of the last message from the index `kept` on that carries more than results of tools. */
function lastOf({ messages, origins }: Readonly<SessionState>, kept: number): number {
  const index = messages.findLastIndex(({ content }) => content.some(({ type }) => type !== "tool_result"));
  return index < kept ? 0 : origins[index] ?? 0;
}

/** The one name that is none stands for all that are not UTF-8. */
function shownPath(path: string): string {
  return path.replace("\0", "(names that are not UTF-8)");
}

function actionOf({ from, to }: PathChange): RewindPath["action"] {
  if (to === undefined) return "delete";
  if (from === undefined) return "create";
  if (from.type === "dir" && to.type === "dir") return "mode";
  return from.type === "file" && to.type === "file" && from.hash === to.hash ? "mode" : "write";
}

/** The session's workspace, which must still be the folder that it was. */
function workspaceOf({ cwd, session_id }: Readonly<SessionState>): string {
  try {
    if (Deno.lstatSync(cwd).isDirectory && Deno.realPathSync(cwd) === cwd) return cwd;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound) && !(error instanceof Deno.errors.NotADirectory)) {
      throw error;
    }
  }
  throw new LuminaError(
    "session.no_workspace",
    `The folder ${cwd} of session ${session_id} no longer exists: make it again, or take only the conversation back with --conversation`,
    { exit: EXIT.not_found },
  );
}

function notKept(to: number, why: string): LuminaError {
  return new LuminaError(
    "session.files_not_kept",
    `The files at message ${to} ${why}: --conversation goes back without them`,
    { exit: EXIT.not_found },
  );
}
