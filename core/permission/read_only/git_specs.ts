import { list } from "./program_spec.ts";
import type { ParsedCall, ProgramSpec } from "./program_spec.ts";

/**
 * What a reading subcommand of git can be made to run by configuration. Every one of these also reads objects, which a
 * partial clone fetches; `objects` stands for that alone.
 */
export type GitTrigger = "worktree" | "diff" | "signature" | "index" | "objects";

/** A subcommand of git that reads, and how far. */
export interface GitSpec extends ProgramSpec {
  /** Settings of these kinds make it run a command. */
  triggers: readonly GitTrigger[];
}

const paths = { operands: "paths" } as const;

/** Options of every diff; `--output`, `--ext-diff`, `--textconv`, `--no-index` and `-O` are left out on purpose. */
const DIFF_LONG = list(
  "--patch --no-patch --raw --patch-with-raw --stat --numstat --shortstat --dirstat --summary --patch-with-stat " +
    "--compact-summary --name-only --name-status --color --no-color --color-words --color-moved --no-color-moved " +
    "--word-diff --no-renames --find-renames --find-copies --find-copies-harder --irreversible-delete --pickaxe-all " +
    "--pickaxe-regex --relative --no-relative --text --ignore-cr-at-eol --ignore-space-at-eol --ignore-space-change " +
    "--ignore-all-space --ignore-blank-lines --function-context --exit-code --quiet --no-ext-diff --no-textconv " +
    "--ignore-submodules --submodule --no-prefix --default-prefix --cached --staged --merge-base --cc " +
    "--combined-all-paths --minimal --patience --histogram --indent-heuristic --no-indent-heuristic --abbrev --binary " +
    "--full-index --check --rename-empty --no-rename-empty --break-rewrites --unified --word-diff-regex",
);
const DIFF_LONG_VALUES = list(
  "--diff-filter --inter-hunk-context --ignore-matching-lines --src-prefix --dst-prefix --line-prefix " +
    "--diff-algorithm --ws-error-highlight --anchored --stat-width --stat-count --output-indicator-new",
);
const LOG_LONG = list(
  "--oneline --graph --decorate --no-decorate --all --branches --tags --remotes --reverse --merges --no-merges " +
    "--first-parent --follow --no-walk --date-order --topo-order --author-date-order --left-right --cherry " +
    "--cherry-pick --cherry-mark --left-only --right-only --boundary --simplify-by-decoration --full-history " +
    "--dense --sparse --simplify-merges --ancestry-path --source --clear-decorations --show-pulls --walk-reflogs " +
    "--abbrev-commit --no-abbrev-commit --relative-date --parents --children --count --objects --regexp-ignore-case " +
    "--extended-regexp --fixed-strings --perl-regexp --basic-regexp --invert-grep --all-match --log-size --mailmap " +
    "--no-mailmap --use-mailmap --no-notes --notes --reflog --full-diff --remove-empty --no-expand-tabs --timestamp " +
    "--diff-merges --no-diff-merges --quiet --summary --email --numbered --root --name-only --pretty --format --max-parents --min-parents " +
    "--since-as-filter --encoding",
);
const LOG_LONG_VALUES = list(
  "--date --since --until --after --before --author --committer --grep --max-count --skip --grep-reflog " +
    "--decorate-refs --decorate-refs-exclude --exclude --glob",
);

/** `%G…` asks gpg; a format or an order that is not known could hold it. */
const noSignature = ({ options }: Pick<ParsedCall, "options">) =>
  options.some(({ name, value }) =>
      (/^--(format|pretty)$/.test(name) && (value === "-" || /%G|%\(\*?signature/.test(value ?? ""))) ||
      (name === "--sort" && (value === "-" || value?.includes("signature") === true))
    )
    ? "it asks gpg for a signature"
    : undefined;

/** Shows submodules by a git that is started inside them. */
const noSubmoduleDiff = ({ options }: Pick<ParsedCall, "options">) =>
  options.some(({ name, value }) =>
      name === "--submodule" && value !== undefined && value !== "log" && value !== "short"
    )
    ? "--submodule=diff starts git inside the submodules"
    : undefined;

/** Merges again, into objects that it writes for that time. */
const noRemerge = ({ options }: Pick<ParsedCall, "options">) =>
  options.some(({ name, value }) => name === "--diff-merges" && /^(r|remerge|-)$/.test(value ?? ""))
    ? "--diff-merges=remerge writes objects"
    : undefined;

const DIFF_SHORT = { flags: "pusbawWzRDt", values: "SGl", glued: "UMCB" };
const LOG: GitSpec = {
  ...paths,
  flags: "puszabwWRDqcimEFPgt",
  values: "nSGLl",
  glued: "UMCB",
  number: true,
  long: [...DIFF_LONG, ...LOG_LONG],
  long_values: [...DIFF_LONG_VALUES, ...LOG_LONG_VALUES],
  check: (call) => noSignature(call) ?? noSubmoduleDiff(call) ?? noRemerge(call),
  triggers: ["diff", "signature"],
};

const REF_LISTING = {
  long: list("--color --no-color --column --no-column --ignore-case --merged --no-merged --omit-empty"),
  long_values: list("--sort --format --contains --no-contains --points-at"),
};
const FILTERS = /^--(contains|no-contains|merged|no-merged|points-at|list)$/;

/** Subcommands whose listed options only read. */
export const GIT_SPECS: Readonly<Record<string, GitSpec>> = {
  status: {
    ...paths,
    flags: "sbvzu",
    long: list(
      "--short --branch --show-stash --porcelain --long --verbose --untracked-files --ignore-submodules --ignored " +
        "--column --no-column --ahead-behind --no-ahead-behind --renames --no-renames --find-renames --null",
    ),
    triggers: ["worktree", "diff"],
  },
  diff: {
    ...paths,
    ...DIFF_SHORT,
    long: DIFF_LONG,
    long_values: DIFF_LONG_VALUES,
    check: noSubmoduleDiff,
    // it rewrites the index where only the times of files have changed, even without optional locks
    triggers: ["worktree", "diff", "index"],
  },
  log: LOG,
  show: LOG,
  shortlog: { ...LOG, flags: "nsec" },
  "rev-list": { ...LOG, triggers: ["objects"] },
  reflog: {
    ...LOG,
    check: (call) =>
      call.operands.some((word, index) =>
          index === 0 && word !== "show" && !/^(HEAD|[\w./@{}-]+)$/.test(word)
        ) ||
        /^(expire|delete|drop|write|exists)$/.test(call.operands[0] ?? "")
        ? "reflog may be changed"
        : noSignature(call),
  },
  blame: {
    ...paths,
    flags: "wMCltfnsepbc",
    values: "L",
    long: list(
      "--porcelain --line-porcelain --show-email --show-name --show-number --root --abbrev --color-lines " +
        "--color-by-age --incremental --first-parent",
    ),
    long_values: list("--since --date --ignore-rev"),
    triggers: ["worktree", "diff"],
  },
  branch: {
    operands: "text",
    flags: "avri",
    long: [
      ...REF_LISTING.long,
      ...list("--all --remotes --list --show-current --verbose --abbrev --no-abbrev"),
    ],
    long_values: REF_LISTING.long_values,
    check: ({ options, operands }) =>
      operands.length === 0 || options.some(({ name }) => FILTERS.test(name))
        ? noSignature({ options })
        : "a branch would be made",
    triggers: ["signature"],
  },
  "branch --show-current": { operands: "none", long: ["--show-current"], triggers: [] },
  "rev-parse --show-toplevel": { operands: "none", long: ["--show-toplevel"], triggers: [] },
  tag: {
    operands: "text",
    flags: "lni",
    number: true,
    long: [...REF_LISTING.long, "--list"],
    long_values: REF_LISTING.long_values,
    check: ({ options, operands }) =>
      operands.length === 0 || options.some(({ name }) => name === "-l" || FILTERS.test(name))
        ? noSignature({ options })
        : "a tag would be made",
    triggers: ["signature"],
  },
  remote: {
    operands: "text",
    flags: "v",
    long: ["--verbose", "--push", "--all"],
    check: ({ operands }) =>
      operands.length === 0 || (operands[0] === "get-url" && operands.length === 2)
        ? undefined
        : "only remote and remote get-url are known to read",
    triggers: [],
  },
  config: {
    operands: "text",
    options_first: true,
    flags: "lz",
    long: list(
      "--get --get-all --get-regexp --list --name-only --show-origin --show-scope --local --global --system --worktree " +
        "--null --bool --int --path --all --regexp",
    ),
    long_values: list("--type --default"),
    check: ({ options, operands }) => {
      const reads = options.some(({ name }) => /^(--get|--get-all|--get-regexp|--list|-l)$/.test(name)) ||
        ((operands[0] === "get" || operands[0] === "list") && operands.length <= 2);
      return reads && !operands.includes("-") ? undefined : "a setting may be changed";
    },
    triggers: [],
  },
  "rev-parse": {
    operands: "text",
    flags: "q",
    long: list(
      "--abbrev-ref --short --verify --show-toplevel --git-dir --git-common-dir --is-inside-work-tree --symbolic " +
        "--show-prefix --show-cdup --is-bare-repository --symbolic-full-name --absolute-git-dir --quiet --all " +
        "--branches --tags --remotes --is-shallow-repository --show-superproject-working-tree --is-inside-git-dir " +
        "--revs-only --no-revs --flags --no-flags --not --show-object-format",
    ),
    long_values: list("--git-path --since --until --default"),
    triggers: ["objects"],
  },
  "ls-files": {
    ...paths,
    flags: "cdmoisukztvf",
    values: "x",
    long: list(
      "--cached --deleted --modified --others --ignored --stage --unmerged --killed --exclude-standard --full-name " +
        "--error-unmatch --abbrev --directory --no-empty-directory --eol --deduplicate --format",
    ),
    long_values: ["--exclude"],
    triggers: ["worktree"],
  },
  "ls-tree": {
    operands: "text",
    flags: "drtlz",
    long: list("--long --name-only --name-status --object-only --full-name --full-tree --abbrev --format"),
    triggers: ["objects"],
  },
  "cat-file": { operands: "text", flags: "ptse", triggers: ["objects"] },
  "merge-base": {
    operands: "text",
    flags: "a",
    long: list("--all --octopus --is-ancestor --fork-point --independent"),
    triggers: ["objects"],
  },
  "for-each-ref": {
    operands: "text",
    long: REF_LISTING.long,
    long_values: [...REF_LISTING.long_values, "--count", "--exclude"],
    check: noSignature,
    triggers: ["objects"],
  },
  "show-ref": {
    operands: "text",
    flags: "dsq",
    long: list("--head --heads --branches --tags --verify --hash --abbrev --dereference --quiet"),
    triggers: ["objects"],
  },
  describe: {
    operands: "text",
    long: list(
      "--tags --all --always --long --abbrev --exact-match --first-parent --contains --dirty --broken",
    ),
    long_values: list("--match --exclude --candidates"),
    // `--dirty` rewrites the index even without optional locks
    triggers: ["worktree", "index"],
  },
  "name-rev": {
    operands: "text",
    long: list("--tags --name-only --always --all"),
    long_values: ["--refs"],
    triggers: ["objects"],
  },
  "check-ignore": {
    ...paths,
    flags: "qvnz",
    long: list("--quiet --verbose --non-matching --no-index"),
    triggers: ["worktree"],
  },
  "check-attr": { operands: "text", flags: "az", long: ["--all", "--cached"], triggers: ["worktree"] },
  "count-objects": { operands: "none", flags: "vH", long: ["--verbose", "--human-readable"], triggers: [] },
  "symbolic-ref": {
    operands: "text",
    flags: "q",
    long: list("--quiet --short --no-recurse"),
    check: ({ operands }) => operands.length === 1 ? undefined : "a reference would be changed",
    triggers: [],
  },
  cherry: { operands: "text", flags: "v", long: ["--verbose", "--abbrev"], triggers: ["objects"] },
  grep: {
    operands: "text-then-paths",
    flags: "aivwIErGPFnlLzcopqhHW",
    values: "eABCm",
    number: true,
    long: list(
      "--text --ignore-case --invert-match --word-regexp --extended-regexp --fixed-strings --basic-regexp " +
        "--perl-regexp --line-number --column --files-with-matches --files-without-match --name-only --null --count " +
        "--color --no-color --break --heading --show-function --function-context --cached --untracked --full-name " +
        "--only-matching --quiet --recursive --no-recursive --and --or --not --all-match --exclude-standard",
    ),
    long_values: list("--context --after-context --before-context --max-depth --max-count --threads"),
    pattern_options: ["-e"],
    triggers: ["worktree"],
  },
  apply: {
    ...paths,
    flags: "vR",
    values: "Cp",
    long: list("--check --stat --numstat --summary --verbose --reverse --recount --unidiff-zero"),
    check: ({ options }) =>
      options.some(({ name }) => name === "--check") ? undefined : "apply without --check changes files",
    triggers: ["worktree"],
  },
  version: { operands: "none", long: ["--build-options"], triggers: [] },
};
/** Subcommands with a reading subcommand of their own. */
export const GIT_NESTED: Readonly<Record<string, Readonly<Record<string, GitSpec>>>> = {
  stash: {
    list: { ...LOG, drops_end: true },
    show: { ...LOG, drops_end: true, long: [...(LOG.long ?? []), "--include-untracked", "--only-untracked"] },
  },
  worktree: { list: { operands: "none", flags: "vz", long: list("--porcelain --verbose"), triggers: [] } },
};
