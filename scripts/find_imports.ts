import { maskSource } from "./mask_source.ts";

/** One import of a file, wherever it stands and of whatever form. */
export interface FoundImport {
  specifier: string;
  /** From 1. */
  line: number;
}

const FORMS = [
  /\b(?:import|export)\b(?:\s+type\b)?\s*(?:[\w$*\s{},]|\bas\b)*?\bfrom\s*(["'])/g, // import x from "…", export … from "…"
  /\bimport\s*(["'])/g, // import "…"
  /\bimport\s*\(\s*(["'`])/g, // import("…"), and import("…") in a type
];

/** The imports of a source text: static, for their effect, re-exports, dynamic and in types. Worker URLs are no imports. */
export function findImports(source: string, masked = maskSource(source)): FoundImport[] {
  const found = new Map<number, FoundImport>();
  for (const form of FORMS) {
    for (const match of masked.matchAll(form)) {
      const start = match.index + match[0].length;
      const end = source.indexOf(match[1] ?? '"', start);
      found.set(start, { specifier: source.slice(start, end), line: lineAt(source, start) });
    }
  }
  return [...found].sort(([a], [b]) => a - b).map(([, item]) => item);
}

/** The line, from 1, of a position. */
export function lineAt(source: string, position: number): number {
  return source.slice(0, position).split("\n").length;
}
