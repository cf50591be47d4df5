import { isInside } from "../../../../core/files/mod.ts";
import { PROGRAMS } from "../../../../core/permission/read_only/programs.ts";
import type { Place } from "../../permission_support.ts";
import { namedPaths, readTrace } from "./read_trace.ts";
import type { Call } from "./read_trace.ts";

/** Something that a line did which no reading line does. */
export interface Deed {
  /** Position of the line in the batch. */
  line: number;
  what: string;
  call: string;
}

/** What may be opened for writing: nothing is kept there, or it was open before. */
const SINKS =
  /^(\/dev\/(null|zero|full|tty|stdout|stderr|stdin|fd\/\d+)|\/proc\/(self|\d+)\/fd\/\d+|pipe:\[|socket:\[|anon_inode|\/memfd:)/;
/** Temporary files of a program's own, gone when it ends. */
const OWN_TEMP: Readonly<Record<string, RegExp>> = {
  bash: /^\/tmp\/sh-thd[.\w]*$/,
  sort: /^\/tmp\/sort\w+$/,
  tac: /^\/tmp\/tac\w+$/,
  zgrep: /^\/tmp\/zgrep\w+$/,
  mktemp: /^\/tmp\/zgrep\w+$/,
  rm: /^\/tmp\/zgrep\w+$/,
};
/** Places of the system that hold no secret. */
const SYSTEM = /^\/(usr|lib|lib64|bin|sbin|etc|proc|sys|dev)(\/|$)|^\/$/;
/** Other processes' environments are looked for in what a line prints, since `ps` opens all of them. */
const SECRET =
  /^\/etc\/(g?shadow|sudoers|ssh\/|ssl\/private|security\/opasswd)|^\/proc\/(self|\d+)\/(task\/\d+\/)?(environ|mem)$/;
/** Programs that look names of users up. */
const LOOKS_UP_USERS = new Set(
  "bash ls id whoami groups stat find tar ps pgrep git tree fd rg uptime tty printenv fdfind hostname df du"
    .split(" "),
);
/** Programs that a program starts by itself. */
const STARTS: Readonly<Record<string, RegExp>> = {
  git: /^git/,
  zgrep: /^(sh|gzip|grep|sed|expr|cat|zgrep|mktemp|rm)$/,
  locale: /^gzip$/,
  zcat: /^gzip$/,
  tar: /^(gzip|bzip2|xz|zstd)$/,
  xargs: /^echo$/,
  fd: /^fdfind$/,
};
/** Programs that run what they are given; their version is harmless. */
const INTERPRETER =
  /^(sh|bash|dash|zsh|ksh|perl|python[\d.]*|ruby|node|deno|bun|php|lua[\d.]*|tclsh|busybox|sudo|su)$/;
const KNOWN_READERS = new Set([
  ...Object.keys(PROGRAMS),
  ..."find sed awk mawk gawk tar xargs git timeout nice stdbuf time".split(" "),
]);

/** All that the lines of a batch did and no reading line does. The driver's own calls do not count. */
export function judgeTrace(trace: string, lines: readonly string[], place: Place): Deed[] {
  const calls = readTrace(trace);
  const family = familyOf(calls);
  const programs = new Map<number, string>();
  const programOf = (pid: number): string => {
    for (let at: number | undefined = pid; at !== undefined; at = family.parents.get(at)) {
      const program = programs.get(at);
      if (program !== undefined) return program;
    }
    return "bash";
  };
  const deeds: Deed[] = [];
  const begun = new Set<number>();
  for (const call of calls) {
    const line = family.lineOf(call.pid);
    if (line === undefined) continue;
    const program = programOf(call.pid);
    let what: string | undefined;
    if (call.name === "execve" || call.name === "execveat") {
      // the driver's own start of the line
      if (!begun.has(line)) begun.add(line);
      else what = judgeStart(call, program, lines[line] ?? "", place);
      if (call.result === 0) programs.set(call.pid, baseName(namedPaths(call.args)[0]?.path ?? ""));
    } else what = judgeCall(call, program, place, family);
    if (what !== undefined) {
      deeds.push({ line, what, call: `${program}: ${call.name}(${call.args}) = ${call.result}` });
    }
  }
  return deeds;
}

interface Family {
  parents: ReadonlyMap<number, number>;
  lineOf(pid: number): number | undefined;
  isBelow(pid: number, above: number): boolean;
}

/** Who started whom, and for which line: the driver says by a marker which line it begins. */
function familyOf(calls: readonly Call[]): Family {
  const driver = calls[0]?.pid;
  const parents = new Map<number, number>();
  const started = new Map<number, number>();
  let current: number | undefined;
  for (const { pid, name, args, result } of calls) {
    if (pid === driver && name.startsWith("open")) {
      const marker = /"\/marker\/(\w+)"/.exec(args)?.[1];
      if (marker !== undefined) current = marker === "end" ? undefined : Number(marker);
    }
    if (!/^(v?fork|clone3?)$/.test(name) || !(result > 0)) continue;
    if (pid !== driver) parents.set(result, pid);
    else if (current !== undefined) started.set(result, current);
  }
  return {
    parents,
    lineOf: (pid) => {
      let top = pid;
      for (let above = parents.get(top); above !== undefined; above = parents.get(top)) top = above;
      return started.get(top);
    },
    isBelow: (pid, above) => {
      for (let at: number | undefined = pid; at !== undefined; at = parents.get(at)) {
        if (at === above) return true;
      }
      return false;
    },
  };
}

function judgeCall(call: Call, program: string, place: Place, family: Family): string | undefined {
  const { name, args } = call;
  const temp = OWN_TEMP[program];
  if (/^(open|openat|openat2|creat)$/.test(name)) {
    const path = call.opened ?? namedPaths(args)[0]?.path ?? "";
    if (program === "git" && path === `${place.workspace}/.git/index.lock`) return undefined;
    // no folder can be opened like this, and nothing is made
    if (call.error === "EISDIR" && !/O_CREAT/.test(args)) return undefined;
    const given = namedPaths(args)[0]?.path ?? "";
    if (name === "creat" || /O_(WRONLY|RDWR|CREAT|TRUNC|APPEND|TMPFILE)/.test(args)) {
      return SINKS.test(path) || SINKS.test(given) || temp?.test(path) === true
        ? undefined
        : `opens ${path} for writing`;
    }
    // a handle of a path alone reads nothing
    if (/O_PATH/.test(args)) return undefined;
    return call.opened === undefined ? undefined : judgeRead(call.opened, program, place);
  }
  switch (name) {
    case "fork":
    case "vfork":
    case "clone":
    case "clone3":
      return undefined;
    case "connect":
    case "bind":
    case "sendto":
    case "sendmsg":
    case "sendmmsg":
    case "listen":
    case "accept":
    case "accept4":
      // the kernel's own tables, and the cache of names on this machine
      if (/sa_family=AF_NETLINK/.test(args) || /sun_path="\/(var\/)?run\/nscd\/socket"/.test(args)) {
        return undefined;
      }
      return `${name}: reaches out of the process`;
    case "kill":
    case "tkill":
    case "tgkill": {
      const [first, second, third] = args.split(", ");
      const signal = name === "tgkill" ? third : second;
      const target = Number(first);
      if (signal === "0" || target === call.pid) return undefined;
      if (program === "timeout" && (target === 0 || family.isBelow(target, call.pid))) return undefined;
      return `signals ${first}`;
    }
    case "ftruncate":
    case "fchmod":
    case "fchown": {
      const path = /^\d+<([^>]*)>/.exec(args)?.[1] ?? "";
      return SINKS.test(path) || temp?.test(path.replace(/ \(deleted\)$/, "")) === true
        ? undefined
        : `${name} changes ${path}`;
    }
    default: {
      const paths = namedPaths(args);
      // `git diff` and `git describe --dirty` write times into the index; that no entry changed is seen afterwards
      const own = [`${place.workspace}/.git/index.lock`, `${place.workspace}/.git/index`];
      if (
        program === "git" && /^(rename|unlink)/.test(name) && paths.every(({ path }) => own.includes(path))
      ) return undefined;
      if (paths.length > 0 && temp !== undefined && paths.every(({ path }) => temp.test(path))) {
        return undefined;
      }
      return `${name} changes ${paths.map(({ path }) => path).join(", ") || args}`;
    }
  }
}

function judgeRead(path: string, program: string, { dir, workspace }: Place): string | undefined {
  if (isInside(workspace, path) || SINKS.test(path) || OWN_TEMP[program]?.test(path) === true) {
    return undefined;
  }
  if (isInside(dir, path)) {
    return `reads ${path}, which lies outside of the workspace`;
  }
  if (/^\/proc\/\d+\/environ$/.test(path) && /^(ps|pgrep)$/.test(program)) return undefined;
  if (SECRET.test(path)) return `reads the secret ${path}`;
  if (/^\/etc\/(passwd|group)$/.test(path) && !LOOKS_UP_USERS.has(program)) return `reads ${path}`;
  return SYSTEM.test(path) ? undefined : `reads ${path}, which lies outside of the workspace`;
}

function judgeStart(call: Call, program: string, line: string, { dir }: Place): string | undefined {
  const path = namedPaths(call.args)[0]?.path ?? "";
  // a search along the PATH, or a name that is not there
  if (call.error === "ENOENT" || call.error === "ENOTDIR") return undefined;
  if (!path.startsWith("/") || isInside(dir, path) || isInside("/tmp", path)) return `starts ${path}`;
  const name = baseName(path);
  if (STARTS[program]?.test(name) === true) return undefined;
  if (INTERPRETER.test(name) && !/\["[^"]*", "--version"\]/.test(call.args)) {
    return `starts the interpreter ${path}`;
  }
  if (line.replace(/['"\\]/g, "").includes(name) || KNOWN_READERS.has(name)) return undefined;
  return `starts ${path}, which the line does not name`;
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
