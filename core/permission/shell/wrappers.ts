import { literal } from "./word.ts";
import type { Word } from "./word.ts";

/** A program that runs the command in its arguments. */
export interface Wrapper {
  /** Options that take the next word as their value. */
  values: readonly string[];
  /** Options without a value; any other option makes where the command begins uncertain. */
  flags: readonly string[];
  /** Words between the options and the command. */
  operands: number;
  /** An allow rule on the inner command covers the whole. */
  transparent: boolean;
  /** `NAME=value` words stand in front of the command. */
  assignments?: boolean;
}

const wrapper = (flags: string, values: string, operands = 0, transparent = false): Wrapper => ({
  flags: flags.split(" ").filter((flag) => flag !== ""),
  values: values.split(" ").filter((flag) => flag !== ""),
  operands,
  transparent,
});

/** Programs whose options are known, so that it is certain which word is the inner command. */
export const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  timeout: wrapper("--foreground --preserve-status -v --verbose", "-k --kill-after -s --signal", 1, true),
  time: wrapper("-p", "", 0, true),
  nice: wrapper("", "-n --adjustment", 0, true),
  nohup: wrapper("", "", 0, true),
  stdbuf: wrapper("", "-i -o -e --input --output --error", 0, true),
  command: wrapper("-p", "", 0, true),
  builtin: wrapper("", "", 0, true),
  noglob: wrapper("", "", 0, true),
  exec: wrapper("-c -l", "-a"),
  env: {
    ...wrapper("-i - --ignore-environment -0 --null -v --debug", "-u --unset -C --chdir"),
    assignments: true,
  },
  sudo: {
    ...wrapper(
      "-A -b -E -H -i -k -n -P -S -s --non-interactive --preserve-env --set-home --login --shell --stdin",
      "-u --user -g --group -h --host -p --prompt -C --close-from -r --role -t --type -T -D --chdir -R --chroot -U",
    ),
    assignments: true,
  },
  doas: wrapper("-n -s -L", "-u -C -a"),
  setsid: wrapper("-c -f -w --ctty --fork --wait", ""),
  ionice: wrapper("-t --ignore", "-c --class -n --classdata"),
  chrt: wrapper("-b -f -i -o -r -R -v -a", "-T -P -D", 1),
  taskset: wrapper("-a", "", 1),
  unbuffer: wrapper("-p", ""),
  caffeinate: wrapper("-d -i -m -s -u", "-t -w"),
  chroot: wrapper("--skip-chdir", "--userspec --groups", 1),
  gosu: wrapper("", "", 1),
  busybox: wrapper("", ""),
  toybox: wrapper("", ""),
  coproc: wrapper("", ""),
  fakeroot: wrapper("-u", "-l -s -i -b"),
  proxychains: wrapper("-q", "-f"),
  torsocks: wrapper("", ""),
  setarch: wrapper("-R -v", "", 1),
};

/** Programs that run a command somewhere in their arguments, in more ways than a table can hold. */
export const LOOSE_WRAPPERS: ReadonlySet<string> = new Set(
  ("watch flock script su runuser unshare nsenter bwrap firejail systemd-run strace ltrace gdb valgrind perf " +
    "hyperfine entr rlwrap tsocks proot xvfb-run dbus-run-session su-exec setpriv capsh start-stop-daemon prlimit " +
    "numactl parallel docker podman kubectl ssh npx pnpm yarn bunx uvx pipx mise direnv devbox asdf nix nix-shell " +
    "pkexec run0 chpst cgexec faketime datefudge watchexec nodemon tmux screen at batch expect lima wsl rtk")
    .split(" "),
);

/** What a wrapper's words are made of. */
export interface Unwrapped {
  inner: readonly Word[];
  /** `NAME=value` words that the wrapper sets. */
  assignments: readonly Word[];
  /** All options in front of the command are known. */
  certain: boolean;
  /** It has options at all. */
  has_options: boolean;
}

/** Finds the inner command of a wrapper's words (the first is the wrapper itself). */
export function unwrapWords(
  words: readonly Word[],
  { values, flags, operands, assignments }: Wrapper,
): Unwrapped {
  let at = 1;
  let certain = true;
  for (; at < words.length; at++) {
    const text = literal(words[at]);
    if (text === undefined) {
      // an unknown word may be an option
      certain = false;
      break;
    }
    if (text === "--") {
      at += 1;
      break;
    }
    if (!text.startsWith("-") || (text === "-" && !flags.includes("-"))) break;
    if (values.includes(text)) at += 1;
    else if (!flags.includes(text) && !isGlued(text, values)) certain = false;
  }
  const has_options = at > 1;
  at += operands;
  const set: Word[] = [];
  while (assignments === true && /^[A-Za-z_]\w*\+?=/.test(words[at]?.raw ?? "")) {
    const word = words[at];
    if (word !== undefined) set.push(word);
    at += 1;
  }
  return { inner: words.slice(at), assignments: set, certain, has_options };
}

/** `-n10`, `--signal=TERM`, and `nice -10`. */
function isGlued(text: string, values: readonly string[]): boolean {
  if (/^-\d+$/.test(text)) return true;
  return values.some((option) =>
    option.startsWith("--")
      ? text.startsWith(`${option}=`)
      : text.startsWith(option) && text.length > option.length && !text.startsWith("--")
  );
}
