/** One process as the system's table shows it. */
export interface ProcessRow {
  pid: number;
  parent: number;
  group: number;
  session: number;
  /** Short name of the program (15 characters on Linux). */
  name: string;
  /** When it started, in a unit of the system's own: with `pid` it names a process for good. */
  start: string;
}

/** The table at one moment, without processes that are dead but not yet collected. */
export interface ProcessTable {
  rows: ProcessRow[];
  /** Processes whose environment holds the marker that was asked for. */
  marked: Set<number>;
}

/**
 * Shell text that prints the table and then, after an empty line, the marked processes. It runs in the shell because
 * a worker may not open `/proc` itself. Without `/proc` (macOS) it asks `ps`; no environment can be seen there.
 */
export const TABLE_SCRIPT = `
if [ -r /proc/self/stat ]; then
  for f in /proc/[0-9]*/stat; do read -r line <"$f" && printf '%s\\n' "$line"; done 2>/dev/null
  echo
  grep -lsF -e "$MARKER" /proc/[0-9]*/environ
else
  ps -A -o pid= -o state= -o ppid= -o pgid= -o comm=
fi
exit 0
`;

const STAT_START = 19; // field 22 of proc(5) stat, counted from the state
const DEAD = new Set(["Z", "X", "x"]);

/** Reads what {@link TABLE_SCRIPT} printed. Lines of another shape are passed over: the process has just ended. */
export function parseTable(text: string): ProcessTable {
  const rows: ProcessRow[] = [];
  const marked = new Set<number>();
  for (const line of text.split("\n")) {
    const mark = /^\/proc\/(\d+)\/environ$/.exec(line);
    if (mark) marked.add(Number(mark[1]));
    const row = parseStat(line) ?? parsePs(line);
    if (row) rows.push(row);
  }
  return { rows, marked };
}

/** One line of `/proc/PID/stat`; the name stands in parentheses and may hold spaces and parentheses. */
function parseStat(line: string): ProcessRow | undefined {
  const open = line.indexOf(" (");
  const close = line.lastIndexOf(") ");
  if (open < 0 || close < 0) return undefined;
  const fields = line.slice(close + 2).split(" ");
  const [state, parent, group, session] = fields;
  if (state === undefined || DEAD.has(state)) return undefined;
  return {
    pid: Number(line.slice(0, open)),
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    name: line.slice(open + 2, close),
    start: fields[STAT_START] ?? "",
  };
}

/** One line of `ps -o pid= -o state= -o ppid= -o pgid= -o comm=`. */
function parsePs(line: string): ProcessRow | undefined {
  const match = /^\s*(\d+)\s+([A-Za-z])\S*\s+(\d+)\s+(\d+)\s+(.+)$/.exec(line);
  if (!match || DEAD.has(match[2]!)) return undefined;
  return {
    pid: Number(match[1]),
    parent: Number(match[3]),
    group: Number(match[4]),
    session: 0,
    name: match[5]!.trim(),
    start: "",
  };
}

/**
 * The processes that belong to the commands whose group leaders are `groups`: members of the group or its session,
 * carriers of the marker, those already `known` (pid to start), and every descendant of any of them.
 * `never` are pids that are not touched whatever the table says.
 */
export function selectTree(
  table: ProcessTable,
  groups: readonly number[],
  known: ReadonlyMap<number, string>,
  never: readonly number[],
): ProcessRow[] {
  const leaders = new Set(groups);
  const chosen = new Map<number, ProcessRow>();
  const spared = new Set([0, 1, ...never]);
  const belongs = (row: ProcessRow) =>
    leaders.has(row.group) || leaders.has(row.session) || leaders.has(row.pid) || table.marked.has(row.pid) ||
    known.get(row.pid) === row.start;
  for (const row of table.rows) if (!spared.has(row.pid) && belongs(row)) chosen.set(row.pid, row);
  for (let grew = true; grew;) {
    grew = false;
    for (const row of table.rows) {
      if (!chosen.has(row.pid) && !spared.has(row.pid) && chosen.has(row.parent)) {
        chosen.set(row.pid, row);
        grew = true;
      }
    }
  }
  return [...chosen.values()];
}
