import type { ToolContext } from "../../core/plugin_api/mod.ts";
import { endTree } from "./end_tree.ts";
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
  readonly #stamp = crypto.randomUUID();
  #calls = 0;
  #shell: SignalShell | undefined;
  /** Commands that a call is waiting for, by group leader; they too end with the worker. */
  readonly foreground = new Map<number, Promise<unknown>>();

  /** Every command whose shell runs, by group leader. */
  readonly started = new Map<number, ShellProcess>();

  /** Takes note of a command until its shell has ended. */
  begin(process: ShellProcess): void {
    this.started.set(process.pid, process);
    const over = () => void this.started.delete(process.pid);
    process.ended.then(over, over); // who waits for it tells why it failed
  }

  /** How processes are looked at and ended in this call. */
  signals(context: ToolContext): SignalShell {
    return isLocked(context) ? namespaceSignals(this.started) : signalShell(shellPath(context));
  }

  /** A new text for the environment of one command, `NAME=value`, unlike any other. */
  newMarker(): string {
    return `LUMINA_SHELL=${this.#stamp}.${++this.#calls}.`;
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

  /** Keeps a command beyond its call and gives it an id. */
  keep(session: ShellSession, parts: Omit<ShellEntry, "id" | "left" | "shown">): ShellEntry {
    const entry: ShellEntry = { ...parts, id: `sh_${++session.count}`, left: new Map(), shown: 0 };
    session.entries.set(entry.id, entry);
    const ended = [...session.entries.values()].filter((other) => !isLive(other));
    for (const old of ended.slice(0, Math.max(0, ended.length - MAX_ENDED))) session.entries.delete(old.id);
    return entry;
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

  /** True while any command lives. */
  busy(): boolean {
    for (const session of this.#sessions.values()) {
      for (const entry of session.entries.values()) if (isLive(entry)) return true;
    }
    return this.foreground.size > 0;
  }

  /** Ends all commands of all sessions with everything they started, within a second. */
  async close(): Promise<void> {
    if (!this.#shell) return;
    const entries = [...this.#sessions.values()].flatMap((session) => [...session.entries.values()]);
    const running = entries.filter((entry) => entry.end === undefined && entry.failure === undefined);
    for (const entry of running) entry.ended_by ??= "ended with the session";
    await endTree(this.#shell, {
      groups: [...running.map((entry) => entry.process.pid), ...this.foreground.keys()],
      marker: `LUMINA_SHELL=${this.#stamp}.`,
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
