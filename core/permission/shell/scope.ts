import { normalize } from "node:path";

/** The values a variable can have; `null` when any text is possible. */
export type Values = readonly string[] | null;

/** What is known of the shell's state at one point of the line. Never changed in place. */
export interface Scope {
  /** Working folders that are possible here, as the shell writes them; `null` when it can be anywhere. */
  readonly cwds: readonly string[] | null;
  readonly vars: ReadonlyMap<string, Values>;
}

/** More working folders or values than these count as unknown. */
const MAX_CWDS = 4;
const MAX_VALUES = 256;

export function setVar(scope: Scope, name: string, values: Values): Scope {
  const vars = new Map(scope.vars);
  vars.set(name, values !== null && values.length > MAX_VALUES ? null : values);
  return { ...scope, vars };
}

/** The state after a place where one or the other may have happened. */
export function joinScopes(a: Scope, b: Scope): Scope {
  if (a === b) return a;
  const vars = new Map<string, Values>();
  for (const name of new Set([...a.vars.keys(), ...b.vars.keys()])) {
    const left = a.vars.get(name) ?? null;
    const right = b.vars.get(name) ?? null;
    const both = left === null || right === null ? null : [...new Set([...left, ...right])];
    vars.set(name, both !== null && both.length > MAX_VALUES ? null : both);
  }
  return { cwds: joinCwds(a.cwds, b.cwds), vars };
}

/** The working folders after `cd target`, which the shell finds by text (`cd -L`). */
export function changeDirectory(scope: Scope, target: string): string[] | null {
  if (target.startsWith("/")) return [normalize(target)];
  if (scope.cwds === null) return null;
  return scope.cwds.map((cwd) => normalize(`${cwd}/${target}`));
}

/** A scope whose variables that differ between the two are unknown: the state inside a loop. */
export function forgetChanges(before: Scope, after: Scope): Scope {
  const joined = joinScopes(before, after);
  const vars = new Map(joined.vars);
  for (const [name, values] of joined.vars) {
    const old = before.vars.get(name) ?? null;
    if (old === null || values === null || old.length !== values.length) vars.set(name, null);
  }
  return { ...joined, vars };
}

function joinCwds(a: readonly string[] | null, b: readonly string[] | null): readonly string[] | null {
  if (a === null || b === null) return null;
  const all = [...new Set([...a, ...b])];
  return all.length > MAX_CWDS ? null : all;
}
