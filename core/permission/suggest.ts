import { isInside } from "../files/mod.ts";
import type { Refused } from "./decide_shell.ts";
import { judgePath } from "./decide_path.ts";
import type { CallFacts, PathFact } from "./facts.ts";
import { folderRule } from "./folder_grant.ts";
import type { Policy } from "./policy.ts";
import { hasBracketTooMany } from "./rule.ts";
import { sensitiveName } from "./sensitive_paths.ts";
import { urlHost } from "./url_match.ts";
import { HOLE, INNER_SPACE } from "./wildcard.ts";

/** Programs that run whatever their words say: a rule on their beginning would allow everything, so there is none. */
const OPEN_ENDED = words(`
  sh bash zsh dash ksh fish csh tcsh env sudo doas su pkexec exec eval nohup nice timeout time stdbuf command builtin xargs find
  parallel watch setsid ionice chrt taskset flock unshare nsenter chroot fakeroot ssh docker podman nerdctl kubectl npx pnpx
  bunx uvx pipx corepack python python2 python3 pypy pypy3 node deno bun tsx ts-node perl ruby php lua luajit awk gawk mawk nawk
  sed busybox toybox tclsh wish expect Rscript julia irb iex elixir erl ghci runghc jshell groovy scala kotlin java dotnet gdb
  lldb vi vim nvim emacs ed ex nano less more man nc ncat socat telnet strace ltrace script screen tmux at batch crontab systemd-run
  systemctl source . trap osascript powershell pwsh cmd rm dd mkfs shred chmod chown chgrp curl wget
`);

/** Programs whose next word is no subcommand, or whose further words run what they name: the very line alone is offered. */
const LINE_ALONE = words(`
  make gmake bmake ninja just task rake ant cmake meson scons cp mv ln touch mkdir rmdir install tee truncate unlink patch tar zip
  unzip gzip gunzip xz rsync scp sftp mount umount kill pkill killall
`);

/** Subcommands that run the words behind them: no rule can begin with them. */
const RUNS_WORDS: Readonly<Record<string, ReadonlySet<string>>> = {
  npm: words("exec x explore"),
  pnpm: words("exec dlx"),
  yarn: words("exec dlx node"),
  cargo: words("run"),
  go: words("run generate tool"),
  uv: words("run tool"),
  poetry: words("run"),
  pipenv: words("run"),
  pdm: words("run"),
  hatch: words("run"),
  rye: words("run"),
  conda: words("run"),
  mamba: words("run"),
  nix: words("run shell develop"),
  bundle: words("exec"),
  rbenv: words("exec"),
  pyenv: words("exec"),
  rustup: words("run"),
  mise: words("exec x run"),
  asdf: words("exec"),
  direnv: words("exec"),
  heroku: words("run"),
  fly: words("ssh"),
  gcloud: words("compute"),
  gh: words("api alias extension codespace"),
  git: words("rebase bisect submodule filter-branch difftool mergetool config daemon shell credential"),
  hg: words("config debugsetparents"),
};

/** Subcommands whose next word says what runs: it is a part of the rule. */
const NAMES_SCRIPT = words("run run-script task");

/**
 * Rules that "always allow" would write, one for each part of a line: `Bash(git commit *)` for a program and its subcommand,
 * `Bash(npm run build *)` for a script, the file itself for an edit, the host for a fetch. None where a rule could not cover
 * the call or would cover far more.
 */
export function suggestRules(facts: CallFacts, policy: Policy, asked = askedPaths(facts, policy)): string[] {
  const { tool, shell, url } = facts;
  if (shell !== undefined) {
    if (!maySuggest(facts)) return [];
    const rules = shell.units.filter((unit) => unit.writes_because !== undefined && !unit.inert).map((unit) =>
      unit.exact_only ? undefined : prefixRule(unit.allow_lines[0], tool.name)
    );
    // a file that the command writes needs a rule of its own where the mode asks for writing
    for (const path of asked) rules.push(pathRule(path, policy));
    return rules.includes(undefined) ? [] : [...new Set(rules.filter((rule) => rule !== undefined))];
  }
  // a rule on the path would not spare the question about what else the call does
  if (facts.paths.length > 0 && (tool.effect === "run" || tool.effect === "net")) return [];
  if (facts.paths.length > 0) return facts.paths.flatMap((path) => pathRule(path, policy) ?? []);
  if (url !== undefined) {
    const host = urlHost(url);
    return host === undefined ? [] : [`${tool.name}(domain:${host})`];
  }
  return [tool.name];
}

/**
 * The same with whole folders in the place of single files outside the workspace: "yes, and this folder from now on". Empty
 * where that is nothing else than `suggestRules` gives, and where one of the folders may not be opened by an answer.
 */
export function suggestFolders(
  facts: CallFacts,
  policy: Policy,
  asked = askedPaths(facts, policy),
): string[] {
  if (!maySuggest(facts)) return [];
  const { effect } = facts.tool;
  if (facts.shell === undefined && (effect === "run" || effect === "net")) return [];
  const rules = asked.map((path) => folderRule(path, policy));
  return rules.includes(undefined) ? [] : [...new Set(rules.filter((rule) => rule !== undefined))];
}

/** The paths of a call that the mode or a rule asks about. */
export function askedPaths(
  { paths, shell }: CallFacts,
  policy: Policy,
  refused?: Refused,
): PathFact[] {
  const asks = (path: PathFact) =>
    !path.mention && judgePath(path, policy, { refused: refused?.get(path) }).behavior === "ask";
  return shell === undefined ? paths.filter(asks) : shell.units.flatMap((unit) => unit.paths.filter(asks));
}

function maySuggest({ shell }: CallFacts): boolean {
  return shell === undefined ||
    (shell.problems.length === 0 && shell.hazards.length === 0 && shell.danger === undefined &&
      shell.possible_danger === undefined);
}

/** The rule for exactly this path; undefined where none could be written or none would hold. */
function pathRule(path: PathFact, policy: Policy): string | undefined {
  if (path.access === "write" && sensitiveName(path.resolved, policy) !== undefined) return undefined;
  if (path.link !== path.resolved || /[\\*?[\]!#]/.test(path.resolved)) return undefined;
  if (hasBracketTooMany(path.resolved)) return undefined;
  const family = path.access === "read" ? "Read" : "Edit";
  return policy.workspace !== "/" && isInside(policy.workspace, path.resolved)
    ? `${family}(.${path.resolved.slice(policy.workspace.length)})`
    : `${family}(/${path.resolved})`;
}

function prefixRule(line: string | undefined, tool: string): string | undefined {
  if (line === undefined) return undefined;
  const [program = "", sub, name] = line.split(" ", 3);
  const base = program.slice(program.lastIndexOf("/") + 1);
  if (OPEN_ENDED.has(base.replace(/[\d.]+$/, "")) || OPEN_ENDED.has(base)) return undefined;
  if (!/^[\w./+-]+$/.test(program)) return undefined;
  if (sub !== undefined && RUNS_WORDS[base]?.has(sub) === true) return undefined;
  if (!LINE_ALONE.has(base) && isName(sub)) {
    if (!NAMES_SCRIPT.has(sub)) return `${tool}(${program} ${sub} *)`;
    return isName(name) ? `${tool}(${program} ${sub} ${name} *)` : undefined;
  }
  // one word alone is no prefix, but the very line can be allowed
  const plain = !line.includes(HOLE) && !line.includes(INNER_SPACE) && !/[*()'"\n]/.test(line);
  return plain ? `${tool}(${line})` : undefined;
}

function isName(word: string | undefined): word is string {
  return word !== undefined && /^[a-z][\w:.-]*$/i.test(word);
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}
