import { join } from "node:path";
import { literal } from "../shell/word.ts";
import type { Word } from "../shell/word.ts";
import { expandArguments } from "./arguments.ts";
import { classifyBySpec } from "./classify_by_spec.ts";
import { fixed, no } from "./read_only.ts";
import type { ClassifyContext, ReadOnly } from "./read_only.ts";
import { gitSettingsAgainst } from "./git_config.ts";
import { GIT_NESTED, GIT_SPECS } from "./git_specs.ts";
import type { GitSpec } from "./git_specs.ts";

/** Global options of git that change nothing about what it runs. */
const GLOBAL = new Set([
  "--no-pager",
  "-P",
  "--no-optional-locks",
  "--literal-pathspecs",
  "--glob-pathspecs",
  "--noglob-pathspecs",
  "--icase-pathspecs",
  "--no-replace-objects",
  "--no-advice",
  "--no-lazy-fetch",
]);

/**
 * git reads when its subcommand and all options are known to, and no setting of the repository, the user or the system
 * makes that subcommand run a command. A pager is no such setting: output is never a terminal.
 */
export function classifyGit(words: readonly Word[], context: ClassifyContext): ReadOnly {
  let at = 1;
  let folder = ".";
  for (; at < words.length; at++) {
    const text = literal(words[at]);
    if (text === undefined) return no("git: the subcommand is known only when the line runs");
    if (GLOBAL.has(text)) continue;
    if (text === "--version" && words.length === 2) return { paths: [] };
    if (text !== "-C") break;
    const next = literal(words[++at]);
    if (next === undefined) return no("git: the folder behind -C is known only when the line runs");
    folder = next.startsWith("/") ? next : join(folder, next);
  }
  const name = literal(words[at]) ?? "";
  if (name.startsWith("-")) return no(`git: its option ${name} is not known to be harmless`);
  let rest = words.slice(at + 1);
  // some read nothing at all with this option alone
  const alone = rest.length === 1 ? `${name} ${literal(rest[0])}` : name;
  const key = Object.hasOwn(GIT_SPECS, alone) ? alone : name;
  let spec: GitSpec | undefined = Object.hasOwn(GIT_SPECS, key) ? GIT_SPECS[key] : undefined;
  const nested = Object.hasOwn(GIT_NESTED, name) ? GIT_NESTED[name] : undefined;
  if (nested !== undefined) {
    const sub = literal(rest[0]) ?? "";
    spec = Object.hasOwn(nested, sub) ? nested[sub] : undefined;
    rest = rest.slice(1);
  }
  if (spec === undefined) return no(`git ${name} is not known to only read`);
  const verdict = classifyBySpec(`git ${name}`, expandArguments(rest, context.cwds), spec);
  if (verdict.reason !== undefined) return verdict;
  if (context.cwds === null) return no("git: the working folder is known only when the line runs");
  for (const cwd of context.cwds) {
    const start = folder.startsWith("/") ? folder : join(cwd, folder);
    const against = gitSettingsAgainst(start, context.home, spec.triggers);
    if (against !== undefined) return no(`git ${name}: ${against}`);
  }
  // paths start at the folder of -C; a colon separates a revision from its path
  const paths = verdict.paths.flatMap(({ argument }) => [
    { argument: inFolder(argument, folder), recursive: true },
    ...argument.texts.filter((text) => /^[^:]+:./.test(text)).map((text) => ({
      argument: fixed(join(folder, text.slice(text.indexOf(":") + 1))),
      recursive: true,
    })),
  ]);
  // `git grep` without a path goes through all of the work tree
  const whole = name === "grep" && paths.length === 0;
  return { paths: [{ argument: fixed(folder), recursive: whole }, ...paths] };
}

function inFolder(argument: ReturnType<typeof fixed>, folder: string): ReturnType<typeof fixed> {
  if (folder === ".") return argument;
  return {
    ...argument,
    texts: argument.texts.map((text) => text.startsWith("/") ? text : `${folder}/${text}`),
  };
}
