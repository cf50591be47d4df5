import type { ExitMeaning } from "./exit_meaning.ts";
import type { RenderedOutput } from "./render_output.ts";

/** How a command ended, for the first line of a result. */
export interface Ending {
  code: number;
  meaning: ExitMeaning;
  /** Why we ended it, e.g. `Timed out after 120 s`; undefined when it ended by itself. */
  ended_by?: string | undefined;
}

/** The first line of a result; empty when the command simply succeeded. */
export function endingLine({ code, meaning, ended_by }: Ending): string {
  if (ended_by !== undefined) return `${ended_by}; the command and all it started were ended`;
  if (code === 0) return "";
  return `Exit code ${code}${meaning.words ? ` (${meaning.words})` : ""}`;
}

/** A whole result: first line, output, notes in brackets. */
export function resultText(first: string, output: string, notes: readonly string[]): string {
  const body = output === "" && first === "" ? "(no output)" : output.replace(/\n$/, "");
  return [first, body, ...notes.map((note) => `[${note}]`)].filter((part) => part !== "").join("\n");
}

/** Notes on what the text does not show of an output of `bytes` bytes that stands in `path`. */
export function outputNotes(rendered: RenderedOutput, bytes: number, path: string | undefined): string[] {
  const notes: string[] = [];
  const encodings = rendered.encodings.map((name) => name === "escaped" ? "bytes shown as \\xNN" : name);
  const raw = path === undefined ? "" : `; raw bytes: ${path}`;
  if (encodings.length > 0) notes.push(`not UTF-8: ${encodings.join(", ")}${raw}`);
  if (rendered.cut) {
    const place = path ?? "not kept, because this run is locked and writes no file";
    notes.push(`the whole output, ${bytes} bytes: ${place}`);
  }
  return notes;
}

/** `750 ms`, `3.2 s` or `4 min 10 s`. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${Number((ms / 1_000).toFixed(1))} s`;
  const seconds = Math.round(ms / 1_000);
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
