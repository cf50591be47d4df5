const VARIABLE = /\{\{([a-z][a-z0-9_]*)\}\}/g;

/**
 * A copy of a JSON value in which each `{{name}}` inside a string is replaced by its value; names without a value stay as
 * they are. Values are not searched again.
 */
export function fillVariables<T>(value: T, vars: ReadonlyMap<string, string>): T {
  if (typeof value === "string") {
    return value.replaceAll(VARIABLE, (all, name: string) => vars.get(name) ?? all) as T;
  }
  if (Array.isArray(value)) return value.map((item) => fillVariables(item, vars)) as T;
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, fillVariables(item, vars)]),
    ) as T;
  }
  return value;
}

/** The names of all variables that a JSON value mentions. */
export function variablesIn(value: unknown): Set<string> {
  const names = new Set<string>();
  for (const found of JSON.stringify(value).matchAll(VARIABLE)) names.add(found[1] ?? "");
  return names;
}
