import type { JsonObject } from "../../core/plugin_api/mod.ts";
import type { WalkCounts } from "../../core/files/mod.ts";
import type { ShownLine } from "./clip_line.ts";
import type { GrepInput } from "./grep_input.ts";
import type { LineSink } from "./line_printer.ts";
import type { FileVerdict } from "./scan_file.ts";

/** Files that were looked at and gave no lines, by reason. */
export type SkippedFiles = Record<Exclude<FileVerdict, "searched" | "matched">, number>;

/** Gathers the answer of one Grep: the lines that fit, and what must be said about the rest. */
export class GrepReport {
  readonly #input: GrepInput;
  readonly #maxChars: number;
  readonly #lines: string[] = [];
  #chars = 0;
  /** Lines or files passed over because of `offset`. */
  #passed = 0;
  #clipped: { path: string; line: number } | undefined;
  #end: "open" | "limit" | "chars" = "open";
  #stopped: string | undefined;
  #group = false;
  files_searched = 0;
  files_matched = 0;
  matches = 0;
  readonly skipped: SkippedFiles = { binary: 0, unreadable: 0, moved: 0, too_large: 0 };

  constructor(input: GrepInput, maxChars: number) {
    this.#input = input;
    this.#maxChars = maxChars;
  }

  /** True when no further line can be taken. */
  get full(): boolean {
    return this.#end !== "open";
  }

  /** The search ended early: "20 s", "8 bytes read". */
  stop(after: string): void {
    this.#stopped = after;
  }

  /** A sink for the lines of one file; `shown` is its path as results name it. */
  sink(shown: string): LineSink {
    const separate = this.#input.before + this.#input.after > 0 && this.#group;
    let first = true;
    const put = (line: number, mark: ":" | "-", { text, clipped }: ShownLine) => {
      if (first && separate && !this.#add("--")) return false;
      first = false;
      if (!this.#add(`${shown}${mark}${line}${mark}${text}`)) return false;
      if (clipped && mark === ":") this.#clipped ??= { path: shown, line };
      this.#group = true;
      return true;
    };
    const content = this.#input.mode === "content";
    return {
      match: (line, text) => {
        if (content && !put(line, ":", text)) return false;
        this.matches++;
        return true;
      },
      context: (line, text) => !content || put(line, "-", text),
      gap: () => !content || this.#add("--"),
    };
  }

  /** A file of `files_with_matches` or `count`. */
  file(shown: string, matches: number): void {
    this.#add(this.#input.mode === "count" ? `${shown}:${matches}` : shown);
  }

  #add(line: string): boolean {
    if (this.full) return false;
    if (this.#passed < this.#input.offset) {
      this.#passed++;
      return true;
    }
    if (this.#lines.length >= this.#input.head_limit) {
      this.#end = "limit";
      return false;
    }
    if (this.#chars + line.length + 1 > this.#maxChars) {
      this.#end = "chars";
      return false;
    }
    this.#lines.push(line);
    this.#chars += line.length + 1;
    return true;
  }

  /** The answer as the model reads it. `where` is the searched place as the caller named it. */
  content(where: string, counts: WalkCounts): string {
    const notes: string[] = [];
    const unit = this.#input.mode === "content" ? "lines" : "files";
    if (this.#lines.length === 0) notes.push(this.#nothing(where, counts, unit));
    const next = this.#input.offset + this.#lines.length;
    if (this.#end === "limit") {
      notes.push(
        `[There is more: showing ${this.#lines.length} ${unit} (head_limit); continue with offset ${next}]`,
      );
    } else if (this.#end === "chars") {
      const limit = `${this.#maxChars} characters`;
      notes.push(`[There is more: the answer is limited to ${limit}; continue with offset ${next}]`);
    }
    if (this.#clipped !== undefined) {
      const { path, line } = this.#clipped;
      notes.push(
        `[Long lines are shown around their match, with the bytes left out in brackets. For the rest: ` +
          `Read the file with offset and limit 1, e.g. ${path} offset ${line}; what stands after its first 2000 ` +
          "characters is shown by cut -c in Bash]",
      );
    }
    if (this.#stopped !== undefined) {
      notes.push(`[Incomplete: the search stopped after ${this.#stopped}; narrow path, glob or type]`);
    }
    if (this.#lines.length > 0) {
      const open = describeSkipped(this.skipped, counts, false);
      if (open !== "") notes.push(`[Not searched: ${open}]`);
    }
    return [...this.#lines, ...notes].join("\n");
  }

  #nothing(where: string, counts: WalkCounts, unit: string): string {
    const searched = `${this.files_searched} ${this.files_searched === 1 ? "file" : "files"} searched`;
    if (this.#passed > 0) {
      return `No ${unit} beyond offset ${this.#input.offset}: there are ${this.#passed} in all`;
    }
    const parts = [searched];
    if (counts.ignored > 0) parts.push(`${counts.ignored} entries left out by .gitignore`);
    const skipped = describeSkipped(this.skipped, counts, true);
    if (skipped !== "") parts.push(`not searched: ${skipped}`);
    const hints: string[] = [];
    if (counts.links > 0) hints.push("set follow to search through links");
    if (counts.ignored > 0) hints.push("name an ignored directory in path to search it");
    if (!this.#input.case_insensitive && /[A-Za-z]/.test(this.#input.pattern)) {
      hints.push("set case_insensitive to match either case");
    }
    if (this.files_searched === 0 && (this.#input.glob ?? this.#input.type) !== undefined) {
      hints.unshift("no file fits glob and type");
    }
    const hint = hints.length === 0 ? "" : `. Hints: ${hints.join("; ")}`;
    return `No matches for ${JSON.stringify(this.#input.pattern)} in ${where}: ${parts.join("; ")}${hint}`;
  }

  /** The same as data. */
  data(counts: WalkCounts): JsonObject {
    return {
      mode: this.#input.mode,
      results: this.#lines.length,
      files_searched: this.files_searched,
      files_matched: this.files_matched,
      matches: this.matches,
      truncated: this.full || this.#stopped !== undefined,
      skipped: { ...this.skipped },
      walk: { ...counts },
    };
  }
}

/** Why entries were not searched, as a list for people; links only where `all`. */
export function describeSkipped(skipped: SkippedFiles, counts: WalkCounts, all: boolean): string {
  const parts: string[] = [];
  const say = (amount: number, words: string) => {
    if (amount > 0) parts.push(`${amount} ${words}`);
  };
  say(counts.links, "links (not followed)");
  say(counts.links_outside, "links that lead outside the readable directories");
  if (all) say(counts.links_broken, "links that lead nowhere or in a circle");
  if (all) say(counts.links_repeated, "links to places already searched");
  say(counts.denied, "entries closed by deny rules");
  say(counts.unreadable + skipped.unreadable, "unreadable entries");
  say(skipped.moved, "files that changed while they were opened");
  say(skipped.too_large, "files too large for multiline");
  if (all) say(skipped.binary, "binary files");
  if (all) say(counts.special, "pipes, sockets or devices");
  return parts.join(", ");
}
