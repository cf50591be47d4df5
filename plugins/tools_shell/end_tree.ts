import { delay, settledWithin } from "./delay.ts";
import { type ProcessRow, selectTree } from "./process_table.ts";
import type { SignalShell } from "./signal_shell.ts";

/** What to end, and how patiently. */
export interface EndTree {
  /** Group leaders of the commands. */
  groups: readonly number[];
  /** Text that only these commands carry in their environment. */
  marker: string;
  /** Processes known to belong to them, pid to start. */
  known?: ReadonlyMap<number, string>;
  /** Time between TERM and KILL, milliseconds. */
  grace_ms: number;
  /** Settles when the group leaders have ended, so that nobody waits longer than needed. */
  ended: Promise<unknown>;
}

const LOOK_MS = 60;
const KILL_LIMIT_MS = 3_000;
const SANDBOX_PROGRAM = "bwrap";

/**
 * Ends a command with all it started: TERM to the group and to what left the group (`setsid`, double forks), then
 * after the grace KILL to all that is still there, again and again until nothing is left. Sandbox monitors get no TERM:
 * they would take their whole namespace down at once, without grace for what runs inside.
 * Returns the processes that are alive nevertheless (uninterruptible ones), normally none.
 */
export async function endTree(shell: SignalShell, what: EndTree): Promise<ProcessRow[]> {
  const started = performance.now();
  const known = new Map(what.known);
  const look = async (): Promise<ProcessRow[]> => {
    const rows = selectTree(await shell.table(what.marker), what.groups, known, [Deno.pid]);
    for (const row of rows) known.set(row.pid, row.start);
    return rows;
  };
  let ended = false;
  const noteEnd = () => ended = true;
  what.ended.then(noteEnd, noteEnd);

  let alive = await look();
  const sandboxed = alive.some((row) => row.name === SANDBOX_PROGRAM);
  if (sandboxed) {
    await shell.signal("TERM", [], alive.filter((row) => row.name !== SANDBOX_PROGRAM).map((row) => row.pid));
  } else {
    await shell.signal("TERM", what.groups, outside(alive, what.groups));
  }
  while (alive.length > 0 && performance.now() - started < what.grace_ms) {
    if (ended) await delay(LOOK_MS / 4);
    else await settledWithin(what.ended, LOOK_MS);
    alive = await look();
  }
  const killing = performance.now();
  while (alive.length > 0 && performance.now() - killing < KILL_LIMIT_MS) {
    await shell.signal("KILL", what.groups, outside(alive, what.groups));
    alive = await look();
    if (alive.length > 0) await delay(LOOK_MS / 4);
  }
  return alive;
}

/** The pids that a signal to the groups does not reach. */
function outside(rows: readonly ProcessRow[], groups: readonly number[]): number[] {
  return rows.filter((row) => !groups.includes(row.group)).map((row) => row.pid);
}
