/** A place that a command must not read. Its real path; it is there. */
export interface HiddenPlace {
  path: string;
  /** It is a folder. */
  dir: boolean;
}

/** A command that runs in the person's whole system without the secrets in it. All paths are absolute with links resolved. */
export interface GuardedPlan {
  /** Where the command starts. */
  cwd: string;
  /** Open to the command although a hidden place holds them. */
  roots: readonly { path: string; write: boolean }[];
  hidden: readonly HiddenPlace[];
  /** Nothing but devices can be written. */
  read_only: boolean;
  /** Folders that hold a hidden place and must keep their names, or it would be read under another one. */
  pinned: readonly string[];
  /** An empty file that stands in the place of hidden ones. */
  empty_file: string;
}

/**
 * The arguments of `bwrap` for a plan, without the command behind. The system is bound as it is: devices, processes, network,
 * terminal; the command lives as long as it would without. Where bubblewrap is not started by root it makes a user
 * namespace, so nothing inside can look into a process outside; root loses `CAP_SYS_PTRACE` for the same, but may undo what is
 * hidden with its other rights.
 */
export function guardedArguments(
  { cwd, roots, hidden, pinned, read_only, empty_file }: GuardedPlan,
): string[] {
  const system = read_only
    ? ["--ro-bind", "/", "/", "--dev-bind", "/dev", "/dev", "--bind", "/proc", "/proc"]
    : ["--dev-bind", "/", "/"];
  const args = [...system, "--cap-drop", "CAP_SYS_PTRACE"];
  const places = [
    ...pinned.map((path) => ({ path, kind: "pin" } as const)),
    ...hidden.map(({ path, dir }) => ({ path, kind: dir ? "folder" : "file" } as const)),
    ...roots.map(({ path, write }) => ({ path, kind: write ? "write" : "read" } as const)),
  ].sort((a, b) => a.path.length - b.path.length);
  const done: { path: string; open: boolean }[] = [];
  const closed: string[] = [];
  for (const { path, kind } of places) {
    // the innermost place around it says what is seen there
    const around = done.findLast((one) => isWithin(path, one.path));
    const seen = around?.open ?? true;
    if (kind === "pin" && seen) {
      if (around?.path !== path) args.push(read_only ? "--ro-bind-try" : "--bind-try", path, path);
      continue;
    }
    if (kind === "folder" && seen) {
      args.push("--tmpfs", path);
      closed.push(path);
    } else if (kind === "file" && seen) args.push("--ro-bind", empty_file, path);
    else if (kind === "write" && !seen) args.push("--bind-try", path, path);
    else if (kind === "read" && !seen) args.push("--ro-bind-try", path, path);
    else continue;
    done.push({ path, open: kind === "write" || kind === "read" });
  }
  for (const path of closed) {
    // a root that is itself such a place stands there again
    if (!done.some((one) => one.open && one.path === path)) args.push("--remount-ro", path);
  }
  args.push("--chdir", cwd, "--");
  return args;
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
