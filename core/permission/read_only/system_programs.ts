import { list } from "./program_spec.ts";
import type { ProgramSpec } from "./program_spec.ts";

const TEXT: ProgramSpec = { operands: "text", harmless: true };

/** Programs that look at folders, the machine or their own arguments, and builtins of the shell. */
export const SYSTEM_PROGRAMS: Readonly<Record<string, ProgramSpec>> = {
  ls: {
    flags: "aAbBcCdDfFgGhHiIklmnNopqQrRsStTuUvwxXZ1L",
    values: "",
    long: list(
      "--all --almost-all --author --color --directory --classify --file-type --full-time --group-directories-first " +
        "--no-group --human-readable --si --inode --kibibytes --numeric-uid-gid --literal --recursive --reverse " +
        "--size --sort --time --time-style --zero --hyperlink --indicator-style --format",
    ),
    long_values: list("--ignore --hide --block-size --width"),
    operands: "paths",
    default_cwd: true,
    harmless: true,
    check: ({ options }) => {
      const has = (pattern: RegExp) => options.some(({ name }) => pattern.test(name));
      return has(/^-L$/) && has(/^(-R|--recursive)$/) ? "ls -LR follows links out of the tree" : undefined;
    },
  },
  tree: {
    flags: "adfiJpshDFugrtUvcQNqxXCnSA",
    values: "LIPT",
    long: list(
      "--dirsfirst --noreport --gitignore --prune --du --si --inodes --matchdirs --ignore-case --sort",
    ),
    long_values: list("--filelimit --charset --timefmt"),
    operands: "paths",
    default_cwd: true,
  },
  fd: {
    flags: "HIusigFpa01q",
    values: "deEtSjc",
    long: list(
      "--hidden --no-ignore --unrestricted --case-sensitive --ignore-case --glob --fixed-strings --full-path " +
        "--absolute-path --print0 --no-ignore-vcs --prune --quiet --strip-cwd-prefix",
    ),
    long_values: list(
      "--max-depth --min-depth --exact-depth --extension --exclude --type --size --threads --color --max-results " +
        "--changed-within --changed-before",
    ),
    operands: "text-then-paths",
    default_cwd: true,
  },
  stat: {
    flags: "ftx",
    values: "c",
    long: list("--file-system --terse"),
    long_values: ["--format", "--printf"],
    operands: "paths",
  },
  file: {
    flags: "bhiknNrv0",
    values: "FP",
    long: list(
      "--brief --mime --mime-type --mime-encoding --keep-going --no-dereference --raw --no-pad --extension",
    ),
    operands: "paths",
  },
  du: {
    flags: "abchHkmsSx0",
    values: "dBt",
    long: list(
      "--all --apparent-size --bytes --total --human-readable --si --summarize --one-file-system --time",
    ),
    long_values: list("--max-depth --exclude --threshold --block-size"),
    operands: "paths",
    default_cwd: true,
  },
  df: {
    flags: "ahHiklPT",
    values: "txB",
    long: list("--all --human-readable --inodes --local --portability --print-type --si --total --output"),
    operands: "paths",
  },
  realpath: {
    flags: "eLmPqsz",
    long: list("--canonicalize-existing --canonicalize-missing --no-symlinks"),
    operands: "paths",
  },
  readlink: { flags: "efmnqsvz", long: list("--canonicalize --no-newline"), operands: "paths" },
  basename: { ...TEXT, flags: "az", values: "s", long: ["--multiple", "--zero"], long_values: ["--suffix"] },
  dirname: { ...TEXT, flags: "z", long: ["--zero"] },
  echo: TEXT,
  true: TEXT,
  false: TEXT,
  ":": TEXT,
  seq: TEXT,
  sleep: TEXT,
  uname: TEXT,
  nproc: TEXT,
  whoami: TEXT,
  id: TEXT,
  groups: TEXT,
  // with a word it starts a program, where the system is macOS
  arch: { operands: "none" },
  tty: TEXT,
  uptime: TEXT,
  printenv: {
    ...TEXT,
    check: ({ operands }) =>
      operands.some((word) => /^[A-Za-z_]/.test(word)) ? undefined : "printenv shows all variables",
  },
  expr: TEXT,
  break: TEXT,
  continue: TEXT,
  return: TEXT,
  exit: TEXT,
  wait: {
    operands: "text",
    check: ({ operands }) =>
      operands.every((word) => /^(\d+|%\d+)$/.test(word)) ? undefined : "wait may set a variable",
  },
  pgrep: {
    operands: "text",
    flags: "acfilnoxvw",
    values: "uUgGPst",
    long: ["--full", "--list-full", "--list-name"],
  },
  ps: {
    flags: "AadefFHjlLMmNTwyZ",
    values: "CGgopqstUuO",
    long: list("--forest --headers --no-headers --cumulative"),
    long_values: list("--sort --format --pid --ppid --user --cols --width"),
    operands: "text",
    // `ps e` and `ps -o environ` show the environment of other processes, secrets included
    check: ({ operands, options }) =>
      operands.every((word) => /^[a-df-z0-9,]+$/i.test(word)) &&
        !options.some(({ value }) => value !== undefined && (value === "-" || /env/i.test(value)))
        ? undefined
        : "ps may show environments",
  },
  free: {
    flags: "bkmghltwv",
    values: "sc",
    long: ["--human", "--total", "--si", "--wide"],
    operands: "none",
  },
  pwd: { flags: "LP", long: ["--logical", "--physical"], operands: "none" },
  // its other options ask a name server
  hostname: { flags: "sI", long: ["--short", "--all-ip-addresses"], operands: "none" },
  locale: { flags: "amck", operands: "text" },
  getconf: { flags: "a", operands: "text" },
  shift: { operands: "text" },
  type: { flags: "aftpP", operands: "text" },
  which: { flags: "as", long: ["--all"], operands: "text" },
  printf: {
    ...TEXT,
    // `%n` sets the variable that the next word names
    check: ({ operands: [format = ""] }) =>
      format.startsWith("-")
        ? "printf with an option"
        : /%[-+ #0'*.\d]*[hjlLtz]*n/.test(format.replaceAll("%%", ""))
        ? "printf sets a variable"
        : undefined,
  },
  date: {
    flags: "uRI",
    values: "d",
    long: list("--utc --universal --rfc-email --iso-8601 --rfc-3339"),
    long_values: list("--date --reference"),
    path_values: ["--reference"],
    operands: "text",
    check: ({ operands }) =>
      operands.every((word) => word.startsWith("+")) ? undefined : "date may set the clock",
  },
  set: {
    flags: "euxfv",
    values: "o",
    operands: "none",
    check: ({ options }) =>
      options.length > 0 &&
        options.every(({ name, value }) =>
          name !== "-o" || /^(pipefail|errexit|nounset|xtrace)$/.test(value ?? "")
        )
        ? undefined
        : "set shows all variables or changes the shell",
  },
  unzip: {
    flags: "lvqZ1",
    operands: "paths",
    check: ({ options }) =>
      options.some(({ name }) => name === "-l" || name === "-v" || name === "-Z")
        ? undefined
        : "unzip without -l writes files",
  },
  openssl: {
    long: list(
      "-noout -text -subject -issuer -dates -startdate -enddate -serial -fingerprint -sha256 -sha1 -pubkey -modulus " +
        "-email -purpose -ocsp_uri -subject_hash -issuer_hash -alias",
    ),
    long_values: list("-in -inform -checkend -ext -nameopt -checkhost"),
    path_values: ["-in"],
    operands: "text",
    check: ({ operands }) =>
      operands.length === 1 && operands[0] === "x509" ? undefined : "only openssl x509 is known",
  },
  ...Object.fromEntries(
    list("deno gcc g++ clang bash jq rg").map((name) => [
      `${name} --version`,
      { long: ["--version"], operands: "none" as const },
    ]),
  ),
};
