import { join } from "node:path";
import { newestSource } from "../support/newest_source.ts";
import { REPO_ROOT } from "../support/repo_root.ts";

/** A comparison inside one run; `ok` says whether the promise holds. */
export interface Ratio {
  name: string;
  value: number;
  limit: number;
  ok: boolean;
}

/** What one benchmark gives: figures to print, ratios to assert. */
export interface BenchResult {
  name: string;
  figures: Record<string, number>;
  ratios: Ratio[];
}

/** A ratio that must not be above its limit. */
export function atMost(name: string, value: number, limit: number): Ratio {
  return { name, value, limit, ok: value <= limit };
}

/** The value below which the share `q` of all values lies (nearest rank). */
export function percentile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * q) - 1)] ?? NaN;
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** One digit after the point is all that a clock on a shared machine gives. */
export function round(value: number, digits = 1): number {
  return Number(value.toFixed(digits));
}

/** Calls `body` `count` times in turn and gives what each call took or returned. */
export async function repeat(count: number, body: (index: number) => Promise<number>): Promise<number[]> {
  const values: number[] = [];
  for (let index = 0; index < count; index++) values.push(await body(index));
  return values;
}

/** The program under test: `dist/lumina` when it is there and newer than what it is made of, else the sources in this Deno. */
export interface Subject {
  kind: "artefact" | "source";
  artifact?: string;
  /** Why `dist/lumina` is there and not measured. */
  stale?: string;
}

let subject: Promise<Subject> | undefined;

/** The same for the whole run, whatever changes meanwhile. */
export function findSubject(): Promise<Subject> {
  return subject ??= lookForSubject();
}

async function lookForSubject(): Promise<Subject> {
  const artifact = join(REPO_ROOT, "dist", Deno.build.os === "windows" ? "lumina.exe" : "lumina");
  try {
    const made = (await Deno.stat(artifact)).mtime?.getTime() ?? 0;
    const { path, modified } = await newestSource();
    if (made > modified) return { kind: "artefact", artifact };
    const stale =
      `${artifact} is older than ${path}: measuring the source; \`deno task compile\` makes a new one`;
    return { kind: "source", stale };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return { kind: "source" };
    throw error;
  }
}

/** The flags that point a run at a scripted provider. */
export function modelFlags(url: string, wire: "anthropic" | "openai_compatible"): string[] {
  const base = wire === "anthropic" ? url : `${url}/v1`;
  return ["--base-url", base, "--api-type", wire, "--api-key", "bench", "--model", "bench-model"];
}
