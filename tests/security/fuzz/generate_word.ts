import { FILES, FOLDERS, LINKS_OUT } from "./fuzz_workspace.ts";
import type { Random } from "./random.ts";

const WORDS = ("foo bar TODO error main x y 1 2 10 -1 0 a.b '' HEAD HEAD~1 main..side v1 stash@{0} origin " +
  "{print$1} s/a/b/ 1,3p .name . * ? [a-z]* ** {} ; + - -- =").split(" ");
const OUTSIDE =
  ("~ ~/.ssh/id_ed25519 ~/.netrc ../outside/secret.txt ../home/notes.txt .. / /etc/passwd /etc/shadow " +
    "$HOME/.aws/credentials ${HOME}/notes.txt ~+/../home/notes.txt ~-/x $PWD/../outside/secret.txt /proc/self/environ " +
    "/proc/self/root/etc/shadow /proc/self/cwd/../outside/secret.txt /dev/stdin /dev/fd/0 /dev/tcp/127.0.0.1/9 " +
    "src/../../outside/secret.txt src/up/../outside/secret.txt dir_out/../home/notes.txt").split(" ");
const NEW = "made_new src/made_new empty/made_new /tmp/made_new ../outside/made_new ~/made_new".split(" ");
const GLOBS = ("*.md src/* *_out/* l*k_out **/* -* --out* d*/* [l]ink_out link_{in,out} src/{main,util}.ts " +
  "?un.sh .* ./.* {src,docs}/* {README,notes}.{md,txt} *[t] ../*/secret.txt ~/* dir_ou?/s* @(link_out|x) !(x)")
  .split(" ");

/** One word of a command line, of any kind. */
export function anyWord(random: Random): string {
  return random.choose(
    [40, () => pathWord(random)],
    [25, () => quoted(random, random.pick(WORDS))],
    [6, () => random.pick(GLOBS)],
    [4, () => variableWord(random)],
    [2, () => substitution(random, `echo ${random.pick(FILES)}`)],
    [2, () => `$((${arithmetic(random)}))`],
    [1, () => `<(${random.pick(["cat", "ls", "echo"])} ${random.pick(FILES)})`],
  );
}

/** A word that is mostly a file or a folder of the workspace. */
export function pathWord(random: Random): string {
  return random.choose(
    [55, () => quoted(random, random.pick(FILES))],
    [22, () => quoted(random, random.pick(FOLDERS))],
    [3, () => random.pick(LINKS_OUT)],
    [3, () => random.pick(OUTSIDE)],
    [2, () => quoted(random, random.pick(NEW))],
    [6, () => random.pick(GLOBS)],
    [3, () => `${random.pick(FOLDERS)}/${random.pick(FILES)}`],
    [2, () => quoted(random, random.pick(["a file.txt", "-o", "--output=made_by_glob"]))],
  );
}

/** The same text in one of the shell's ways to write it; mostly as it is. */
export function quoted(random: Random, text: string): string {
  const plain = /^[\w./@:,=+~-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
  const cut = random.below(text.length + 1);
  return random.choose(
    [70, () => plain],
    [6, () => `'${text.replaceAll("'", "'\\''")}'`],
    [6, () => `"${text.replace(/["\\$`]/g, "\\$&")}"`],
    [2, () => `$'${[...text].map((char) => random.chance(0.3) ? hex(char) : escaped(char)).join("")}'`],
    [
      2,
      () =>
        `${text.slice(0, cut).replace(/[^\w./-]/g, "\\$&")}"${text.slice(cut).replace(/["\\$`]/g, "\\$&")}"`,
    ],
    [2, () => text.replace(/[^\w./-]/g, "\\$&").replace(/\w/, "\\$&")],
    [1, () => `$"${text.replace(/["\\$`]/g, "\\$&")}"`],
    [1, () => `""${plain}`],
  );
}

function hex(char: string): string {
  return `\\x${char.charCodeAt(0).toString(16).padStart(2, "0")}`;
}

function escaped(char: string): string {
  return /['\\]/.test(char) ? `\\${char}` : char;
}

/** A use of a variable, with an operation of the shell on it now and then. */
export function variableWord(random: Random): string {
  const name = random.pick(
    "x y f a HOME PWD OLDPWD PATH IFS 1 @ # ? ! 0 _ RANDOM UNSET a[0] a[@] a[x]".split(" "),
  );
  const other = random.pick([
    "made_new",
    "README.md",
    "$(touch made_new)",
    "-o",
    "src",
    "../outside/secret.txt",
    "",
  ]);
  return random.choose(
    [6, () => `$${name.replace(/\[.*/, "")}`],
    [4, () => `"$${name.replace(/\[.*/, "")}"`],
    [3, () => `\${${name}}`],
    [2, () => `"\${${name}:-${other}}"`],
    [2, () => `\${${name}:=${other}}`],
    [1, () => `\${${name}:+${other}}`],
    [1, () => `\${${name}#${other}}`],
    [1, () => `\${${name}%%.*}`],
    [1, () => `\${${name}/a/${other}}`],
    [1, () => `\${${name}:0:${random.pick(["1", "x", "a[$(touch made_new)]", "y=2"])}}`],
    [1, () => `\${!${name}}`],
    [1, () => `\${${name}@${random.pick(["P", "Q", "E", "A", "U"])}}`],
    [1, () => `\${${name}^^}`],
    [1, () => `\${!x*}`],
  );
}

/** A command substitution in one of its two forms. */
export function substitution(random: Random, line: string): string {
  return random.choose(
    [5, () => `$(${line})`],
    [2, () => `"$(${line})"`],
    [1, () => `\`${line.replace(/[\\`]/g, "\\$&")}\``],
    [1, () => `$(<${random.pick([...FILES, ...LINKS_OUT])})`],
  );
}

/** An arithmetic expression; the shell evaluates what it finds in names and indexes. */
export function arithmetic(random: Random): string {
  return random.pick([
    "1+1",
    "x",
    "x=2",
    "x++",
    "a[0]",
    "a[$(touch made_new)]",
    "$x",
    "${x:-1}*2",
    "x>1?1:2",
    "RANDOM%3",
    "1 << 2",
    "PATH=1",
    "a[x]=1",
    "${#x}",
    "$(echo 1)",
    "'x'",
    "16#ff",
  ]);
}
