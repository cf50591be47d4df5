import { gitWithoutOptions } from "./git_words.ts";
import { baseName } from "./program_name.ts";
import { literal } from "./word.ts";
import type { Word } from "./word.ts";

/** Programs that reach a host or a daemon, with the subcommands that do; an empty list means always. */
const NETWORK: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    ("curl wget ssh scp sftp rsync nc ncat netcat telnet ftp dig nslookup host ping traceroute whois gh glab docker " +
      "docker-compose podman kubectl helm aws gcloud az psql mysql redis-cli mongosh apt apt-get yum dnf brew npx bunx " +
      "uvx pipx socat aria2c http https xh mosh lftp tftp rclone terraform pulumi ansible ansible-playbook vagrant heroku vercel netlify fly flyctl wrangler doctl firebase supabase restic mail sendmail systemctl systemd-run busctl gdbus " +
      "dbus-send loginctl machinectl crontab at batch snap flatpak xdg-open gio open launchctl osascript")
      .split(" ").map((name) => [name, []]),
  ),
  git: ["fetch", "pull", "push", "clone", "ls-remote", "submodule", "remote"],
  npm: [
    "install",
    "i",
    "ci",
    "add",
    "update",
    "view",
    "info",
    "outdated",
    "publish",
    "audit",
    "login",
    "search",
    "exec",
  ],
  pnpm: ["install", "i", "add", "update", "up", "dlx", "outdated", "publish", "audit"],
  yarn: ["install", "add", "up", "upgrade", "dlx", "outdated", "publish"],
  bun: ["install", "i", "add", "update", "x"],
  pip: ["install", "download", "index", "list"],
  pip3: ["install", "download", "index", "list"],
  uv: ["pip", "sync", "add", "lock", "tool", "python"],
  poetry: ["install", "add", "update", "lock", "publish"],
  cargo: ["add", "fetch", "install", "update", "publish", "search"],
  go: ["get", "install", "mod"],
  deno: ["add", "install", "cache", "outdated", "update", "publish"],
  gem: ["install", "update", "push"],
  bundle: ["install", "update"],
  composer: ["install", "update", "require"],
};

/** True when the program is known to reach the network in this form; used where the sandbox would only make it fail. */
export function reachesNetwork(words: readonly Word[]): boolean {
  const name = baseName(literal(words[0]) ?? "");
  const subcommands = Object.hasOwn(NETWORK, name) ? NETWORK[name] : undefined;
  if (subcommands === undefined) return false;
  if (subcommands.length === 0) return true;
  const first = (name === "git" ? gitWithoutOptions(words) : words).slice(1).map(literal).find((text) =>
    text !== undefined && !text.startsWith("-")
  );
  return first === undefined ? name === "yarn" : subcommands.includes(first);
}
