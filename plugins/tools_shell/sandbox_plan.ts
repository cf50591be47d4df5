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
  for (const [, path] of hidden) if (holdsRoot(path)) words.push("cover", path);
  for (const root of outermost(plan.read_roots)) args("--ro-bind-try", root, root);
  for (const root of outermost(plan.write_roots)) args("--bind-try", root, root);
  for (const root of plan.write_roots) words.push("repo", root, "lock", `${plainPath(root)}/.Lumina`);
  for (const path of plan.lock.map(plainPath)) if (path !== "") words.push("lock", path);
  for (const [word, path] of hidden) if (!holdsRoot(path)) words.push(word, path);
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

/** Parents before children, each once, so that a mount never covers an earlier one it does not hold. */
function outermost(roots: readonly string[]): string[] {
  return [...new Set(roots)].sort((a, b) => a.length - b.length);
}
