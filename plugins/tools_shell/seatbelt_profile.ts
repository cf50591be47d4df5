/** What a command may do under the sandbox of macOS. All paths are absolute with links resolved (`/private/tmp`, not `/tmp`). */
export interface SeatbeltPlan {
  level: "closed" | "guarded";
  network: boolean;
  /** Where a closed command may write. */
  write_roots: readonly string[];
  /** Open although a hidden place holds them. */
  read_roots: readonly string[];
  open: readonly string[];
  /** Places that can be neither read nor written: secrets, Lumina's own folder, refused paths. */
  hidden: readonly string[];
  /** Places below a root that cannot be changed. */
  lock: readonly string[];
}

/**
 * The profile for `sandbox-exec -p` of macOS, in its profile language; of several rules that name an operation the last one holds.
 * Written after the public profiles of Chromium (sandbox/policy/mac) and of other agents. It has been read and tested as text
 * only: no Mac has run it yet. Unlike on Linux a closed command has no loopback of its own, so it reaches no domain
 * through the proxy, and what a hidden folder is called can be seen beside it.
 */
export function seatbeltProfile(plan: SeatbeltPlan): string {
  const { level, network, write_roots, read_roots, open, hidden, lock } = plan;
  const lines = ["(version 1)", "(allow default)"];
  if (level === "closed") {
    lines.push(
      "(deny file-write*)",
      allow("file-write*", [...write_roots.map(subpath), ...DEVICES]),
      "(deny process-info* (target others))",
      "(deny signal (target others))",
      // the keychain answers over this, whatever its files say
      '(deny mach-lookup (global-name "com.apple.SecurityServer") (global-name "com.apple.securityd.xpc"))',
      "(deny mach-priv-task-port)",
    );
    if (!network) lines.push("(deny network*)");
  }
  if (hidden.length > 0) lines.push(`(deny file-read* file-write* ${hidden.map(subpath).join(" ")})`);
  const within = (paths: readonly string[]) =>
    paths.filter((path) => hidden.some((place) => isWithin(path, place)));
  const readable = [...within(read_roots), ...within(open)];
  if (readable.length > 0) lines.push(allow("file-read*", readable.map(subpath)));
  const writable = [...within(write_roots), ...(level === "guarded" ? within(open) : [])];
  if (writable.length > 0) lines.push(allow("file-write*", writable.map(subpath)));
  // what is hidden inside of what was opened
  const deeper = hidden.filter((place) =>
    [...readable, ...writable].some((path) => path !== place && isWithin(place, path))
  );
  if (deeper.length > 0) lines.push(`(deny file-read* file-write* ${deeper.map(subpath).join(" ")})`);
  if (level === "closed") {
    const kept = [...write_roots.flatMap((root) => KEPT.map((name) => `${root}/${name}`)), ...lock];
    if (kept.length > 0) lines.push(`(deny file-write* ${kept.map(subpath).join(" ")})`);
  }
  return lines.join("\n");
}

/** Of a root: what would run something outside, or loosen what holds the command. */
const KEPT = [".git/hooks", ".git/config", ".Lumina"];

const DEVICES = [
  '(literal "/dev/null")',
  '(literal "/dev/zero")',
  '(literal "/dev/stdout")',
  '(literal "/dev/stderr")',
  '(regex #"^/dev/fd/")',
  '(regex #"^/dev/tty")',
];

function allow(operation: string, filters: readonly string[]): string {
  return `(allow ${operation} ${filters.join(" ")})`;
}

/** A file or everything below a folder, in a string of the profile language. */
function subpath(path: string): string {
  return `(subpath "${path.replace(/[\\"]/g, "\\$&")}")`;
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
