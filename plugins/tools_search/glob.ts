import { join } from "node:path";
import picomatch from "picomatch";
import { shownPath, TreeWalk } from "../../core/files/mod.ts";
import type { JsonObject, ToolContext, ToolOutcome } from "../../core/plugin_api/mod.ts";
import { Budget, BudgetSpent } from "./budget.ts";
import type { SearchLimits } from "./budget.ts";
import { compileDenyRules } from "./deny_rules.ts";
import { flag, text } from "./grep_input.ts";
import { describeSkipped } from "./grep_report.ts";
import { NewestFiles } from "./newest_files.ts";
import { SearchError } from "./search_error.ts";
import { findSearchRoot, pathBelow, showPath } from "./search_root.ts";

/** Most paths of one answer. */
export const MAX_PATHS = 100;

/**
 * Finds files by name pattern, newest first, at most 100, with the number of all. A pattern that ends with `/` finds
 * directories. Ignored files are found unless `include_ignored` is false. Throws a `SearchError` for a request that
 * cannot be searched.
 */
export async function glob(
  raw: JsonObject,
  context: ToolContext,
  limits: SearchLimits,
): Promise<ToolOutcome> {
  const pattern = text(raw, "pattern");
  if (pattern === undefined) throw new SearchError("The pattern is empty: give a glob such as **/*.ts");
  const follow = flag(raw, ["follow"]);
  const honourIgnores = raw.include_ignored === false;
  if (!honourIgnores) flag(raw, ["include_ignored"]);
  const denied = compileDenyRules(context.deny_read);
  const given = text(raw, "path") ?? ".";
  const { base, rest, directories } = splitPattern(pattern);
  const root = findSearchRoot(
    base === "" ? given : join(base.startsWith("/") ? "/" : given, base),
    context,
    denied,
  );
  if (!root.directory) {
    throw new SearchError(`Cannot search ${JSON.stringify(given)}: it is a file, not a directory`);
  }

  const matches: (path: string) => boolean = picomatch(rest, { dot: true, strictSlashes: true });
  const depth = depthOf(rest);
  const walk = new TreeWalk({
    root: root.real,
    read_roots: context.read_roots,
    honour_ignores: honourIgnores,
    follow,
    descend: (_entry, at) => at + 1 < depth,
    signal: context.signal,
    ...(denied === undefined ? {} : { denied }),
  });
  const budget = new Budget(limits, context.signal);
  const newest = new NewestFiles(MAX_PATHS);
  let stopped: string | undefined;
  try {
    for await (const batch of walk.batches()) {
      for (const entry of batch) {
        if (entry.directory !== directories) continue;
        if (!matches(pathBelow(root.real, entry.path))) continue;
        newest.add(root.path + entry.path.slice(root.real.length), entry.real);
        if (budget.due) await budget.pause(0);
      }
      await budget.pause(0);
    }
  } catch (error) {
    if (!(error instanceof BudgetSpent)) throw error;
    stopped = error.message;
  }

  const lines = newest.paths().map((path) =>
    shownPath(showPath(path, context.cwd)) + (directories ? "/" : "")
  );
  const { counts } = walk;
  const kind = directories ? "directories" : "files";
  const skipped = describeSkipped(
    { binary: 0, unreadable: 0, moved: 0, too_large: 0 },
    counts,
    lines.length === 0,
  );
  const notes: string[] = [];
  if (lines.length === 0) {
    const where = showPath(root.path, context.cwd);
    const parts = [`${directories ? counts.directories : counts.files} ${kind} looked at`];
    if (counts.ignored > 0) parts.push(`${counts.ignored} entries left out by .gitignore`);
    if (skipped !== "") parts.push(`not looked at: ${skipped}`);
    const hints: string[] = [];
    if (counts.links > 0) hints.push("set follow to look through links");
    if (depth !== Infinity) hints.push(`use **/${rest} to look in subdirectories`);
    const hint = hints.length === 0 ? "" : `. Hints: ${hints.join("; ")}`;
    notes.push(`No ${kind} match ${JSON.stringify(pattern)} in ${where}: ${parts.join("; ")}${hint}`);
  } else {
    if (newest.total > lines.length) {
      notes.push(
        `[Showing the ${lines.length} newest of ${newest.total} ${kind}; narrow the pattern or path]`,
      );
    }
    if (skipped !== "") notes.push(`[Not looked at: ${skipped}]`);
  }
  if (stopped !== undefined) {
    notes.push(`[Incomplete: the search stopped after ${stopped}; narrow the pattern or path]`);
  }
  return {
    content: [...lines, ...notes].join("\n"),
    data: {
      results: lines.length,
      total: newest.total,
      truncated: newest.total > lines.length || stopped !== undefined,
      walk: { ...counts },
    },
  };
}

/** The plain directories in front of a pattern, what is left, and whether it asks for directories. */
function splitPattern(pattern: string): { base: string; rest: string; directories: boolean } {
  const directories = pattern.endsWith("/");
  const body = pattern.replace(/\/+$/, "");
  if (body === "") {
    throw new SearchError(`The pattern ${JSON.stringify(pattern)} names no file: use e.g. **/*.ts`);
  }
  const names = body.split("/");
  let plain = 0;
  while (plain < names.length - 1 && !/[*?[\]{}()!\\]/.test(names[plain]!)) plain++;
  const base = names.slice(0, plain).join("/");
  const rest = names.slice(plain).join("/");
  return { base: body.startsWith("/") && base === "" ? "/" : base, rest, directories };
}

/** How many levels down a pattern can match; unbounded with `**` or a slash inside braces or parentheses. */
function depthOf(pattern: string): number {
  if (pattern.includes("**") || /[{(][^})]*\//.test(pattern)) return Infinity;
  return pattern.split("/").length;
}
