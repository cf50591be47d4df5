import type { Settings } from "./setting_keys.ts";

/** What a program needs to find itself at home; no key, no proxy, nothing of Deno or Lumina. */
const ALLOWED = new Set(["PATH", "HOME", "USER", "LOGNAME", "LANG", "TERM", "TMPDIR", "SHELL", "TZ"]);

/** Further names without which programs do not start on Windows. */
const ALLOWED_ON_WINDOWS = new Set([
  "APPDATA",
  "COMSPEC",
  "HOMEDRIVE",
  "HOMEPATH",
  "LOCALAPPDATA",
  "PATHEXT",
  "PROGRAMDATA",
  "PROGRAMFILES",
  "SYSTEMDRIVE",
  "SYSTEMROOT",
  "TEMP",
  "TMP",
  "USERNAME",
  "USERPROFILE",
  "WINDIR",
]);

/**
 * Set for every child, whose output nobody pages and whose questions nobody answers: git takes no lock for a mere look
 * (git-status(1), "Background refresh"), asks for no password and starts no pager. A name in `child_env_allow` that is
 * set wins.
 */
const UNATTENDED: Readonly<Record<string, string>> = {
  GIT_OPTIONAL_LOCKS: "0",
  GIT_PAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
  PAGER: "cat",
};

/**
 * The environment of every child process: an allow-list, the `LC_*` variables, the names in `child_env_allow`, and what
 * keeps programs from waiting for a person. Nothing that changes what a program does unasked passes: no other `GIT_*`,
 * no `BASH_ENV`, `NODE_OPTIONS`, `RIPGREP_CONFIG_PATH` or loader variable. Our own environment stays as it is, so proxy
 * and CA variables keep working for model traffic.
 */
export function childEnvironment(
  env: { toObject(): Record<string, string> },
  settings: Pick<Settings, "child_env_allow">,
  os: string = Deno.build.os,
): Record<string, string> {
  const windows = os === "windows";
  const fold = (name: string) => windows ? name.toUpperCase() : name;
  const named = new Set(settings.child_env_allow.map(fold));
  const result: Record<string, string> = { ...UNATTENDED };
  for (const [given, value] of Object.entries(env.toObject())) {
    const name = fold(given);
    const allowed = ALLOWED.has(name) || name.startsWith("LC_") || named.has(name) ||
      (windows && ALLOWED_ON_WINDOWS.has(name));
    if (allowed) result[given] = value;
  }
  return result;
}
