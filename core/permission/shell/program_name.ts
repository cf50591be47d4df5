import { isAbsolute } from "node:path";
import { resolvePath } from "../../files/mod.ts";

/** Last name of a program's path: `/bin/rm` is `rm`. */
export function baseName(program: string): string {
  return program.slice(program.lastIndexOf("/") + 1);
}

/** The program's name when it is called by name or from a folder of the system; undefined for any other file. */
export function systemProgram(program: string): string | undefined {
  const folder = program.slice(0, program.length - baseName(program).length);
  return ["", "/bin/", "/usr/bin/"].includes(folder) ? baseName(program) : undefined;
}

/** Programs that are installed under names with a version: `python3.12`, `clang++-17`, `pip3`. */
const VERSIONED =
  /^(python|pip|pypy|perl|ruby|gem|irb|lua|luajit|php|node|nodejs|npm|gcc|g\+\+|clang|clang\+\+|java|javac|tclsh|bash|zsh|ksh|awk|gawk|mawk|vim|emacs|make|go|git|ssh|curl|wget|psql|guile|erl|julia|pwsh)(-?)(\d+)(\.\d+)*[a-z]?$/;

/**
 * What else a program may be known as to a rule that refuses or asks, as the first words of a command: in lower case where the
 * volume folds case, without `.exe`, without its version, `git push` for `git-push`, and the name of the file that a link leads
 * to (a link to `rm`, or to a busybox). Its own last name is none of them. Never used to allow.
 */
export function otherNames(program: string, cwds: readonly string[] | null, folds_case: boolean): string[][] {
  const own = baseName(program);
  const names = new Set<string>();
  const add = (name: string) => {
    const folded = folds_case ? name.toLowerCase() : name;
    const plain = folded.replace(/\.(exe|com|bat|cmd)$/i, "");
    for (const one of [folded, plain, ...withoutVersion(plain)]) names.add(one);
  };
  add(own);
  for (const target of linkTargets(program, cwds)) add(target);
  names.delete(own);
  names.delete("");
  const found = [...names].map((name) => [name]);
  for (const name of [own, ...names]) {
    const subcommand = /^git-([a-z][a-z-]*)$/.exec(name)?.[1];
    if (subcommand !== undefined) found.push(["git", subcommand]);
  }
  return found;
}

function withoutVersion(name: string): string[] {
  const [, family, , major] = VERSIONED.exec(name) ?? [];
  if (family === undefined || major === undefined) return [];
  return family === "python" || family === "pip" ? [`${family}${major}`, family] : [family];
}

/** The last names of the files that a program given by its path really is. */
function linkTargets(program: string, cwds: readonly string[] | null): string[] {
  if (!program.includes("/")) return [];
  const found: string[] = [];
  for (const cwd of isAbsolute(program) ? ["/"] : cwds ?? []) {
    try {
      // a `~` in front is a name here: what the shell makes of one has been put in its place
      found.push(baseName(resolvePath(program.replace(/^~/, "./~"), { cwd, home: "/" })));
    } catch {
      // a loop of links: nothing runs
    }
  }
  return found;
}
