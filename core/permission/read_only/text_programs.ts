import { list } from "./program_spec.ts";
import type { ProgramSpec } from "./program_spec.ts";

/** Programs that read files or standard input and print. */
export const TEXT_PROGRAMS: Readonly<Record<string, ProgramSpec>> = {
  cat: {
    flags: "AbeEnstTuv",
    long: list(
      "--show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs --show-nonprinting",
    ),
    operands: "paths",
    harmless: true,
  },
  tac: {
    flags: "br",
    values: "s",
    long: list("--before --regex"),
    long_values: ["--separator"],
    operands: "paths",
  },
  rev: { operands: "paths" },
  head: {
    flags: "qvz",
    values: "nc",
    number: true,
    long: list("--quiet --silent --verbose --zero-terminated"),
    long_values: list("--lines --bytes"),
    operands: "paths",
    harmless: true,
  },
  tail: {
    flags: "qvzfF",
    values: "ncs",
    number: true,
    long: list("--quiet --silent --verbose --zero-terminated --follow --retry"),
    long_values: list("--lines --bytes --pid --sleep-interval"),
    operands: "paths",
    harmless: true,
  },
  nl: {
    flags: "p",
    values: "bdfhilnsvw",
    long: ["--no-renumber"],
    long_values: list(
      "--body-numbering --number-format --number-width --starting-line-number --number-separator",
    ),
    operands: "paths",
  },
  sort: {
    flags: "bdfghiMnRrVcCmsuz",
    values: "ktS",
    long: list(
      "--ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort --human-numeric-sort " +
        "--ignore-nonprinting --month-sort --numeric-sort --random-sort --reverse --version-sort --check --merge " +
        "--stable --unique --zero-terminated --debug --sort",
    ),
    long_values: list("--key --field-separator --buffer-size --parallel"),
    operands: "paths",
  },
  uniq: {
    flags: "cdDiuz",
    values: "fsw",
    long: list("--count --repeated --all-repeated --ignore-case --unique --zero-terminated --group"),
    long_values: list("--skip-fields --skip-chars --check-chars"),
    operands: "paths",
    max_operands: 1,
  },
  cut: {
    flags: "nsz",
    values: "bcdf",
    long: list("--complement --only-delimited --zero-terminated"),
    long_values: list("--bytes --characters --delimiter --fields --output-delimiter"),
    operands: "paths",
  },
  wc: {
    flags: "cmlLw",
    long: list("--bytes --chars --lines --max-line-length --words --total"),
    operands: "paths",
    harmless: true,
  },
  tr: {
    flags: "cCdst",
    long: list("--complement --delete --squeeze-repeats --truncate-set1"),
    operands: "text",
    harmless: true,
  },
  comm: {
    flags: "123z",
    long: list("--check-order --nocheck-order --total --zero-terminated"),
    long_values: ["--output-delimiter"],
    operands: "paths",
  },
  join: { flags: "iz", values: "12aejotv", long: ["--header", "--check-order"], operands: "paths" },
  paste: {
    flags: "sz",
    values: "d",
    long: ["--serial", "--zero-terminated"],
    long_values: ["--delimiters"],
    operands: "paths",
  },
  fold: {
    flags: "bs",
    values: "w",
    long: ["--bytes", "--spaces"],
    long_values: ["--width"],
    operands: "paths",
  },
  fmt: { flags: "cstu", values: "wpg", number: true, operands: "paths" },
  expand: { flags: "i", values: "t", operands: "paths" },
  unexpand: { flags: "a", values: "t", operands: "paths" },
  column: {
    flags: "tenxdLJ",
    values: "scoNRHTWlpEC",
    long: list("--table --fillrows --table-noextreme --json --keep-empty-lines"),
    long_values: list(
      "--separator --output-separator --output-width --table-columns --table-right --table-name",
    ),
    operands: "paths",
  },
  diff: {
    flags: "quiwbBaEtTdspcNyZ",
    values: "UCIWF",
    number: true,
    long: list(
      "--brief --unified --context --ignore-case --ignore-all-space --ignore-space-change --ignore-blank-lines --text " +
        "--side-by-side --color --normal --report-identical-files --minimal --new-file --strip-trailing-cr " +
        "--ignore-trailing-space --suppress-common-lines --no-dereference --show-c-function",
    ),
    long_values: list("--width --label --ignore-matching-lines"),
    operands: "paths",
    max_operands: 2,
    recursive: true,
    follows: true,
  },
  cmp: {
    flags: "bls",
    values: "in",
    long: list("--silent --quiet --verbose --print-bytes"),
    operands: "paths",
  },
  zcat: { flags: "fqv", operands: "paths" },
  xxd: {
    flags: "abeipudE",
    values: "clgson",
    long: list("-bits -plain -ps -postscript -include -uppercase"),
    operands: "paths",
    max_operands: 1,
    options_first: true,
  },
  hexdump: { flags: "bcCdovx", values: "ens", long: ["--canonical"], operands: "paths", harmless: true },
  od: {
    flags: "abcdfilosxv",
    values: "AjNtS",
    glued: "w",
    long_values: list("--address-radix --skip-bytes --read-bytes --format"),
    long: ["--output-duplicates"],
    operands: "paths",
  },
  strings: {
    flags: "afw",
    values: "ntes",
    number: true,
    long: ["--all"],
    operands: "paths",
    response_files: true,
  },
  base64: {
    flags: "di",
    values: "w",
    long: ["--decode", "--ignore-garbage"],
    long_values: ["--wrap"],
    operands: "paths",
  },
  ...Object.fromEntries(
    list("sha256sum sha1sum sha512sum sha224sum sha384sum md5sum b2sum cksum sum shasum").map((
      name,
    ) => [name, {
      flags: "btrsz",
      values: name === "shasum" || name === "cksum" ? "a" : "",
      long: list("--binary --text --tag --zero"),
      operands: "paths" as const,
    }]),
  ),
  ...Object.fromEntries(
    ["grep", "egrep", "fgrep", "zgrep"].map((name): [string, ProgramSpec] => [name, {
      flags: "EFGPabchHiIlLnoqrsTUvVwxyzZ",
      values: "ABCDdemf",
      number: true,
      long: list(
        "--extended-regexp --fixed-strings --basic-regexp --perl-regexp --text --byte-offset --count --no-filename " +
          "--with-filename --ignore-case --no-ignore-case --files-with-matches --files-without-match --line-number " +
          "--only-matching --quiet --silent --recursive --no-messages --initial-tab --invert-match --word-regexp " +
          "--line-regexp --null --null-data --color --colour --line-buffered --binary --version",
      ),
      long_values: list(
        "--after-context --before-context --context --regexp --max-count --include --exclude --exclude-dir --label " +
          "--binary-files --directories --devices --file --exclude-from",
      ),
      path_values: list("-f --file --exclude-from"),
      pattern_options: list("-e --regexp -f --file"),
      operands: "text-then-paths",
      harmless: name !== "zgrep",
      recursive: true,
    }]),
  ),
  jq: {
    flags: "nrRscCMaSjeh",
    long: list(
      "--null-input --raw-output --raw-input --slurp --compact-output --color-output --monochrome-output " +
        "--ascii-output --sort-keys --join-output --exit-status --raw-output0 --tab --unbuffered --stream --seq",
    ),
    long_values: ["--indent"],
    long_pairs: list("--arg --argjson --slurpfile --rawfile"),
    path_values: list("--slurpfile --rawfile"),
    operands: "text-then-paths",
    check: ({ operands }) =>
      /\b(import|include|modulemeta|get_search_list)\b/.test(operands[0] ?? "")
        ? "the jq program loads a module"
        : /\b(env|ENV|input_filename|__prog_args)\b/.test(operands[0] ?? "")
        ? "the jq program looks beyond its input"
        : undefined,
  },
};
