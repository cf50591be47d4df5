/** Variables whose values only shape output; they may be set in front of an allowed command. */
const SAFE = new Set(
  ("LANG LANGUAGE LC_ALL LC_COLLATE LC_CTYPE LC_MESSAGES LC_MONETARY LC_NUMERIC LC_TIME TZ NO_COLOR FORCE_COLOR " +
    "CLICOLOR CLICOLOR_FORCE COLUMNS LINES TERM COLORTERM CI DEBIAN_FRONTEND RUST_BACKTRACE RUST_LOG NODE_ENV " +
    "GOOS GOARCH PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE DEBUG VERBOSE").split(" "),
);

/** True when `name=value` in front of a command changes neither which program runs nor what code it loads. */
export function isSafeAssignment(name: string, value: string | undefined): boolean {
  if (name === "GIT_PAGER") return value === "cat";
  if (name === "GIT_OPTIONAL_LOCKS") return value === "0";
  return SAFE.has(name) && (name !== "TERM" || /^[\w.-]*$/.test(value ?? "/"));
}

/** True for a variable of the line's own, which no program looks at: lower case and none that programs know. */
export function isHarmlessVariable(name: string): boolean {
  return SAFE.has(name) ||
    (/^(_|[a-z][a-z0-9_]*)$/.test(name) && !/_proxy$|^(path|cdpath|fpath|manpath|histchars)$/.test(name));
}
