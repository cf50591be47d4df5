import { PACK_LIMITS } from "./entry_list.ts";
import type { EntryVisitor } from "./entry_list.ts";
import { PackProblem } from "./pack_problem.ts";
import { readFolder } from "./read_folder.ts";
import { isTarHeader, readTar } from "./read_tar.ts";
import { readZip } from "./read_zip.ts";

/** Shows every entry of a folder or archive; may be called again and shows the same then. */
export type ReadEntries = (visit: EntryVisitor) => Promise<void>;

/** How to read the entries of a folder, or of an archive by what its first bytes say: tar, tar with gzip, zip. Throws `PackProblem`. */
export async function readEntries(path: string): Promise<ReadEntries> {
  const info = await Deno.stat(path);
  if (info.isDirectory) return (visit) => readFolder(path, visit);
  if (!info.isFile) throw new PackProblem("it is no folder and no file");
  if (info.size === 0) throw new PackProblem("it is empty");
  if (info.size > PACK_LIMITS.archive_bytes) {
    throw new PackProblem(`it has more than ${PACK_LIMITS.archive_bytes / (1024 * 1024)} MiB`);
  }
  const head = new Uint8Array(512);
  using file = await Deno.open(path);
  let length = 0;
  while (length < head.length) {
    const read = await file.read(head.subarray(length));
    if (read === null) break;
    length += read;
  }
  const [a, b, c, d] = head;
  if (a === 0x1f && b === 0x8b) return (visit) => readTar(path, true, visit);
  // the first entry, or the directory of an archive without any
  if (a === 0x50 && b === 0x4b && ((c === 3 && d === 4) || (c === 5 && d === 6))) {
    return (visit) => readZip(path, visit);
  }
  if (isTarHeader(head.subarray(0, length))) return (visit) => readTar(path, false, visit);
  throw new PackProblem("it is no archive that Lumina knows (.tar, .tar.gz, .tgz or .zip)");
}
