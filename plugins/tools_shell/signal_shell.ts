import { parseTable, type ProcessTable, TABLE_SCRIPT } from "./process_table.ts";

/** Looks at and signals other processes through the one program the worker may run: the shell. */
export interface SignalShell {
  /** The process table; `marker` is text to look for in environments. */
  table(marker: string): Promise<ProcessTable>;
  /** Sends a signal to whole groups and single processes; those already gone are passed over. */
  signal(name: "TERM" | "KILL", groups: readonly number[], pids: readonly number[]): Promise<void>;
  /** Command lines by pid, one line each; a process that is gone is absent. */
  commandLines(pids: readonly number[]): Promise<Map<number, string>>;
}

// Kept free of the caller's environment: these scripts must not be found by the marker they look for.
const TOOL_PATH = "/usr/bin:/bin:/usr/sbin:/sbin:/run/current-system/sw/bin:/usr/local/bin";

const SIGNAL_SCRIPT = `
sig=$1; shift
for target; do kill -s "$sig" -- "$target"; done 2>/dev/null
exit 0
`;

const LINES_SCRIPT = `
for pid; do
  if [ -r "/proc/$pid/cmdline" ]; then line=$(tr '\\0\\n' '  ' <"/proc/$pid/cmdline")
  else line=$(ps -o command= -p "$pid"); fi
  [ -n "$line" ] && printf '%s %s\\n' "$pid" "$line"
done 2>/dev/null
exit 0
`;

/** A {@link SignalShell} over the shell at `shell_path`. Its calls throw what starting that program throws. */
export function signalShell(shell_path: string): SignalShell {
  const run = async (script: string, args: string[], marker = ""): Promise<string> => {
    const output = await new Deno.Command(shell_path, {
      args: ["-c", script, "sh", ...args],
      cwd: "/",
      clearEnv: true,
      env: { PATH: TOOL_PATH },
      stdin: "null",
      stdout: "piped",
      stderr: "null",
      ...(marker ? { args: ["-c", `MARKER=$1\n${script}`, "sh", marker] } : {}),
    }).output();
    return new TextDecoder().decode(output.stdout);
  };
  return {
    table: async (marker) => parseTable(await run(TABLE_SCRIPT, [], marker)),
    signal: async (name, groups, pids) => {
      const targets = [...groups.map((group) => `-${group}`), ...pids.map(String)];
      if (targets.length > 0) await run(SIGNAL_SCRIPT, [name, ...targets]);
    },
    commandLines: async (pids) => {
      const lines = new Map<number, string>();
      if (pids.length === 0) return lines;
      for (const line of (await run(LINES_SCRIPT, pids.map(String))).split("\n")) {
        const match = /^(\d+) (.*)$/.exec(line);
        if (match) lines.set(Number(match[1]), match[2]!.trim());
      }
      return lines;
    },
  };
}
