import { generateCommand } from "./generate_command.ts";
import { anyWord, arithmetic, pathWord, quoted, substitution, variableWord } from "./generate_word.ts";
import { mutateLine } from "./mutate_line.ts";
import type { Random } from "./random.ts";

/** A shell line: composed from the grammar, or one of `known` that is changed a little. */
export function generateLine(random: Random, known: readonly string[]): string {
  const line = random.choose(
    [known.length > 0 ? 40 : 0, () => mutateLine(random, random.pick(known), known)],
    [50, () => composed(random, 0)],
    [10, () => mutateLine(random, composed(random, 0), known)],
  );
  return line.replaceAll("\0", "");
}

function composed(random: Random, depth: number): string {
  const one = () => depth < 3 ? composed(random, depth + 1) : generateCommand(random);
  const deep = depth < 3 ? 1 : 0;
  return random.choose(
    [50, () => dressed(random)],
    [10, () => random.some(2, 3, () => dressed(random)).join(random.pick([" | ", " | ", " |& ", "|"]))],
    [
      8,
      () => random.some(2, 3, () => dressed(random)).join(random.pick([" && ", "; ", " || ", "\n", " & "])),
    ],
    [2 * deep, () => `(${one()})`],
    [2 * deep, () => `{ ${one()}; }`],
    [2 * deep, () => `if ${one()}; then ${one()}; fi`],
    [
      3 * deep,
      () => {
        const over = random.some(1, 3, () => anyWord(random)).join(" ");
        return `for f in ${over}; do ${random.pick(["cat", "ls", "head -1", "wc -l", "echo", "rm", ""])} ${
          random.pick(['"$f"', "$f", "${f}", "$f.x", '"x$f"'])
        }; ${random.chance(0.3) ? one() : ":"}; done`;
      },
    ],
    [deep, () => `while ${one()}; do ${one()}; break; done`],
    [deep, () => `until ${one()}; do break; done`],
    [
      deep,
      () =>
        `case ${anyWord(random)} in ${
          random.pick(["*", "a|b", "foo", "$(touch made_new)"])
        }) ${one()};; esac`,
    ],
    [deep, () => `f() { ${one()}; }; f ${random.chance(0.5) ? anyWord(random) : ""}`],
    [deep, () => `function ${random.pick(["g", "ls", "cat", "git"])} { ${one()}; }; ${one()}`],
    [2 * deep, () => `echo ${substitution(random, one())}`],
    [2, () => `${generateCommand(random)} ${substitution(random, generateCommand(random))}`],
    [1, () => `for ((i=0; i<${random.pick(["2", "a[$(touch made_new)]"])}; i++)); do ${one()}; done`],
    [1, () => `${generateCommand(random)} <(${generateCommand(random)})`],
    [0.5, () => `${generateCommand(random)} >(${generateCommand(random)})`],
    [0.5, () => `coproc ${generateCommand(random)}`],
    [0.5, () => `select f in a b; do ${one()}; done`],
    [0.5, () => `echo $((${arithmetic(random)}))`],
    [1, () => broken(random, one())],
  );
}

/** A command with what may stand around it. */
function dressed(random: Random): string {
  let line = generateCommand(random);
  if (random.chance(0.08)) line = `${wrapper(random)} ${line}`;
  if (random.chance(0.08)) line = `${assignment(random)}${random.pick([" ", " ", "; ", " && "])}${line}`;
  if (random.chance(0.15)) line = redirected(random, line);
  if (random.chance(0.02)) line = `! ${line}`;
  if (random.chance(0.01)) {
    line = `${line} # ${random.pick(["x", "'", "$(touch made_new)", "\ntouch made_new"])}`;
  }
  return line;
}

function wrapper(random: Random): string {
  return random.pick([
    "timeout 1",
    "timeout -k 1 1",
    "timeout -s KILL 1s",
    "timeout --foreground 1",
    "time",
    "time -p",
    "nice",
    "nice -n 5",
    "nohup",
    "stdbuf -oL",
    "stdbuf --output=0",
    "command",
    "command -p",
    "command --",
    "builtin",
    "env",
    "env -i",
    "env A=1",
    "env -u HOME",
    "env PATH=tools",
    "exec",
    "exec -a x",
    "setsid",
    "ionice",
    "xargs",
    "sudo",
    "watch",
    "busybox",
    "flock list.txt",
    "chroot .",
    "time -o made_new",
    "/usr/bin/time",
    "\\time",
  ]);
}

function assignment(random: Random): string {
  const name = random.pick(
    ("x y f a PATH LD_PRELOAD LD_LIBRARY_PATH GIT_DIR GIT_EXTERNAL_DIFF GIT_PAGER PAGER LC_ALL LANG TZ IFS HOME BASH_ENV ENV " +
      "PS4 CDPATH GREP_OPTIONS GIT_OPTIONAL_LOCKS GIT_TRACE GIT_CONFIG_COUNT LESSOPEN TMPDIR SHELLOPTS GLOBIGNORE POSIXLY_CORRECT " +
      "COLUMNS NO_COLOR TERM RIPGREP_CONFIG_PATH GIT_TRACE2_EVENT TIME_STYLE LS_COLORS MAGIC OPENSSL_CONF BASH_FUNC_ls%%")
      .split(" "),
  );
  return random.choose(
    [
      6,
      () =>
        `${name}=${
          random.chance(0.5)
            ? anyWord(random)
            : random.pick(["1", "0", "tools", "./run.sh", "made_new", "C", ",", ""])
        }`,
    ],
    [1, () => `${name}+=${quoted(random, "x")}`],
    [1, () => `a=(${random.some(0, 3, () => anyWord(random)).join(" ")})`],
    [1, () => `a[${arithmetic(random)}]=1`],
    [1, () => `export ${name}=${pathWord(random)}`],
    [1, () => `x=${substitution(random, generateCommand(random))}`],
    [0.5, () => `declare -${random.pick([..."aAilnrtux"])} ${name}=${anyWord(random)}`],
  );
}

function redirected(random: Random, line: string): string {
  const fd = random.pick(["", "", "1", "2", "3", "{fd}"]);
  return random.choose(
    [6, () => `${line} 2>/dev/null`],
    [3, () => `${line} >/dev/null 2>&1`],
    [2, () => `${line} 2>&1`],
    [
      2,
      () =>
        `${line} ${fd}${random.pick([">", ">>", ">|", "<>", "&>", ">&", "&>>"])}${random.pick(["", " "])}${
          random.chance(0.4)
            ? random.pick([
              "/dev/null",
              "/dev/stderr",
              "/dev/stdout",
              "/dev/tty",
              "/dev/fd/2",
              "/dev/tcp/127.0.0.1/9",
            ])
            : pathWord(random)
        }`,
    ],
    [4, () => `${line} < ${pathWord(random)}`],
    [2, () => `${line} <<< ${random.chance(0.5) ? anyWord(random) : variableWord(random)}`],
    [1, () => `${random.pick(["<", ">", "2>"])}${pathWord(random)} ${line}`],
    [2, () => {
      const mark = random.pick(["EOF", "'EOF'", '"EOF"', "\\EOF", "E'O'F"]);
      const body = random.pick([
        "foo",
        "$(touch made_new)",
        "`touch made_new`",
        "$x ${y:=1}",
        "touch made_new",
        "EOF\ntouch made_new",
      ]);
      return `${line} <<${random.pick(["", "-"])}${mark}\n${body}\n${random.chance(0.95) ? "EOF" : ""}`;
    }],
    [0.5, () => `${line} <&${random.pick(["0", "3", "-", "3-"])}`],
  );
}

function broken(random: Random, line: string): string {
  return random.pick([
    `${line} |`,
    `${line} "`,
    `${line} $(`,
    `( ${line}`,
    `${line} )`,
    `${line} ;;`,
    `${line}; }`,
    `${line} \\`,
    `${line} <<EOF`,
    `${line} &&& x`,
    `'${line}`,
    `if ${line}`,
    `${line} \`echo`,
    `${line} $'\\`,
    `\r${line}`,
    `${line}\r\n${line}`,
    `${line} \u00a0x`,
  ]);
}
