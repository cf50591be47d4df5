import { isJsonObject } from "../../../types/mod.ts";
import type { Json } from "../../../types/mod.ts";

/** An error or a warning of a language server. Line and column count from 1. */
export interface Problem {
  severity: "error" | "warning";
  line: number;
  column: number;
  message: string;
  /** `source code`, such as `ts 2304`; may be empty. */
  code: string;
}

const MOST_PROBLEMS = 20;
const MOST_MESSAGE = 400;
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu;

/** The errors and warnings among a server's diagnostics, in the order of their lines; what is malformed is left out. */
export function readProblems(diagnostics: Json | undefined): Problem[] {
  if (!Array.isArray(diagnostics)) return [];
  return diagnostics.flatMap((given): Problem[] => {
    if (!isJsonObject(given) || typeof given["message"] !== "string") return [];
    const { severity = 1, range, source, code } = given;
    if (severity !== 1 && severity !== 2) return [];
    const start = range !== undefined && isJsonObject(range) ? range["start"] : undefined;
    const place = start !== undefined && isJsonObject(start) ? start : {};
    const named = [source, code].filter((part) => typeof part === "string" || typeof part === "number");
    return [{
      severity: severity === 1 ? "error" : "warning",
      line: whole(place["line"]) + 1,
      column: whole(place["character"]) + 1,
      message: given["message"].replace(HIDDEN, " ").trim().slice(0, MOST_MESSAGE),
      code: named.join(" ").replace(HIDDEN, " ").slice(0, 60),
    }];
  }).sort((a, b) => a.line - b.line || a.column - b.column);
}

/** What is in `after` and was not in `before`, wherever it stands: lines move with an edit. */
export function newProblems(before: readonly Problem[], after: readonly Problem[]): Problem[] {
  const key = ({ severity, message, code }: Problem) => `${severity} ${code} ${message}`;
  const old = new Map<string, number>();
  for (const problem of before) old.set(key(problem), (old.get(key(problem)) ?? 0) + 1);
  return after.filter((problem) => {
    const left = old.get(key(problem)) ?? 0;
    if (left === 0) return true;
    old.set(key(problem), left - 1);
    return false;
  });
}

/** What the model reads below the result of an edit. */
export function problemsText(path: string, problems: readonly Problem[]): string {
  const sorted = problems.toSorted((a, b) => Number(b.severity === "error") - Number(a.severity === "error"));
  const lines = sorted.slice(0, MOST_PROBLEMS).map(({ severity, line, column, message, code }) =>
    `${line}:${column} ${severity}: ${message}${code === "" ? "" : ` [${code}]`}`
  );
  if (sorted.length > MOST_PROBLEMS) lines.push(`and ${sorted.length - MOST_PROBLEMS} more`);
  return `\n\n<diagnostics file=${JSON.stringify(path)}>\nNew since this edit:\n${
    lines.join("\n")
  }\n</diagnostics>`;
}

function whole(value: Json | undefined): number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : 0;
}
