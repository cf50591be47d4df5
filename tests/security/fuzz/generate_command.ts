import { PROGRAMS } from "../../../core/permission/read_only/programs.ts";
import { GIT_NESTED, GIT_SPECS } from "../../../core/permission/read_only/git_specs.ts";
import type { ProgramSpec } from "../../../core/permission/read_only/program_spec.ts";
import flags from "./program_flags.json" with { type: "json" };
import { anyWord, arithmetic, pathWord, quoted, variableWord } from "./generate_word.ts";
import type { Random } from "./random.ts";

/** Options of programs as their own help names them, those that write among them. */
const REAL = new Map(Object.entries(flags).map(([name, text]) => [name, text.split(" ")]));

const PROGRAM_NAMES = Object.keys(PROGRAMS).filter((name) => !name.includes(" "));
const GIT_NAMES = [
  ...Object.keys(GIT_SPECS),
  ...Object.entries(GIT_NESTED).flatMap(([name, inner]) => Object.keys(inner).map((one) => `${name} ${one}`)),
];

/** Values for options, harmless or not as the option has it. */
const VALUES =
  ("1 2 10 foo made_new README.md src README.md link_out ../outside/secret.txt never always auto name size " +
    "touch\\ made_new sh *.ts %h %H%n%s %G? --output=made_new short iso 2.weeks , : = + -1 1K 0x10 utf-8 all none log diff")
    .split(" ");

const FIND =
  ("-name '*.ts'|-type f|-type d|-maxdepth 2|-mindepth 1|-size +1k|-mtime -1|-newer README.md|-print|-print0|" +
    "-printf '%p\\n'|-ls|-empty|-path './src/*'|-prune|-o|-a|!|\\(|\\)|-not|-regex '.*x.*'|-L|-H|-follow|-user root|" +
    "-delete|-exec cat {} \\;|-exec rm {} +|-exec grep foo {} +|-execdir ls {} \\;|-ok cat {} \\;|-fprint made_new|" +
    "-fls made_new|-fprintf made_new x|-samefile link_in|-quit|-perm -u+x|-executable|-files0-from list.txt|-xdev|-D tree|-O3")
    .split("|");
const SED =
  ("1,3p|s/foo/bar/|s/foo/bar/g|/foo/d|$!N|$p|5q|s/foo/bar/w made_new|w made_new|1e touch made_new|" +
    "s/.*/touch made_new/e|r link_out|R link_out|1,2w/dev/stdout|y/abc/xyz/|/a/,/b/p|s|foo|w made_new|;p|=|l|1!G;h;$!d|" +
    "a\\hello|i made|c\\x|:a;N;$!ba;s/\\n/ /g|s/a/b/pw made_new|b end;w made_new|}w made_new|{p;w made_new|W made_new|F|z|" +
    "s/x/y/I;e|/foo/{s//bar/;p}|2~1p|0,/foo/p|#n|# w made_new")
    .split("|").concat(["s/x/y/\nw made_new", "a\\\ntext\nw made_new", "$!{$!N}", "s/[/]w made_new/x/"]);
const AWK =
  ('{print $1}|NR>1|/foo/{print}|END{print NR}|BEGIN{system("touch made_new")}|{print > "made_new"}|' +
    '{print | "sh"}|{print >> "made_new"}|BEGIN{"touch made_new" \\| getline}|{getline < "link_out"}|{x[$1]++}END{for(k in x)print k,x[k]}|' +
    '{printf "%s\\n", $2 > "/dev/stderr"}|length>2|$1~/a|b/|{print $1 > $2}|BEGIN{while((getline l<"/etc/shadow")>0)print l}|' +
    '{gsub(/foo/,"bar");print}|BEGIN{ARGV[1]="link_out"}|{print substr($0,1,3)}|@include "x"|function f(x){return x}{print f($1)}|{print a>b}|' +
    '{print(1>2)}|BEGIN{printf "x" | "cat"}|{close("x")}|{print ENVIRON["HOME"]}|NF{$1=$1}1|!seen[$0]++|{FILENAME=1}|BEGIN{RS=""}{print}')
    .split("|").map((text) => text.replaceAll("\\|", "|"));
const TAR =
  ("-tf pack.tar|-tzf pack.tgz|tf pack.tar|-tvf pack.tar|-xf pack.tar|-tf pack.tar -C src|--list --file=pack.tar|" +
    "-xOf pack.tar|-tf pack.tgz --to-command=sh|-tf pack.tar --checkpoint=1 --checkpoint-action=exec=sh|-cf made_new src|-tf pack.tar -I sh|" +
    "--use-compress-program=sh -tf pack.tgz|-tf pack.tar --index-file=made_new|tvzf pack.tgz|-tf pack.tar -T list.txt|-t --rsh-command=sh -f h:p|-dvf pack.tar|-tf x:y")
    .split("|");
const HARMFUL =
  ("rm -rf src|rm README.md|touch made_new|mkdir made_dir|mv README.md made_new|cp link_out made_new|" +
    "tee made_new|dd of=made_new|truncate -s0 README.md|chmod +x README.md|ln -s / made_link|sh -c 'touch made_new'|" +
    "bash run.sh|./run.sh|run.sh|tools/ls|. ./run.sh|source run.sh|eval 'touch made_new'|eval ls|exec ls|exec >made_new|" +
    'python3 -c \'open("made_new","w")\'|perl -e \'unlink "README.md"\'|curl http://127.0.0.1:9/|nc -z 127.0.0.1 9|kill -9 1|' +
    "env A=1 ls|env -S 'touch made_new'|sudo ls|trap 'touch made_new' EXIT|trap 'touch made_new' DEBUG|alias ls='touch made_new'|" +
    "export PATH=tools|PATH=tools|hash -p tools/ls ls|enable -f x y|printf -v x 1|read x|mapfile -C 'touch made_new' -c 1 a|unset x|" +
    "cd ..|cd src|cd ~|cd -|cd link_out|cd dir_out|pushd src|popd|shopt -s expand_aliases|set -- -o made_new|set -f|umask 0|ulimit -f 1|" +
    "git commit -qam x|git checkout side|git branch made|git tag made|git stash|git gc|git config a.b c|git fetch|git diff --output=made_new|" +
    "git -c core.fsmonitor=./run.sh status|git -c core.pager='touch made_new' -p log|git grep -O'touch made_new' foo|git --exec-path=tools ls|" +
    "git -C .. status|git --git-dir=../outside status|git log --output made_new|sort -o made_new|sort --compress-program=./run.sh|" +
    "uniq README.md made_new|xxd -r README.md made_new|split README.md|csplit README.md 1|install README.md made_new|rg --pre ./run.sh foo|" +
    "fd -x touch made_new|tree -o made_new|file -C -m list.txt|date -s now|hostname made|less README.md|man ls|vi README.md|ssh localhost|busybox touch made_new")
    .split("|");

/** One simple command, reading more often than not. */
export function generateCommand(random: Random): string {
  return random.choose(
    [46, () => tableCommand(random)],
    [16, () => gitCommand(random)],
    [
      6,
      () =>
        `find ${words(random, 0, 2, () => pathWord(random))} ${words(random, 0, 4, () => random.pick(FIND))}`,
    ],
    [
      6,
      () =>
        scripted(random, "sed", SED, [
          "-n",
          "-E",
          "-r",
          "-s",
          "-z",
          "-i",
          "-u",
          "--posix",
          "-i.bak",
          "--debug",
          "-ne",
        ]),
    ],
    [
      5,
      () =>
        scripted(random, random.pick(["awk", "awk", "mawk", "gawk"]), AWK, [
          "-F,",
          "-F:",
          "-v",
          "-v x=1",
          "-f",
        ]),
    ],
    [2, () => `tar ${random.pick(TAR)} ${words(random, 0, 1, () => anyWord(random))}`],
    [3, () => xargs(random)],
    [4, () => testCommand(random)],
    [2, () => builtin(random)],
    [5, () => random.pick(HARMFUL)],
    [1, () => words(random, 1, 3, () => anyWord(random))],
  ).trim();
}

function words(random: Random, least: number, most: number, make: () => string): string {
  return random.some(least, most, make).join(" ");
}

function tableCommand(random: Random): string {
  const name = random.pick(PROGRAM_NAMES);
  const spec = PROGRAMS[name];
  if (spec === undefined) return name;
  const options = words(random, 0, 3, () => option(random, name, spec));
  return `${programName(random, name)} ${options} ${operands(random, spec)}`;
}

function programName(random: Random, name: string): string {
  return random.choose(
    [90, () => name],
    [3, () => `/usr/bin/${name}`],
    [2, () => `\\${name}`],
    [2, () => quoted(random, name)],
    [1, () => `./${name}`],
    [1, () => `tools/${name}`],
    [1, () => name.toUpperCase()],
  );
}

function operands(random: Random, spec: ProgramSpec): string {
  const free = () => anyWord(random);
  switch (spec.operands) {
    case "none":
      return random.chance(0.1) ? free() : "";
    case "paths":
      return words(random, 0, spec.max_operands ?? 3, () => pathWord(random));
    case "text-then-paths":
      return `${quoted(random, random.pick(["foo", "TODO", ".", "^x", ".name", "-e"]))} ${
        words(random, 0, 2, () => pathWord(random))
      }`;
    case "text":
      return words(random, 0, 2, free);
  }
}

/** An option that the table knows, or now and then one that only the program knows. */
function option(random: Random, name: string, spec: ProgramSpec): string {
  const value = () => random.chance(0.5) ? quoted(random, random.pick(VALUES)) : anyWord(random);
  const short = [...spec.flags ?? "", ...spec.glued ?? ""];
  const known: [number, () => string][] = [];
  if (short.length > 0) {
    known.push([5, () => `-${random.some(1, 3, () => random.pick(short)).join("")}`]);
    known.push([1, () => `-${random.pick(short)}${random.pick(VALUES)}`]);
  }
  const valued = [...spec.values ?? ""];
  if (valued.length > 0) {
    known.push([2, () => `-${random.pick(valued)} ${value()}`], [
      1,
      () => `-${random.pick(valued)}${value()}`,
    ]);
  }
  const { long = [], long_values = [], long_pairs = [] } = spec;
  if (long.length > 0) known.push([3, () => random.pick(long)], [1, () => `${random.pick(long)}=${value()}`]);
  if (long_values.length > 0) {
    known.push([1, () => `${random.pick(long_values)} ${value()}`]);
    known.push([2, () => `${random.pick(long_values)}=${value()}`]);
  }
  if (long_pairs.length > 0) known.push([1, () => `${random.pick(long_pairs)} ${value()} ${value()}`]);
  const real = REAL.get(name) ?? [];
  if (real.length > 0) {
    known.push([1, () => random.pick(real)]);
    known.push([1, () => `${random.pick(real)}${random.pick([" ", "=", ""])}${value()}`]);
    // GNU programs and git take any beginning that is not ambiguous
    known.push([0.5, () => random.pick(real).slice(0, 4 + random.below(12))]);
  }
  known.push([0.3, () => "--"], [0.2, () => `-${String.fromCharCode(65 + random.below(58))}`]);
  return random.choose(...known);
}

function gitCommand(random: Random): string {
  const name = random.pick(GIT_NAMES);
  const [first = "", second] = name.split(" ");
  const spec = second === undefined ? GIT_SPECS[name] : GIT_NESTED[first]?.[second] ?? GIT_SPECS[name];
  if (spec === undefined) return `git ${name}`;
  const before = random.chance(0.15)
    ? random.pick([
      "--no-pager",
      "-C src",
      "-C .",
      "-P",
      "-c core.quotepath=off",
      "-c diff.external=./run.sh",
      "-c color.ui=always",
      "--no-optional-locks",
      "-p",
      "--bare",
      "--literal-pathspecs",
      "-C ..",
    ])
    : "";
  const options = words(random, 0, 3, () => option(random, `git ${first}`, spec));
  const revision = random.chance(0.5)
    ? quoted(random, random.pick(["HEAD", "v1", "side", "HEAD~1", "v1..HEAD", "stash", "-"]))
    : "";
  const rest = random.chance(0.4) ? `${random.chance(0.6) ? "-- " : ""}${pathWord(random)}` : "";
  return `git ${before} ${name} ${options} ${spec.operands === "none" ? "" : revision} ${rest}`;
}

function scripted(
  random: Random,
  name: string,
  scripts: readonly string[],
  options: readonly string[],
): string {
  const script = random.pick(scripts);
  const other = random.chance(0.15) ? random.pick(REAL.get(name) ?? ["-x"]) : "";
  const written = random.chance(0.9) ? `'${script.replaceAll("'", "'\\''")}'` : quoted(random, script);
  const lead = random.choose([8, () => ""], [1, () => "-e "], [0.5, () => "-f "]);
  const further = random.chance(0.1) ? ` -e '${random.pick(scripts)}'` : "";
  return `${name} ${words(random, 0, 2, () => random.pick(options))} ${other} ${lead}${written}${further} ${
    words(random, 0, 2, () => pathWord(random))
  }`;
}

function xargs(random: Random): string {
  const inner = random.chance(0.6) ? tableCommand(random) : random.pick(HARMFUL);
  const options = words(
    random,
    0,
    2,
    () =>
      random.pick([
        "-n1",
        "-I{}",
        "-0",
        "-r",
        "-P2",
        "-L 1",
        "-t",
        "-d,",
        "-a list.txt",
        "-p",
        "--max-args=2",
        "-i",
        "-E x",
      ]),
  );
  const source = random.pick([
    "echo README.md",
    "cat list.txt",
    "ls",
    "find . -name '*.md' -print0",
    "printf 'src\\n'",
    "git ls-files",
  ]);
  return random.chance(0.8)
    ? `${source} | xargs ${options} ${inner}`
    : `xargs ${options} ${inner} < list.txt`;
}

function testCommand(random: Random): string {
  const one = () => random.chance(0.7) ? pathWord(random) : variableWord(random);
  const unary = random.pick("-f -d -e -r -x -s -L -n -z -v -t -o".split(" "));
  const binary = random.pick("= == != -eq -lt -nt -ef =~ < -ge".split(" "));
  return random.choose(
    [3, () => `[ ${unary} ${one()} ]`],
    [2, () => `[[ ${unary} ${one()} ]]`],
    [2, () => `[[ ${one()} ${binary} ${one()} ]]`],
    [1, () => `[ ${one()} ${binary === "<" ? "=" : binary} ${one()} ]`],
    [1, () => `test ${unary} ${one()}`],
    [1, () => `(( ${arithmetic(random)} ))`],
    [1, () => `[[ -v ${random.pick(["x", "a[0]", "a[$(touch made_new)]", "'a[$(touch made_new)]'"])} ]]`],
    [1, () => `[[ ${random.pick(["x", "'a[$(touch made_new)]'", "1"])} -eq 1 ]]`],
  );
}

function builtin(random: Random): string {
  return random.pick([
    `let ${quoted(random, arithmetic(random))}`,
    `declare -i x=${arithmetic(random).replaceAll(" ", "")}`,
    "declare -n x=PATH",
    "local x=1",
    "declare -p",
    "declare -f",
    "jobs",
    "history",
    "fc -l",
    "times",
    "dirs",
    "compgen -c",
    "compgen -C 'touch made_new'",
    "compgen -W '$(touch made_new)'",
    "help cd",
    "bind -p",
    "caller",
    "hash",
    "type ls",
    "command -v ls",
    "command ls",
    "builtin echo x",
    "printf '%s\\n' foo",
    "printf '%d' 'a[$(touch made_new)]'",
    "printf %n x",
    "echo $-",
    "readonly x=1",
    "getopts a x",
    "wait",
    "ulimit -a",
    "umask",
    "true",
    ":",
  ]);
}
