import type { TrustItem, TrustReport } from "./trust_port.ts";

/** What a project brings, for a person who decides about it: all of it, since the answer holds for all of it. */
export function trustText({ project, items, problems }: TrustReport): string {
  const lines = [`${project} brings:`];
  for (const item of items) {
    lines.push(`  ${item.kind} ${item.name}${stateWords(item)}`, ...item.lines.map((line) => `    ${line}`));
  }
  if (items.length === 0) lines.push("  nothing that has to be trusted");
  lines.push(...problems.map((problem) => `  never loaded: ${problem}`));
  return `${lines.join("\n")}\n`;
}

function stateWords({ state }: TrustItem): string {
  if (state === "trusted") return " (trusted)";
  return state === "changed" ? " (CHANGED since it was trusted)" : "";
}

/** True for a line that says yes. */
export function saysYes(line: string | undefined): boolean {
  return /^y(es)?$/i.test(line?.trim() ?? "");
}
