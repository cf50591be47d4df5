import type { JsonObject, ToolContext } from "../../core/plugin_api/mod.ts";
import { endTree } from "./end_tree.ts";
import { OrphanWatch, sessionMark } from "./orphan_watch.ts";
import { selectTree } from "./process_table.ts";
import type { ProcessRow } from "./process_table.ts";
import { isLive, type ShellEntry } from "./shell_entry.ts";
import { isLocked } from "./locked_command.ts";
import { namespaceSignals } from "./namespace_signals.ts";
import { shellPath } from "./shell_command.ts";
import type { ShellProcess } from "./shell_process.ts";
import { signalShell } from "./signal_shell.ts";
import type { SignalShell } from "./signal_shell.ts";

/** What one session has running and where its next command starts. */
export interface ShellSession {
  /** Where the last command ended; undefined for the workspace. */
  cwd?: string;
  entries: Map<string, ShellEntry>;
  count: number;
}

/** Most shells of a session that may run at once. */
export const MAX_LIVE = 10;
/** Ended shells that a session still remembers. */
const MAX_ENDED = 50;
const CLOSE_GRACE_MS = 300;

/** Everything the plugin holds, by session. A session is known by its spill folder, which no other has. */
export class ShellRegistry {
  readonly #sessions = new Map<string, ShellSession>();
  /** What the markers of all commands begin with. */
  readonly #mark = `LUMINA_SHELL=${crypto.randomUUID()}.`;
  #calls = 0;
  #shell: SignalShell | undefined;
  #notify: (data: JsonObject) => void = () => {};
  readonly #watch = new OrphanWatch(this.#mark);
  /** Commands that a call is waiting for, by group leader; they too end with the worker. */
  readonly foreground = new Map<number, Promise<unknown>>();

  /** Every command whose shell runs, by group leader. */
  readonly started = new Map<number, ShellProcess>();

  /** Where the session hears of what happens between calls. */
  connect(notify: (data: JsonObject) => void): void {
    this.#notify = notify;
  }

  /**
   * Before a command starts: what ends it should this program be killed. A locked run's commands end with it by
   * themselves, as the sandbox does.
   */
  guard(context: ToolContext): void {
    if (!isLocked(context)) this.#watch.start(shellPath(context));
  }

  /** Takes note of a command until its shell has ended. */
  begin(process: ShellProcess): void {
    this.started.set(process.pid, process);
    this.#watch.add(process.pid);
    const over = () => void this.started.delete(process.pid);
    process.ended.then(over, over); // who waits for it tells why it failed
  }

  /** Nothing of a command runs any more. */
  gone(process: ShellProcess): void {
    this.#watch.remove(process.pid);
  }

  /** How processes are looked at and ended in this call. */
  signals(context: ToolContext): SignalShell {
    return isLocked(context) ? namespaceSignals(this.started) : signalShell(shellPath(context));
  }

  /** A new text for the environment of one command of a session, `NAME=value`, unlike any other. */
  newMarker(spill_dir: string): string {
    return `${this.#mark}${++this.#calls}${sessionMark(spill_dir)}`;
  }

  session(spill_dir: string): ShellSession {
    let session = this.#sessions.get(spill_dir);
    if (!session) this.#sessions.set(spill_dir, session = { entries: new Map(), count: 0 });
    return session;
  }

  /** Remembers how processes are looked at, for {@link close}. */
  useShell(shell: SignalShell): void {
    this.#shell = shell;
  }

  /** Keeps a command beyond its call, under the id that the host offers or the next one, and tells the session. */
  keep(
    session: ShellSession,
    parts: Omit<ShellEntry, "id" | "left" | "shown">,
    { call_id, config }: ToolContext,
  ): ShellEntry {
    const offered = config["shell_id"];
    const id = typeof offered === "string" && !session.entries.has(offered)
      ? offered
      : `sh_${++session.count}`;
    const entry: ShellEntry = { ...parts, id, left: new Map(), shown: 0 };
    session.entries.set(entry.id, entry);
    this.#notify({
      type: "started",
      shell_id: id,
      call_id,
      command: entry.command,
      pid: entry.process.pid,
      output_file: entry.sink.path ?? null,
    });
    const ended = [...session.entries.values()].filter((other) => !isLive(other));
    for (const old of ended.slice(0, Math.max(0, ended.length - MAX_ENDED))) session.entries.delete(old.id);
    return entry;
  }

  /** Tells the session, once, that nothing of a command runs any more; `last` is what it wrote last. */
  tellEnd(entry: ShellEntry, last: string): void {
    this.gone(entry.process);
    if (entry.told?.session) return;
    entry.told = { ...entry.told, session: true };
    this.#notify({
      type: "ended",
      shell_id: entry.id,
      exit_code: entry.end?.code ?? null,
      reason: entry.failure ?? entry.ended_by ?? null,
      duration_ms: Math.round((entry.ended_at ?? performance.now()) - entry.process.started),
      told: entry.told?.model === true,
      last,
    });
  }

  /** The model has been shown that a command is over. */
  seen(entry: ShellEntry): void {
    if (entry.told?.model) return;
    entry.told = { ...entry.told, model: true };
    this.#notify({ type: "seen", shell_id: entry.id });
  }

  /** Looks again which processes of ended shells are still there; their rows by entry. */
  async refresh(session: ShellSession, shell: SignalShell): Promise<void> {
    for (const entry of session.entries.values()) {
      if (entry.left.size === 0) continue;
      const rows = await leftOver(shell, entry.marker, entry.process.pid, entry.left);
      entry.left = new Map(rows.map((row) => [row.pid, row.start]));
      if (rows.length === 0) await finish(entry);
    }
  }

  /** True while any command lives, or the model has not seen how it ended. */
  busy(): boolean {
    for (const session of this.#sessions.values()) {
      for (const entry of session.entries.values()) if (isLive(entry) || !entry.told?.model) return true;
    }
    return this.foreground.size > 0;
  }

  /** Ends all commands of all sessions with everything they started, within a second. */
  async close(): Promise<void> {
    if (!this.#shell) return;
    for (const session of this.#sessions.values()) {
      for (const entry of session.entries.values()) entry.told = { session: true };
    }
    const entries = [...this.#sessions.values()].flatMap((session) => [...session.entries.values()]);
    const running = entries.filter((entry) => entry.end === undefined && entry.failure === undefined);
    for (const entry of running) entry.ended_by ??= "ended with the session";
    await endTree(this.#shell, {
      groups: [...running.map((entry) => entry.process.pid), ...this.foreground.keys()],
      marker: this.#mark,
      known: new Map(entries.flatMap((entry) => [...entry.left])),
      grace_ms: CLOSE_GRACE_MS,
      ended: Promise.allSettled([
        ...running.map((entry) => entry.process.ended),
        ...this.foreground.values(),
      ]),
    });
    for (const entry of entries) {
      entry.left.clear();
      await finish(entry);
    }
    this.#sessions.clear();
    await this.#watch.stop();
  }
}

/** Ends reading and writing of a command of which nothing runs any more; its file stays. */
export async function finish(entry: ShellEntry): Promise<void> {
  await entry.process.stopReading();
  await entry.sink.close(false);
}

/** The processes of a command whose shell, the leader of `group`, has ended. */
export async function leftOver(
  shell: SignalShell,
  marker: string,
  group: number,
  known: ReadonlyMap<number, string> = new Map(),
): Promise<ProcessRow[]> {
  return selectTree(await shell.table(marker), [group], known, [Deno.pid]);
}
