import { dirname, join } from "node:path";
import { loadNativeHash, sha256 } from "../../base/mod.ts";
import type { PluginManifest } from "../../plugin_api/mod.ts";
import { EntryList } from "./entry_list.ts";
import type { EntrySink, PackEntry } from "./entry_list.ts";
import { checkPackageJson } from "./package_json.ts";
import { quoted } from "../quoted.ts";
import { PackProblem } from "./pack_problem.ts";
import type { ReadEntries } from "./read_entries.ts";

const MANIFEST = "manifest.json";
/** Bytes of a manifest, and of a package.json, at most. */
const MAX_JSON = 1024 * 1024;

/** A pack that lies unpacked in a folder of its own, checked. */
export interface StagedPack {
  directory: string;
  manifest: PluginManifest;
  /** SHA-256 by path, sorted. */
  files: Record<string, string>;
  /** What was there and is not installed, since the pack's own `integrity` does not name it. */
  left_out: string[];
}

/**
 * Takes a pack out of its container: first the whole list of entries is judged, with the manifest, and only then is anything
 * written, to the fresh private folder `target`. Every file gets mode 0600 and every folder 0700. Throws `PackProblem`,
 * what `parse` throws, and what the file system throws; what is in `target` then is the caller's to remove.
 */
export async function stagePack(
  read: ReadEntries,
  target: string,
  parse: (text: string) => PluginManifest,
): Promise<StagedPack> {
  const { base, manifest, wanted, left_out } = await judge(read, parse);
  const written = await write(read, base, wanted, target);
  for (const path of wanted) {
    if (written.has(path)) continue;
    const where = manifest.integrity?.[path] === undefined ? "" : ", which its integrity names";
    throw new PackProblem(`it has no file ${quoted(path)}${where}`);
  }
  for (const [path, hash] of Object.entries(manifest.integrity ?? {})) {
    if (path === MANIFEST || written.get(path) === hash) continue;
    throw new PackProblem(
      `its file ${quoted(path)} is not the one that was built: another SHA-256 than its integrity names`,
    );
  }
  const { entry } = manifest;
  if (entry !== undefined) {
    if (!written.has(entry)) {
      throw new PackProblem(
        `it has no file ${
          quoted(entry)
        }, which is its entry: a plugin's sources are built first (lumina plugin build), and what that made is installed`,
      );
    }
    checkEntry(target, entry);
  }
  return { directory: target, manifest, files: Object.fromEntries([...written].sort(byPath)), left_out };
}

interface Judged {
  /** Folder of the manifest in the container, with `/`; empty at the top. */
  base: string;
  manifest: PluginManifest;
  wanted: Set<string>;
  left_out: string[];
}

/** The first pass, which writes nothing. */
async function judge(read: ReadEntries, parse: (text: string) => PluginManifest): Promise<Judged> {
  const list = new EntryList();
  const texts = new Map<string, string>();
  await read((entry) => {
    const path = list.add(entry);
    if (entry.kind !== "file") return undefined;
    const name = path.slice(path.lastIndexOf("/") + 1);
    if (name !== MANIFEST && name !== "package.json") return undefined;
    if (entry.size > MAX_JSON) throw new PackProblem(`its file ${quoted(path)} is over 1 MiB`);
    return textSink(entry, (text) => texts.set(path, text));
  });
  const paths = [...list.files.keys()].filter((path) => !path.startsWith("__MACOSX/"));
  const base = baseOf(paths);
  for (const [path, text] of texts) {
    if (path.endsWith("package.json")) checkPackageJson(path.slice(base.length), text);
  }
  const text = texts.get(`${base}${MANIFEST}`);
  if (text === undefined) throw new PackProblem(`it has no ${MANIFEST}`);
  const manifest = parse(text);
  const own = paths.filter((path) => path.startsWith(base)).map((path) => path.slice(base.length));
  const built = manifest.integrity;
  if (built === undefined) return { base, manifest, wanted: new Set(own), left_out: [] };
  const wanted = new Set([MANIFEST, ...Object.keys(built)]);
  if (manifest.entry !== undefined && built[manifest.entry] === undefined) {
    throw new PackProblem(`its integrity does not name its entry ${quoted(manifest.entry)}: build it again`);
  }
  return { base, manifest, wanted, left_out: own.filter((path) => !wanted.has(path)).sort() };
}

/** The manifest lies at the top, or in the one folder that is there, as npm and many others pack. */
function baseOf(paths: readonly string[]): string {
  if (paths.length === 0) throw new PackProblem("it is empty");
  if (paths.includes(MANIFEST)) return "";
  const tops = new Set(paths.map((path) => path.includes("/") ? path.slice(0, path.indexOf("/") + 1) : ""));
  const [top] = tops;
  if (tops.size === 1 && top !== undefined && top !== "" && paths.includes(`${top}${MANIFEST}`)) return top;
  throw new PackProblem(`it has no ${MANIFEST}, neither at its top nor in its only folder`);
}

/** The second pass: writes what is wanted and gives its hashes. Judges every entry again: a folder may have changed. */
async function write(
  read: ReadEntries,
  base: string,
  wanted: ReadonlySet<string>,
  target: string,
): Promise<Map<string, string>> {
  const list = new EntryList();
  const paths: string[] = [];
  let open: Deno.FsFile | undefined;
  makeFolder(target);
  const sinkFor = (entry: PackEntry): EntrySink | undefined => {
    const path = list.add(entry);
    const own = path.slice(base.length);
    if (entry.kind !== "file" || !path.startsWith(base) || !wanted.has(own)) return undefined;
    const place = join(target, own);
    makeFolder(dirname(place));
    const file = createFile(place);
    open = file;
    let left = entry.size;
    return {
      write(bytes) {
        left -= bytes.length;
        if (left < 0) throw new PackProblem(`its file ${quoted(path)} is larger than its entry says`);
        for (let sent = 0; sent < bytes.length;) sent += file.writeSync(bytes.subarray(sent));
      },
      end() {
        file.close();
        open = undefined;
        if (left !== 0) throw new PackProblem(`its file ${quoted(path)} is shorter than its entry says`);
        paths.push(own);
      },
    };
  };
  try {
    await read(sinkFor);
  } finally {
    (open as Deno.FsFile | undefined)?.close();
  }
  await loadNativeHash();
  return new Map(paths.map((path) => [path, hashOf(join(target, path))]));
}

function makeFolder(path: string): void {
  Deno.mkdirSync(path, { recursive: true, mode: 0o700 });
}

function createFile(path: string): Deno.FsFile {
  return Deno.openSync(path, { write: true, createNew: true, mode: 0o600 });
}

function hashOf(path: string): string {
  return sha256(Deno.readFileSync(path));
}

/** Collects a small text; what is no UTF-8 is read with replacement characters and fails where it matters. */
function textSink(entry: PackEntry, done: (text: string) => void): EntrySink {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  return {
    write(piece) {
      bytes += piece.length;
      if (bytes > entry.size) {
        throw new PackProblem(`its file ${quoted(entry.path)} is larger than its entry says`);
      }
      text += decoder.decode(piece, { stream: true });
    },
    end: () => done(text + decoder.decode()),
  };
}

/** Throws `PackProblem` unless the entry is there and reads as JavaScript. Nothing of it runs. */
function checkEntry(directory: string, entry: string): void {
  if (!/\.m?js$/.test(entry)) {
    throw new PackProblem(
      `its entry ${quoted(entry)} is no JavaScript module (.js or .mjs): lumina plugin build makes one`,
    );
  }
  const bytes = Deno.readFileSync(join(directory, entry));
  if (bytes.length === 0) throw new PackProblem(`its entry ${quoted(entry)} is empty`);
  try {
    if (new TextDecoder("utf-8", { fatal: true }).decode(bytes).includes("\0")) throw new TypeError("NUL");
  } catch (cause) {
    throw new PackProblem(`its entry ${quoted(entry)} is no JavaScript: it is no UTF-8 text`, { cause });
  }
}

function byPath([a]: [string, string], [b]: [string, string]): number {
  return a < b ? -1 : 1;
}
