import type { ReadEntry } from "tar";
import { bomb, PACK_LIMITS } from "./entry_list.ts";
import type { EntryKind, EntryVisitor } from "./entry_list.ts";
import { PackProblem } from "./pack_problem.ts";

const CHUNK = 64 * 1024;
const HEADER = 512;

const KINDS: Readonly<Record<string, EntryKind>> = {
  File: "file",
  OldFile: "file",
  ContiguousFile: "file",
  Directory: "folder",
  Link: "hard_link",
  SymbolicLink: "link",
};

/**
 * Shows every entry of a tar archive, with gzip around it or not, to `visit`. The archive streams through: what `visit`
 * refuses stops it there, however much would come. Throws `PackProblem` for what is no whole archive, and what `visit` throws.
 */
export async function readTar(file: string, gzip: boolean, visit: EntryVisitor): Promise<void> {
  const [{ Parser }, { Buffer }] = await Promise.all([import("tar"), import("node:buffer")]);
  let failure: unknown;
  let ended = false;
  const fail = (error: unknown) => void (failure ??= error);
  const parser = new Parser({
    strict: false,
    onwarn(code, message) {
      if (code === "TAR_BAD_ARCHIVE" && ended) return; // whole, with nothing in it
      fail(damaged(String(message)));
    },
    onReadEntry: (entry) => {
      // an exception must not run through the parser, which would be left between two states
      if (failure === undefined) {
        try {
          show(entry, visit, fail);
        } catch (error) {
          fail(error);
        }
      }
      entry.resume();
    },
  });
  parser.on("ignoredEntry", (entry: ReadEntry) => {
    if (entry.meta) return fail(new PackProblem("one of its headers is over 1 MiB"));
    try {
      visit({ path: entry.path, kind: "special", size: entry.size });
    } catch (error) {
      fail(error);
    }
  });
  // the parser cuts names off at a NUL; the filler after the last name is none of it
  parser.on("meta", (text: string) => {
    if (text.replace(/\0+$/, "").includes("\0")) {
      fail(new PackProblem("one of its entries has a NUL character in its name"));
    }
  });
  parser.on("error", fail);
  parser.on("eof", () => ended = true);
  const bytes = gzip ? gunzipped(file) : pieces(file);
  for await (const piece of fromHeader(bytes)) {
    if (ended) continue; // filler, read only so that a damaged or endless one is noticed
    // it reads text by Buffer's own methods
    parser.write(Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength));
    if (failure !== undefined) throw failure;
  }
  parser.end();
  if (failure !== undefined) throw failure;
  if (!ended) throw damaged("it ends before its last entry does");
}

function show(entry: ReadEntry, visit: EntryVisitor, fail: (error: unknown) => void): void {
  const sink = visit({ path: entry.path, kind: KINDS[entry.type] ?? "special", size: entry.size });
  if (sink === undefined) return;
  entry.on("data", (bytes) => {
    try {
      sink.write(bytes);
    } catch (error) {
      fail(error);
    }
  });
  entry.on("end", () => {
    try {
      sink.end();
    } catch (error) {
      fail(error);
    }
  });
}

/** The same bytes, the first piece being at least one header: a parser that sees less would look for other packings. */
async function* fromHeader(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let head: Uint8Array | undefined = new Uint8Array();
  for await (const piece of bytes) {
    if (head === undefined) {
      yield piece;
      continue;
    }
    const joined: Uint8Array = new Uint8Array(head.length + piece.length);
    joined.set(head);
    joined.set(piece, head.length);
    head = joined;
    if (head.length < HEADER) continue;
    if (!isTarHeader(head)) throw new PackProblem("what it holds is no tar archive");
    yield head;
    head = undefined;
  }
  if (head !== undefined) throw damaged(head.length === 0 ? "it is empty" : "it is cut off");
}

/** True for the first block of a tar archive (POSIX and GNU; also one of nothing but the end). */
export function isTarHeader(block: Uint8Array): boolean {
  if (new TextDecoder("latin1").decode(block.subarray(257, 262)) === "ustar") return true;
  return block.length >= HEADER && block.subarray(0, HEADER).every((byte) => byte === 0);
}

/** A file piece by piece. */
async function* pieces(file: string): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  using open = await Deno.open(file);
  for (;;) {
    const buffer = new Uint8Array(CHUNK);
    const read = await open.read(buffer);
    if (read === null) return;
    yield buffer.subarray(0, read);
  }
}

/** What a gzip file unpacks to. Stops by itself when that is out of all proportion. */
async function* gunzipped(file: string): AsyncGenerator<Uint8Array> {
  const [{ createGunzip }, { Readable }] = await Promise.all([import("node:zlib"), import("node:stream")]);
  let packed = 0;
  let unpacked = 0;
  const counted = async function* () {
    for await (const piece of pieces(file)) {
      packed += piece.length;
      yield piece;
    }
  };
  const source = Readable.from(counted());
  const gunzip = createGunzip({ chunkSize: CHUNK });
  source.on("error", (error) => gunzip.destroy(error));
  source.pipe(gunzip);
  try {
    for await (const piece of gunzip) {
      unpacked += piece.length;
      if (unpacked > PACK_LIMITS.ratio_from && unpacked > PACK_LIMITS.ratio * packed) throw bomb();
      yield piece;
    }
  } catch (error) {
    if (error instanceof PackProblem || error instanceof Deno.errors.NotFound) throw error;
    throw damaged(error instanceof Error ? error.message : String(error), error);
  } finally {
    source.destroy();
    gunzip.destroy();
  }
}

/** The archive itself is not whole. */
export function damaged(why: string, cause?: unknown): PackProblem {
  return new PackProblem(`the archive is damaged: ${why}`, { cause });
}
