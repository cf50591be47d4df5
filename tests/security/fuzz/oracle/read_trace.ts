/** One system call of a trace. */
export interface Call {
  pid: number;
  name: string;
  /** As strace prints them. */
  args: string;
  /** What it gave; NaN where it never came back. */
  result: number;
  /** The path of the file descriptor that it gave. */
  opened?: string;
  error?: string;
}

const WHOLE =
  /^(\d+) +(\w+)\((.*)\) += (-?\d+|\?)(?:<(.*?)>)?(?:\(deleted\))?(?: (E[A-Z0-9]+)\b.*)?(?: \(.*\))?$/s;

/** Reads what `strace -f -y` wrote; a call that another one interrupted is put together. */
export function readTrace(trace: string): Call[] {
  const calls: Call[] = [];
  const open = new Map<string, string>();
  for (const row of trace.split("\n")) {
    if (row === "" || row.includes(" --- ") || row.includes(" +++ ")) continue;
    const pid = /^\d+/.exec(row)?.[0] ?? "";
    let text = row;
    if (row.endsWith(" <unfinished ...>")) {
      open.set(pid, row.slice(0, -" <unfinished ...>".length));
      continue;
    }
    const resumed = /^\d+ +<\.\.\. \w+ resumed>(.*)$/s.exec(row);
    if (resumed !== null) {
      text = (open.get(pid) ?? "") + resumed[1];
      open.delete(pid);
    }
    const call = readCall(text);
    if (call !== undefined) calls.push(call);
  }
  // what never came back was begun all the same
  for (const text of open.values()) {
    const call = readCall(`${text}) = ?`);
    if (call !== undefined) calls.push(call);
  }
  return calls;
}

function readCall(text: string): Call | undefined {
  const match = WHOLE.exec(text);
  if (match === null) {
    if (/^\d+ +\?/.test(text) || text.trim() === "") return undefined;
    throw new Error(`A row of the trace cannot be read: ${text}`);
  }
  const [, pid, name = "", args = "", result, opened, error] = match;
  return {
    pid: Number(pid),
    name,
    args,
    result: result === "?" ? NaN : Number(result),
    ...(opened === undefined ? {} : { opened }),
    ...(error === undefined ? {} : { error }),
  };
}

/** The paths that a call names, relative ones joined to the folder that strace knows; undefined where it knows none. */
export function namedPaths(args: string): { path: string; known: boolean }[] {
  const paths: { path: string; known: boolean }[] = [];
  for (
    const [, folder, given = ""] of args.matchAll(
      /(?:(?:AT_FDCWD|\d+)<((?:[^>\\]|\\.)*)>, )?"((?:[^"\\]|\\.)*)"/g,
    )
  ) {
    if (given.startsWith("/")) paths.push({ path: normal(given), known: true });
    else paths.push({ path: normal(`${folder ?? "."}/${given}`), known: folder !== undefined });
  }
  return paths;
}

function normal(path: string): string {
  const kept: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") kept.pop();
    else if (part !== "" && part !== ".") kept.push(part);
  }
  return (path.startsWith("/") ? "/" : "") + kept.join("/");
}
