import type { Entry, ZipFile } from "yauzl";
import type { EntryKind, EntryVisitor } from "./entry_list.ts";
import { quoted } from "../quoted.ts";
import { PackProblem } from "./pack_problem.ts";
import { damaged } from "./read_tar.ts";

const FILE_TYPE = 0o170000;
const ENCRYPTED = 1;

/**
 * Shows every entry of a zip archive, as its directory at the end lists them, to `visit`. An entry that unpacks to another
 * size than the directory says is refused while it unpacks. Throws `PackProblem` for what is no whole archive, and what
 * `visit` throws.
 */
export async function readZip(file: string, visit: EntryVisitor): Promise<void> {
  const { default: yauzl } = await import("yauzl");
  let zip: ZipFile;
  try {
    // names as bytes: the library would repair some of them, and whatever needs that is refused here
    zip = await yauzl.openPromise(file, { lazyEntries: true, decodeStrings: false, autoClose: false });
  } catch (error) {
    throw damaged(error instanceof Error ? error.message : String(error), error);
  }
  try {
    for (;;) {
      const entry = await next(zip);
      if (entry === undefined) return;
      await show(zip, entry, visit);
    }
  } finally {
    zip.close();
  }
}

async function show(zip: ZipFile, entry: Entry, visit: EntryVisitor): Promise<void> {
  const name = nameOf(entry);
  if ((entry.generalPurposeBitFlag & ENCRYPTED) !== 0) {
    throw new PackProblem(`its entry ${quoted(name)} is encrypted`);
  }
  const sink = visit({
    path: name,
    kind: kindOf(entry, name),
    size: entry.uncompressedSize,
    packed: entry.compressedSize,
  });
  if (sink === undefined) return;
  const { crc32 } = await import("node:zlib");
  let sum = 0;
  let own: unknown;
  try {
    for await (const bytes of await zip.openReadStreamPromise(entry) as AsyncIterable<Uint8Array>) {
      sum = crc32(bytes, sum);
      try {
        sink.write(bytes);
      } catch (error) {
        own = error; // no fault of the archive
        throw error;
      }
    }
  } catch (error) {
    if (error === own) throw error;
    throw damaged(`${quoted(name)}: ${error instanceof Error ? error.message : String(error)}`, error);
  }
  if (sum !== entry.crc32) throw damaged(`${quoted(name)} has another checksum than the archive says`);
  sink.end();
}

/** The next entry of the directory; undefined after the last. */
function next(zip: ZipFile): Promise<Entry | undefined> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      zip.off("entry", onEntry);
      zip.off("end", onEnd);
      zip.off("error", onError);
    };
    const onEntry = (entry: Entry) => (stop(), resolve(entry));
    const onEnd = () => (stop(), resolve(undefined));
    const onError = (error: Error) => (stop(), reject(damaged(error.message, error)));
    zip.on("entry", onEntry).on("end", onEnd).on("error", onError);
    zip.readEntry();
  });
}

function nameOf(entry: Entry): string {
  const bytes = entry.fileName as unknown as Uint8Array;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new PackProblem(`its entry ${quoted(new TextDecoder().decode(bytes))} has a name that is no UTF-8`);
  }
}

/** By the Unix mode where there is one, whichever system the archive claims to come from. */
function kindOf(entry: Entry, name: string): EntryKind {
  const type = (entry.externalFileAttributes >>> 16) & FILE_TYPE;
  if (type === 0o120000) return "link";
  if (type !== 0 && type !== 0o100000 && type !== 0o040000) return "special";
  if (name.endsWith("/")) return "folder";
  return type === 0o040000 ? "special" : "file";
}
