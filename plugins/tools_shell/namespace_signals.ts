import type { ProcessRow } from "./process_table.ts";
import type { ShellProcess } from "./shell_process.ts";
import type { SignalShell } from "./signal_shell.ts";

/**
 * Looks at and ends commands where the worker may start nothing but the sandbox. Each command is the first process of a
 * namespace of its own that ends with bubblewrap itself (`--die-with-parent`), so ending that process ends everything; its
 * first signal is therefore its last one.
 */
export function namespaceSignals(started: ReadonlyMap<number, ShellProcess>): SignalShell {
  const row = ({ pid }: ShellProcess): ProcessRow => ({
    pid,
    parent: 0,
    group: pid,
    session: pid,
    name: "sandbox",
    start: "",
  });
  return {
    table: () => Promise.resolve({ rows: [...started.values()].map(row), marked: new Set() }),
    signal: (_name, groups, pids) => {
      for (const pid of [...groups, ...pids]) started.get(pid)?.kill();
      return Promise.resolve();
    },
    commandLines: () => Promise.resolve(new Map()),
  };
}
