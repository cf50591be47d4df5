import { list } from "./program_spec.ts";
import type { ProgramSpec } from "./program_spec.ts";

/**
 * ripgrep. `--pre`, `--hostname-bin` and `-z` run programs, `-L` leaves the tree through links; none of them is here.
 */
export const RG: ProgramSpec = {
  flags: "aFivnNlcoHIqsSPUwxpu0hV.",
  values: "ABCeftTgjMmEdr",
  long: list(
    "--hidden --no-hidden --no-ignore --no-ignore-vcs --no-ignore-parent --no-ignore-dot --no-ignore-global --files " +
      "--files-with-matches --files-without-match --count --count-matches --json --stats --line-number " +
      "--no-line-number --no-filename --with-filename --only-matching --ignore-case --smart-case --case-sensitive " +
      "--fixed-strings --word-regexp --line-regexp --invert-match --multiline --multiline-dotall --pcre2 --vimgrep " +
      "--heading --no-heading --column --no-column --trim --null --null-data --passthru --quiet --text --pretty " +
      "--unrestricted --no-messages --no-config --type-list --byte-offset --crlf --glob-case-insensitive " +
      "--one-file-system --block-buffered --line-buffered --no-unicode --debug --version --no-follow --binary",
  ),
  long_values: list(
    "--after-context --before-context --context --regexp --file --type --type-not --type-add --glob --iglob " +
      "--threads --max-columns --max-count --max-depth --max-filesize --encoding --replace --color --colors --sort " +
      "--sortr --engine --context-separator --field-match-separator --path-separator --dfa-size-limit " +
      "--regex-size-limit --ignore-file",
  ),
  path_values: list("-f --file --ignore-file"),
  pattern_options: list("-e --regexp -f --file --files --type-list"),
  operands: "text-then-paths",
  recursive: true,
  default_cwd: true,
};
