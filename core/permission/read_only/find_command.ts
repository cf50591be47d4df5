import { literal } from "../shell/word.ts";
import type { Word } from "../shell/word.ts";
import { expandArguments } from "./arguments.ts";
import { fixed, no } from "./read_only.ts";
import type { ClassifyContext, ReadOnly, ReadPath } from "./read_only.ts";

const PLAIN = new Set(
  ("( ) ! , -a -and -o -or -not -print -print0 -ls -prune -quit -true -false -depth -d -empty -daystart -mount -xdev " +
    "-noleaf -nowarn -warn -readable -writable -executable -nouser -nogroup -ignore_readdir_race").split(" "),
);
const WITH_VALUE = new Set(
  ("-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype -size -mtime -mmin -atime " +
    "-amin -ctime -cmin -used -perm -user -group -uid -gid -links -inum -maxdepth -mindepth -printf -fstype -lname " +
    "-ilname -newermt -newerct -newerat").split(" "),
);
const WITH_FILE = new Set(["-newer", "-anewer", "-cnewer", "-samefile"]);

/** Marks the word that `find` puts in for `{}`. */
const FOUND = "{} of find";

/** `find` reads when all its tests and actions are known to; `-exec` when the inner command does. */
export function classifyFind(words: readonly Word[], context: ClassifyContext): ReadOnly {
  const paths: ReadPath[] = [];
  let at = 1;
  while (/^-[HP]$/.test(literal(words[at]) ?? "") && literal(words[at]) === "-P") at += 1;
  const starts: string[] = [];
  for (; at < words.length; at++) {
    const word = words[at];
    const text = literal(word);
    if (text !== undefined && /^[-(!,]/.test(text)) break;
    const [argument] = word === undefined ? [] : expandArguments([word], context.cwds);
    if (argument === undefined || argument.texts.length === 0) return no("find: a start folder is not known");
    if (argument.texts.some((start) => start.startsWith("-"))) {
      return no("find: a start folder may be an option");
    }
    starts.push(...argument.texts);
    paths.push({ argument, recursive: false });
  }
  if (starts.length === 0) {
    starts.push(".");
    paths.push({ argument: fixed("."), recursive: false });
  }
  const expression = words.slice(at);
  let scan = false;
  for (let index = 0; index < expression.length; index++) {
    const text = literal(expression[index]);
    if (text === undefined) return no("find: a test is known only when the line runs");
    if (PLAIN.has(text)) continue;
    if (WITH_VALUE.has(text)) {
      index += 1;
      continue;
    }
    if (WITH_FILE.has(text)) {
      const file = expression[++index];
      const [argument] = file === undefined ? [] : expandArguments([file], context.cwds);
      if (argument === undefined) return no(`find: ${text} without a file`);
      paths.push({ argument, recursive: false });
      continue;
    }
    if (text !== "-exec" && text !== "-execdir") return no(`find: ${text} is not known to only read`);
    const end = expression.findIndex((word, i) =>
      i > index && (literal(word) === ";" || (literal(word) === "+" && literal(expression[i - 1]) === "{}"))
    );
    if (end === -1) return no(`find: ${text} without its end`);
    const inner = expression.slice(index + 1, end);
    const start = text === "-execdir" ? "." : starts[0] ?? ".";
    // what find puts in begins with its start folder, so it is no option; with `+` it is several words
    const several = literal(expression[end]) === "+";
    const name: Word = {
      raw: FOUND,
      parts: [{ kind: "text", text: start, quoted: true }, { kind: "hole", quoted: !several }],
    };
    if (literal(inner[0]) === undefined || literal(inner[0]) === "{}") {
      return no("find: -exec of a found file");
    }
    const filled = inner.map((word) => literal(word) === "{}" ? name : word);
    if (inner.some((word) => literal(word)?.includes("{}") === true && literal(word) !== "{}")) {
      return no("find: {} inside a word");
    }
    const verdict = context.classify(filled);
    if (verdict.reason !== undefined) return no(`find ${text}: ${verdict.reason}`);
    for (const path of verdict.paths) {
      if (path.argument.raw !== FOUND) paths.push(path);
      else paths.push(...starts.map((folder) => ({ argument: fixed(folder), recursive: true })));
    }
    // a test behind the action does not hold it back
    scan ||= !hasTypeFile(expression.slice(0, index));
    index = end;
  }
  return { paths, ...(scan ? { scan: starts } : {}) };
}

/** True when `-type f` holds for all that is found: it stands in front, joined by nothing but "and". */
export function hasTypeFile(expression: readonly Word[]): boolean {
  const texts = expression.map(literal);
  const type = texts.indexOf("-type");
  if (type === -1 || texts[type + 1] !== "f") return false;
  return !texts.some((text) => text === "-o" || text === "-or" || text === "," || text === "(") &&
    texts[type - 1] !== "!" && texts[type - 1] !== "-not";
}
