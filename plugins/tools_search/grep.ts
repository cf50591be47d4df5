import { shownPath, TreeWalk } from "../../core/files/mod.ts";
import type { WalkEntry } from "../../core/files/mod.ts";
import type { JsonObject, ToolContext, ToolOutcome } from "../../core/plugin_api/mod.ts";
import { Budget, BudgetSpent } from "./budget.ts";
import type { SearchLimits } from "./budget.ts";
import { compilePattern } from "./compile_pattern.ts";
import { compileDenyRules } from "./deny_rules.ts";
import { parseGrepInput } from "./grep_input.ts";
import type { GrepInput } from "./grep_input.ts";
import { GrepReport } from "./grep_report.ts";
import { compilePathFilter } from "./path_filter.ts";
import { FileGroup, RgPrefilter } from "./rg_prefilter.ts";
import { FileScanner } from "./scan_file.ts";
import { findSearchRoot, pathBelow, showPath } from "./search_root.ts";
import type { SearchRoot } from "./search_root.ts";

/**
 * Searches the contents of files. Results are the same with and without ripgrep (`config.rg_path`), in the order of
 * the walk. A regular expression that backtracks without end cannot be stopped from inside: the host's time limit on
 * the call ends its worker. Throws a `SearchError` for a request that cannot be searched.
 */
export async function grep(
  raw: JsonObject,
  context: ToolContext,
  limits: SearchLimits,
): Promise<ToolOutcome> {
  const input = parseGrepInput(raw);
  const pattern = compilePattern(input.pattern, input);
  const denied = compileDenyRules(context.deny_read);
  const root = findSearchRoot(input.path, context, denied);
  const report = new GrepReport(input, limits.output_chars);
  const budget = new Budget(limits, context.signal);
  const scanner = new FileScanner({
    pattern,
    first_only: input.mode === "files_with_matches",
    before: input.mode === "content" ? input.before : 0,
    after: input.mode === "content" ? input.after : 0,
    pause: (bytes) => budget.pause(bytes),
  });
  const walk = new TreeWalk({
    root: root.real,
    read_roots: context.read_roots,
    honour_ignores: true,
    follow: input.follow,
    signal: context.signal,
    ...(denied === undefined ? {} : { denied }),
  });
  const stopRg = new AbortController();
  const rgPath = context.config.rg_path;
  const prefilter = typeof rgPath === "string" && pattern.literal !== undefined && root.directory &&
      !(pattern.ignore_case && /[^\x20-\x7e]/.test(pattern.literal))
    ? new RgPrefilter(rgPath, pattern.literal, {
      ignore_case: pattern.ignore_case,
      root: root.real,
      signal: AbortSignal.any([context.signal, stopRg.signal]),
    })
    : undefined;
  const search = new GrepRun(input, context, root, report, budget, scanner, prefilter);
  try {
    if (root.directory) await search.tree(walk);
    else await search.file({ path: root.path, real: root.real });
  } catch (error) {
    if (!(error instanceof BudgetSpent)) throw error;
    report.stop(error.message);
  } finally {
    stopRg.abort();
    await search.settled();
  }
  const where = showPath(root.path, context.cwd);
  return { content: report.content(where, walk.counts), data: report.data(walk.counts) };
}

type SearchFile = Pick<WalkEntry, "path" | "real">;

/** One search under way. */
class GrepRun {
  #waiting: { files: SearchFile[]; found: Promise<Set<string> | undefined> } | undefined;

  constructor(
    private readonly input: GrepInput,
    private readonly context: ToolContext,
    private readonly root: SearchRoot,
    private readonly report: GrepReport,
    private readonly budget: Budget,
    private readonly scanner: FileScanner,
    private readonly prefilter: RgPrefilter | undefined,
  ) {}

  /** Searches what the walk finds, until the report is full. */
  async tree(walk: TreeWalk): Promise<void> {
    const filter = compilePathFilter(this.input.glob, this.input.type);
    let group = new FileGroup<SearchFile>();
    for await (const batch of walk.batches()) {
      for (const entry of batch) {
        if (entry.directory) continue;
        entry.path = this.#shownFrom(entry.path);
        if (filter !== undefined) {
          const below = pathBelow(this.root.path, entry.path);
          if (!filter(entry.name, below, showPath(entry.path, this.context.cwd))) continue;
        }
        if (this.prefilter === undefined) {
          await this.file(entry);
          if (this.report.full) return;
          continue;
        }
        group.add(entry);
        if (group.full) {
          if (!await this.#startGroup(group.files)) return;
          group = new FileGroup();
        }
      }
      if (this.budget.due) await this.budget.pause(this.scanner.bytes);
    }
    if (group.files.length > 0 && !await this.#startGroup(group.files)) return;
    await this.#finishGroup();
  }

  /** Searches one file and tells the report. */
  async file(file: SearchFile): Promise<void> {
    const { report, scanner, budget, input } = this;
    if (budget.due) await budget.pause(scanner.bytes);
    const shown = shownPath(showPath(file.path, this.context.cwd));
    const before = report.matches;
    const verdict = await scanner.scan(file.real, report.sink(shown));
    report.files_searched++;
    if (verdict === "matched") {
      report.files_matched++;
      if (input.mode === "files_with_matches") report.matches++;
      if (input.mode !== "content") report.file(shown, report.matches - before);
    } else if (verdict !== "searched") report.skipped[verdict]++;
  }

  /** Waits until nothing that was started is still running. */
  async settled(): Promise<void> {
    await this.#waiting?.found.catch(() => undefined); // the search has ended: its own error has been thrown already
  }

  /** Lets ripgrep look at the group while the walk goes on; false when the report got full meanwhile. */
  async #startGroup(files: SearchFile[]): Promise<boolean> {
    if (!await this.#finishGroup()) return false;
    const found = this.prefilter!.find(files);
    found.catch(() => undefined); // reported where it is awaited
    this.#waiting = { files, found };
    return true;
  }

  async #finishGroup(): Promise<boolean> {
    if (this.#waiting === undefined) return true;
    const { files, found } = this.#waiting;
    const candidates = await found;
    this.#waiting = undefined;
    for (const file of files) {
      if (candidates === undefined || candidates.has(file.real)) await this.file(file);
      else this.report.files_searched++;
      if (this.report.full) return false;
    }
    return true;
  }

  /** Results are named as the caller named the place, also when that led through a link. */
  #shownFrom(path: string): string {
    return this.root.path === this.root.real ? path : this.root.path + path.slice(this.root.real.length);
  }
}
