import { foldCase } from "../../files/mod.ts";
import { entryPath } from "./entry_path.ts";
import { quoted } from "../quoted.ts";
import { PackProblem } from "./pack_problem.ts";

/** What an entry of an archive or folder is. Only files and folders are taken. */
export type EntryKind = "file" | "folder" | "link" | "hard_link" | "special";

/** One entry as its container describes it. */
export interface PackEntry {
  /** As it is written there. */
  path: string;
  kind: EntryKind;
  /** Bytes, unpacked. */
  size: number;
  /** Bytes in the container, where each entry is packed alone. */
  packed?: number;
}

/** Takes the bytes of one file. */
export interface EntrySink {
  write(bytes: Uint8Array): void;
  end(): void;
}

/** Is shown every entry in turn; gives where its bytes go, or undefined when nobody wants them. Throws to stop. */
export type EntryVisitor = (entry: PackEntry) => EntrySink | undefined;

/** What a pack may hold at most. */
export const PACK_LIMITS = {
  entries: 5_000,
  /** Bytes of one file, of all files, and of the archive they come in. */
  file_bytes: 64 * 1024 * 1024,
  total_bytes: 256 * 1024 * 1024,
  archive_bytes: 128 * 1024 * 1024,
  /** Unpacked bytes for one packed byte, beyond the first `ratio_from` bytes. Text seldom passes 20. */
  ratio: 200,
  ratio_from: 8 * 1024 * 1024,
};

const KIND_WORDS = { link: "a link", hard_link: "a hard link", special: "no regular file" } as const;

/**
 * Judges the entries of a pack one after the other, without a look at the disk, and stops at the first that no pack may
 * have: a path that leads elsewhere, a link, two names that some file system takes as one, a file below a file, too many, too
 * large, or packed so small that it must be a bomb.
 */
export class EntryList {
  /** Size by path. */
  readonly files = new Map<string, number>();
  #count = 0;
  #total = 0;
  /** The spelling and kind of each path by its folded form. */
  readonly #seen = new Map<string, { path: string; kind: "file" | "folder" }>();

  /** The entry's clean path; empty for the pack's own folder. Throws `PackProblem`. */
  add(entry: PackEntry): string {
    if (++this.#count > PACK_LIMITS.entries) {
      throw new PackProblem(`it has more than ${PACK_LIMITS.entries} entries`);
    }
    const checked = entryPath(entry.path);
    if ("problem" in checked) throw new PackProblem(checked.problem);
    const { path } = checked;
    if (entry.kind !== "file" && entry.kind !== "folder") {
      throw new PackProblem(
        `its entry ${quoted(path)} is ${KIND_WORDS[entry.kind]}: a pack has files and folders only`,
      );
    }
    if (path === "") {
      if (entry.kind === "folder") return path;
      throw new PackProblem(`its entry ${quoted(entry.path)} is a file without a name`);
    }
    const names = path.split("/");
    for (let depth = 1; depth < names.length; depth++) this.#place(names.slice(0, depth).join("/"), "folder");
    this.#place(path, entry.kind);
    if (entry.kind === "file") this.#size(path, entry);
    return path;
  }

  #place(path: string, kind: "file" | "folder"): void {
    const key = foldCase(path);
    const before = this.#seen.get(key);
    if (before === undefined) return void this.#seen.set(key, { path, kind });
    if (before.path !== path) {
      throw new PackProblem(
        `its entries ${quoted(before.path)} and ${
          quoted(path)
        } are one name where case or Unicode form does not count`,
      );
    }
    if (before.kind !== kind) throw new PackProblem(`its entry ${quoted(path)} is a file and a folder`);
    if (kind === "file") throw new PackProblem(`its entry ${quoted(path)} is there twice`);
  }

  #size(path: string, { size, packed }: PackEntry): void {
    const { file_bytes, total_bytes, ratio, ratio_from } = PACK_LIMITS;
    if (!Number.isSafeInteger(size) || size < 0) {
      throw new PackProblem(`its entry ${quoted(path)} has no size`);
    }
    if (size > file_bytes) {
      throw new PackProblem(`its file ${quoted(path)} has ${mib(size)}: more than ${mib(file_bytes)}`);
    }
    this.#total += size;
    if (this.#total > total_bytes) throw new PackProblem(`it unpacks to more than ${mib(total_bytes)}`);
    if (packed !== undefined && size > ratio_from && size > ratio * packed) throw bomb();
    this.files.set(path, size);
  }
}

/** What unpacks to so much more than it is that nothing else was meant. */
export function bomb(): PackProblem {
  return new PackProblem(`it unpacks to more than ${PACK_LIMITS.ratio} times its size: it looks like a bomb`);
}

/** Bytes as MiB for a message. */
export function mib(bytes: number): string {
  return `${Math.ceil(bytes / (1024 * 1024))} MiB`;
}
