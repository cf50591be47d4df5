import type { ProcessRow, ProcessTable } from "./process_table.ts";

/** What a pack's processes use together. */
export interface GroupUse {
  memory_mib: number;
  cpu_seconds: number;
  processes: number;
}

/**
 * A pack's process and everything it has started. What has left the process group is found by its session, by its parent, and
 * by having been seen before. Out of reach is only what a granted program starts through two forks and a session of its own
 * between two looks: without a control group nothing ties that to the pack any more.
 */
export class ProcessGroup {
  readonly #pid: number;
  readonly #table: ProcessTable;
  /** True when it may start programs; alone it is cheap to look at. */
  readonly #has_children: boolean;
  /** Members that were seen, by pid, with when they began. */
  #seen = new Map<number, number>();

  constructor(pid: number, table: ProcessTable, has_children: boolean) {
    this.#pid = pid;
    this.#table = table;
    this.#has_children = has_children;
  }

  /**
   * What the group uses now; undefined where it cannot be seen. A group that grows too fast to be looked at is stopped for
   * that, so it is `undefined` only on a machine that shows no processes at all.
   */
  async use(): Promise<GroupUse | undefined> {
    let members = await this.#members();
    if (members === undefined && this.#has_children) {
      this.#signalGroup("SIGSTOP");
      members = await this.#members();
      this.#signalGroup("SIGCONT");
    }
    if (members === undefined) return undefined;
    return {
      memory_mib: members.reduce((total, { memory_mib }) => total + memory_mib, 0),
      cpu_seconds: members.reduce((total, { cpu_seconds }) => total + cpu_seconds, 0),
      processes: members.filter(({ ended }) => !ended).length,
    };
  }

  /** Kills the group, and what has left it. */
  async kill(): Promise<void> {
    if (!this.#has_children) return this.killGroup();
    // stopped, nobody starts anything more; and whoever is found by a parent must be found before that one is gone
    this.#signalGroup("SIGSTOP");
    const before = await this.#members();
    this.killGroup();
    for (const { pid } of before ?? []) signal(pid, "SIGKILL");
    for (const { pid } of await this.#members() ?? []) signal(pid, "SIGKILL");
  }

  /** Kills what is in the group, at once. */
  killGroup(): void {
    this.#signalGroup("SIGKILL");
  }

  #signalGroup(name: Deno.Signal): void {
    signal(Deno.build.os === "windows" ? this.#pid : -this.#pid, name);
  }

  async #members(): Promise<ProcessRow[] | undefined> {
    const rows = await this.#table.look(this.#has_children ? "all" : [this.#pid]);
    if (rows === undefined || !this.#has_children) return rows;
    const children = Map.groupBy(rows, ({ parent }) => parent);
    const members = new Map<number, ProcessRow>();
    const add = (row: ProcessRow): void => {
      if (members.has(row.pid)) return;
      members.set(row.pid, row);
      for (const child of children.get(row.pid) ?? []) add(child);
    };
    for (const row of rows) {
      const belongs = row.pid === this.#pid || row.group === this.#pid || row.session === this.#pid ||
        this.#seen.get(row.pid) === row.started;
      if (belongs) add(row);
    }
    this.#seen = new Map([...members.values()].map(({ pid, started }) => [pid, started]));
    return [...members.values()];
  }
}

function signal(pid: number, name: Deno.Signal): void {
  try {
    Deno.kill(pid, name);
  } catch {
    // it has ended
  }
}
