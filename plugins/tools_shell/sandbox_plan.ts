/** What a sandboxed command may touch. All paths are absolute with links resolved. */
export interface SandboxPlan {
  /** Where the command starts. */
  cwd: string;
  /** Writable inside; everything else is read-only. */
  write_roots: readonly string[];
  /** Readable even where a hidden place lies above. */
  read_roots: readonly string[];
  /** Places that must not be read: settings of ours, `deny_read` rules. Need not exist. */
  hide: readonly string[];
  /** Places with secrets: they look as if nothing had been set up there. Need not exist. */
  secrets: readonly string[];
  /** Places that must not be changed although a writable root holds them. Need not exist. */
  lock: readonly string[];
  /** The network as it is outside. */
  network: boolean;
  /**
   * The folder that stands as `/tmp`: one per session, so that a later command finds what an earlier one left. Undefined:
   * memory that ends with the command.
   */
  tmp_dir: string | undefined;
}

/** Readable by root alone, and so of no use to an honest command of root's. */
const SYSTEM_SECRETS = ["/etc/shadow", "/etc/gshadow", "/etc/ssl/private"];

/**
 * Files of the kernel that root may write even without capabilities: a path in `core_pattern` is a program that the host
 * starts. bwrap locks them only where it finds their folders writable.
 */
const KERNEL_CONTROLS = ["/proc/sys", "/proc/sysrq-trigger", "/proc/fs", "/proc/acpi", "/proc/scsi"];

/** Of /run: programs of NixOS, and with network who answers for names. */
const RUN_KEPT = ["/run/current-system"];
const NAME_SERVICES = ["/run/systemd/resolve", "/run/NetworkManager/resolv.conf", "/run/resolvconf"];

/**
 * The words of {@link SANDBOX_SCRIPT} for a plan, without the program in front and the command behind.
 *
 * Root read-only; own `/dev`, `/proc` and `/tmp`; no network unless the plan has it, no other processes, no capabilities, no terminal; `/run`
 * empty, because its sockets (containers, message buses, agents) reach past a missing network; those elsewhere that
 * something listens on are closed one by one. What holds a root is
 * hidden before the root is mounted, what lies inside a root after it, so that neither undoes the other.
 */
export function sandboxWords(plan: SandboxPlan): string[] {
  const words: string[] = [];
  const args = (...list: string[]) => list.forEach((item) => words.push("arg", item));
  const roots = [...plan.write_roots, ...plan.read_roots];
  const holdsRoot = (path: string) => [...roots, plan.cwd].some((root) => isWithin(root, path));
  const hidden = [
    ...plan.secrets.map((path) => ["blank", path] as const),
    ...[...SYSTEM_SECRETS, ...plan.hide].map((path) => ["deny", plainPath(path)] as const),
  ].filter(([, path]) => path !== "");

  args("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc");
  for (const path of KERNEL_CONTROLS) args("--ro-bind-try", path, path);
  words.push("sockets", "");
  args("--tmpfs", "/run");
  const kept = plan.network ? [...RUN_KEPT, ...NAME_SERVICES] : RUN_KEPT;
  for (const path of kept) args("--ro-bind-try", path, path);
  if (plan.tmp_dir === undefined) args("--tmpfs", "/tmp");
  else args("--bind", plan.tmp_dir, "/tmp");
  for (const [word, path] of placed(plan, hidden.map(([, path]) => path).filter(holdsRoot))) {
    if (word === "cover") words.push(word, path);
    else args(word, path, path);
  }
  const within = hidden.filter(([, path]) => !holdsRoot(path));
  // what is hidden must not come back with its lock
  const longest = (paths: readonly string[], path: string) =>
    Math.max(-1, ...paths.filter((one) => isWithin(path, one)).map((one) => one.length));
  const locks = [...plan.write_roots.map((root) => `${plainPath(root)}/.Lumina`), ...plan.lock.map(plainPath)]
    .filter((path) => path !== "" && longest(hidden.map(([, one]) => one), path) <= longest(roots, path));
  for (const path of between(plan.write_roots, [...hidden.map(([, path]) => path), ...locks])) {
    words.push("pin", path);
  }
  for (const root of plan.write_roots) words.push("repo", root);
  for (const path of locks) words.push("lock", path);
  for (const [word, path] of outer(within)) words.push(word, path);
  if (!plan.network) args("--unshare-net");
  args("--unshare-pid", "--unshare-ipc", "--unshare-uts", "--cap-drop", "ALL");
  args("--die-with-parent", "--new-session", "--chdir", plan.cwd);
  return words;
}

/** Without a slash at the end; the root folder becomes empty. */
function plainPath(path: string): string {
  return path.replace(/\/+$/, "");
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

/**
 * Roots and the covers of what holds them in the order in which they are mounted: parents before children, so that a cover
 * inside a root stays, and a root inside a cover is seen. A readable root inside a writable one stays writable.
 */
function placed(plan: SandboxPlan, covers: readonly string[]): (readonly [word: string, path: string])[] {
  const all = [
    ...covers.map((path) => ["cover", path] as const),
    ...plan.write_roots.map((path) => ["--bind-try", path] as const),
    ...plan.read_roots.map((path) => ["--ro-bind-try", path] as const),
  ].sort((a, b) => a[1].length - b[1].length);
  const done: (readonly [string, string])[] = [];
  for (const [word, path] of all) {
    const around = done.findLast((one) => isWithin(path, one[1]));
    const repeated = around?.[1] === path && around[0] === word;
    if (repeated || (word === "--ro-bind-try" && around?.[0] === "--bind-try")) continue;
    done.push([word, path]);
  }
  return done;
}

/** The folders between a root and what is mounted inside of it: renamed, they would take it away from its path. */
function between(roots: readonly string[], places: readonly string[]): string[] {
  const found = new Set<string>();
  for (const root of roots) {
    for (const place of places) {
      if (!isWithin(place, root)) continue;
      for (let at = parent(place); at.length > root.length; at = parent(at)) found.add(at);
    }
  }
  return [...found].sort((a, b) => a.length - b.length);
}

function parent(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}

/** Without what lies inside of a place that is hidden whole. */
function outer(hidden: readonly (readonly [string, string])[]): (readonly [string, string])[] {
  return hidden.filter(([, path], index) =>
    !hidden.some(([, other], at) => other === path ? at < index : isWithin(path, other))
  );
}
