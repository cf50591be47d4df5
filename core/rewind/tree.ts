import { LuminaError } from "../base/mod.ts";

/** Why something is not captured: what it holds stays as it is, whatever is restored around it. */
export type OpaqueReason = "ignored" | "large" | "unreadable" | "special" | "own";

/** One name of a captured directory. `mode` is the permission bits with setuid, setgid and sticky. */
export type TreeEntry =
  | { readonly type: "file"; readonly mode: number; readonly hash: string }
  | { readonly type: "link"; readonly target: string }
  | { readonly type: "dir"; readonly mode: number; readonly hash: string }
  | { readonly type: "opaque"; readonly why: OpaqueReason }
  /** All names of the directory that are not UTF-8, packed together; stands under `RAW_NAMES`. */
  | { readonly type: "raw"; readonly hash: string };

/** The entries of one directory by name. */
export type Tree = ReadonlyMap<string, TreeEntry>;

/** The name of the `raw` entry: no file can have it. */
export const RAW_NAMES = "\0";

const LETTERS = { file: "f", link: "l", dir: "d", opaque: "o", raw: "r" } as const;

/** The bytes of a directory: the same entries give the same bytes. A snapshot is a tree whose only name is `.`. */
export function encodeTree(tree: Tree): Uint8Array<ArrayBuffer> {
  const names = [...tree.keys()].sort();
  return new TextEncoder().encode(JSON.stringify(names.map((name) => writeEntry(name, tree.get(name)!))));
}

/** An entry as plain values: name, letter of its type, mode, and what it refers to. */
export type EntryRow = [name: string, letter: string, mode: number, value: string];

export function writeEntry(name: string, entry: TreeEntry): EntryRow {
  const mode = entry.type === "file" || entry.type === "dir" ? entry.mode : 0;
  const value = entry.type === "link" ? entry.target : entry.type === "opaque" ? entry.why : entry.hash;
  return [name, LETTERS[entry.type], mode, value];
}

/** Reads what `encodeTree` made. Throws `rewind.damaged` for anything else. */
export function decodeTree(bytes: Uint8Array): Tree {
  const tree = new Map<string, TreeEntry>();
  try {
    for (const [name, letter, mode, value] of JSON.parse(new TextDecoder().decode(bytes))) {
      tree.set(name, readEntry(letter, mode, value));
    }
  } catch (error) {
    throw new LuminaError("rewind.damaged", "A stored folder of a snapshot cannot be read", { cause: error });
  }
  return tree;
}

/** The entry that `writeEntry` wrote. */
export function readEntry(letter: string, mode: number, value: string): TreeEntry {
  switch (letter) {
    case "f":
      return { type: "file", mode, hash: value };
    case "d":
      return { type: "dir", mode, hash: value };
    case "l":
      return { type: "link", target: value };
    case "r":
      return { type: "raw", hash: value };
    case "o":
      return { type: "opaque", why: value as OpaqueReason };
    default:
      throw new Error(`unknown entry ${letter}`);
  }
}

/** True when both say the same of a path; what lies below a directory is not compared. */
export function sameEntry(one: TreeEntry | undefined, other: TreeEntry | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  if (one.type === "dir") return other.type === "dir" && one.mode === other.mode;
  if (one.type === "file") return other.type === "file" && one.mode === other.mode && one.hash === other.hash;
  if (one.type === "link") return other.type === "link" && one.target === other.target;
  if (one.type === "raw") return other.type === "raw" && one.hash === other.hash;
  return other.type === "opaque";
}
