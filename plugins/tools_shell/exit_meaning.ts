/** What an exit code other than 0 says. */
export interface ExitMeaning {
  /** Words for people, empty when the code says no more than "failed". */
  words: string;
  /** False when the code is an answer and no failure, such as 1 of grep. */
  failed: boolean;
}

/** Programs whose exit codes are answers; documented in each one's manual page. */
const ANSWERS: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  grep: { 1: "no match" },
  egrep: { 1: "no match" },
  fgrep: { 1: "no match" },
  zgrep: { 1: "no match" },
  rg: { 1: "no match" },
  ag: { 1: "no match" },
  "git grep": { 1: "no match" },
  pgrep: { 1: "no process matched" },
  find: { 1: "some directories could not be read" },
  diff: { 1: "files differ" },
  cmp: { 1: "files differ" },
  "git diff": { 1: "there are differences" },
  test: { 1: "the condition is false" },
  "[": { 1: "the condition is false" },
  "[[": { 1: "the condition is false" },
  expr: { 1: "the result is empty or 0" },
  which: { 1: "not found" },
  type: { 1: "not found" },
  "command -v": { 1: "not found" },
  rsync: { 24: "some source files vanished" },
};

const SIGNALS: Readonly<Record<number, string>> = {
  1: "SIGHUP",
  2: "SIGINT",
  3: "SIGQUIT",
  4: "SIGILL",
  5: "SIGTRAP",
  6: "SIGABRT",
  8: "SIGFPE",
  9: "SIGKILL",
  11: "SIGSEGV",
  13: "SIGPIPE",
  14: "SIGALRM",
  15: "SIGTERM",
};

/** Programs that stand in a pipeline with the ones above and do not fail by themselves. */
const FILTERS = new Set(
  "cat head tail sort uniq wc sed awk tr cut nl tac rev column fold tee less echo printf ls ps cd".split(" "),
);

/**
 * Reads the exit code of `command`, run by a shell with pipefail. A code counts as an answer only when every program
 * that can have given it is one that answers with it or a plain filter; anything unclear counts as a failure.
 */
export function exitMeaning(command: string, code: number): ExitMeaning {
  if (code === 0) return { words: "", failed: false };
  let words: string | undefined;
  const names = decidingPrograms(command);
  for (const name of names) {
    const answer = Object.hasOwn(ANSWERS, name) ? ANSWERS[name]![code] : undefined;
    if (answer === undefined && !FILTERS.has(name)) return { words: failureWords(code), failed: true };
    words = answer ?? words;
  }
  return words === undefined ? { words: failureWords(code), failed: true } : { words, failed: false };
}

function failureWords(code: number): string {
  if (code === 126) return "found but cannot be run";
  if (code === 127) return "command not found";
  const signal = SIGNALS[code - 128];
  return signal ? `killed by ${signal}` : "";
}

const TOKEN = /'[^']*'|"(?:\\.|[^"\\])*"|\\.|&&|\|\||\|&?|\d*[<>]+&?|[;&\n()]|[ \t\r]+|[^\s'"\\;&|()<>]+|./gs;
// Where one of these leads, the code may come from anywhere or be turned round.
const COMPOUND = /^(?:!|\{|\(|if|for|while|until|case|select|function|time|eval|exec|source|\.)$/;

/** Names of the programs whose exit code the whole text can have; empty when that cannot be told by a glance. */
function decidingPrograms(command: string): string[] {
  if (command.includes("<<")) return []; // what follows may be data
  const plain = command.trim().replace(/[<>]\([^()]*\)/g, "x"); // process substitutions are arguments
  let names: string[] = [];
  let words: string[] = [];
  let word = "";
  let dropped = false; // a list before this point whose code no longer counts
  const endWord = () => {
    if (word !== "") words.push(word);
    word = "";
  };
  for (const token of [...(plain.match(TOKEN) ?? []), ""]) {
    const operator = /^(?:&&|\|\||\|&?|[;&\n()]|)$/.test(token);
    if (!operator && !/^\s+$/.test(token) && !/^\d*[<>]+&?$/.test(token)) {
      word += token;
      continue;
    }
    endWord();
    if (!operator) continue;
    if (words.length > 0) {
      if (dropped) names = [];
      dropped = false;
      names.push(programName(words));
      words = [];
    }
    if (token === "(" || token === ")") return [];
    if (/^(?:\|\||[;&\n])$/.test(token)) dropped = true;
  }
  return names.some((name) => COMPOUND.test(name)) ? [] : names;
}

/** The program of a simple command without assignments, path and quotes; with its subcommand for `git` and `command`. */
function programName(words: readonly string[]): string {
  const rest = words.filter((word, at) =>
    !(/^\w+=/.test(word) && words.slice(0, at).every((w) => /^\w+=/.test(w)))
  );
  const first = (rest[0] ?? "").replace(/^.*\//, "").replace(/["'\\]/g, "");
  return first === "git" || first === "command" ? `${first} ${rest[1] ?? ""}` : first;
}
