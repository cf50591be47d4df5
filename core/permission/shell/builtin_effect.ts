import type { Command } from "./command.ts";
import { isDirectory } from "./is_directory.ts";
import { changeDirectory, joinScopes, setVar } from "./scope.ts";
import type { Scope } from "./scope.ts";
import { literal } from "./word.ts";

/** The state after a statement: when it succeeded, and whatever happened. */
export interface After {
  ok: Scope;
  any: Scope;
}

/** Builtins whose words name variables that they change. */
const SETS_VARIABLES = new Set(
  "read mapfile readarray getopts printf let wait unset declare typeset local export readonly".split(" "),
);

/** Words in front of a command that leave it to this shell. */
const IN_THIS_SHELL = /^(command|builtin|time)$/;

/** What `cd`, `read` and their like do to the state. */
export function builtinEffect(command: Command, scope: Scope, home: string): After {
  const name = literal(command.words[0]);
  if (name !== undefined && IN_THIS_SHELL.test(name) && command.words.length > 1) {
    // `command -p cd x`: whatever stands in front of it, the first word that is no option is the builtin
    const at = command.words.findIndex((word, index) => index > 0 && literal(word)?.startsWith("-") !== true);
    return at === -1
      ? { ok: scope, any: scope }
      : builtinEffect({ ...command, words: command.words.slice(at) }, scope, home);
  }
  const same = (s: Scope): After => ({ ok: s, any: s });
  if (name === "cd") {
    const operands = command.words.slice(1).filter((word) => literal(word) !== "--");
    const target = operands.length === 0 ? home : literal(operands[0]);
    const usable = operands.length <= 1 && target !== undefined && target !== "" &&
      !target.startsWith("-");
    if (!usable) return same({ ...scope, cwds: null });
    const cwds = changeDirectory(scope, target);
    const moved = { ...scope, cwds };
    const sure = cwds !== null && cwds.every((cwd) => isDirectory(cwd));
    return { ok: moved, any: sure ? moved : joinScopes(scope, moved) };
  }
  if (name === "pushd" || name === "popd") return same({ ...scope, cwds: null });
  if (SETS_VARIABLES.has(name ?? "")) {
    let next = scope;
    for (const word of command.words.slice(1)) {
      const variable = /^[A-Za-z_]\w*/.exec(literal(word) ?? "")?.[0];
      if (variable !== undefined && (name !== "printf" || literal(command.words[1]) === "-v")) {
        next = setVar(next, variable, null);
      }
    }
    return same(next);
  }
  // code that this shell runs itself can move it anywhere and set anything
  if (
    ["eval", "source", ".", "trap"].includes(name ?? "") || name === undefined && command.words.length > 0
  ) {
    return same({ cwds: null, vars: new Map([["HOME", null], ["PWD", null]]) });
  }
  return same(scope);
}
