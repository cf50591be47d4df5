import { existsSync } from "node:fs";
import { join } from "node:path";

const GITLINK = 0o160000;
/** Bytes of an entry in front of its object name: times, device, inode, mode, owner, size. */
const STAT_BYTES = 40;
const MODE_AT = 24;

/**
 * The paths of all submodules in the index of a git folder, a split one included. Undefined for an index that cannot be
 * read. The format is gitformat-index(5), versions 2 to 4; names of objects have 20 bytes, or 32 when the 20 do not fit.
 */
export function gitlinks(git: string): string[] | undefined {
  const files = existsSync(join(git, "index")) ? [join(git, "index")] : [];
  try {
    for (const { name } of Deno.readDirSync(git)) {
      if (name.startsWith("sharedindex.")) files.push(join(git, name));
    }
    const found: string[] = [];
    for (const file of files) {
      const bytes = Deno.readFileSync(file);
      const links = linksOf(bytes, 20) ?? linksOf(bytes, 32);
      if (links === undefined) return undefined;
      found.push(...links);
    }
    return found;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return [];
    return undefined;
  }
}

function linksOf(bytes: Uint8Array, name_bytes: number): string[] | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 12 || view.getUint32(0) !== 0x44495243) return undefined;
  const version = view.getUint32(4);
  if (version < 2 || version > 4) return undefined;
  const found: string[] = [];
  const decoder = new TextDecoder();
  let path: Uint8Array = new Uint8Array();
  let at = 12;
  for (let left = view.getUint32(8); left > 0; left--) {
    const flags_at = at + STAT_BYTES + name_bytes;
    if (flags_at + 4 > bytes.length) return undefined;
    const mode = view.getUint32(at + MODE_AT);
    if (![0o100000, 0o120000, GITLINK, 0o040000].includes(mode & 0o170000)) return undefined;
    let start = flags_at + ((view.getUint16(flags_at) & 0x4000) === 0 ? 2 : 4);
    let kept = 0;
    if (version === 4) {
      // how much of the path before is cut off, as a number of seven bits a byte
      let byte = bytes[start++] ?? 0;
      let cut = byte & 0x7f;
      while ((byte & 0x80) !== 0) {
        byte = bytes[start++] ?? 0;
        cut = ((cut + 1) << 7) | (byte & 0x7f);
      }
      kept = path.length - cut;
    }
    const end = bytes.indexOf(0, start);
    if (end === -1 || kept < 0) return undefined;
    if (version === 4) {
      const joined = new Uint8Array(kept + end - start);
      joined.set(path.subarray(0, kept));
      joined.set(bytes.subarray(start, end), kept);
      path = joined;
    } else path = bytes.subarray(start, end);
    if (mode === GITLINK) found.push(decoder.decode(path));
    // before version 4 an entry fills up to a multiple of eight, with one byte of zero at least
    at = version === 4 ? end + 1 : at + Math.ceil((end - at + 1) / 8) * 8;
  }
  return found;
}
