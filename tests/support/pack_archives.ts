// Archives as an attacker would write them, byte by byte: the usual tools refuse to make most of these.
import { crc32, deflateRawSync, gzipSync } from "node:zlib";

const encoder = new TextEncoder();

export interface TarEntry {
  path: string;
  body?: string | Uint8Array;
  /** `0` file, `5` folder, `1` hard link, `2` link, `3` device, `x` extended header, `L` long name. */
  type?: string;
  link?: string;
  /** Written to the header in the place of the body's length. */
  size?: number;
  mode?: number;
}

/** One entry of a tar archive. */
export function tarEntry(entry: TarEntry): Uint8Array {
  const body = typeof entry.body === "string" ? encoder.encode(entry.body) : entry.body ?? new Uint8Array();
  const header = new Uint8Array(512);
  const put = (at: number, text: string) => header.set(encoder.encode(text), at);
  put(0, entry.path);
  put(100, `${(entry.mode ?? 0o777).toString(8).padStart(7, "0")}\0`);
  put(108, "0000000\0");
  put(116, "0000000\0");
  put(124, `${(entry.size ?? body.length).toString(8).padStart(11, "0")}\0`);
  put(136, "00000000000\0");
  put(148, "        ");
  put(156, entry.type ?? "0");
  put(157, entry.link ?? "");
  put(257, "ustar\x0000");
  put(148, `${header.reduce((sum, byte) => sum + byte, 0).toString(8).padStart(6, "0")}\0 `);
  return joined([header, body, new Uint8Array((512 - (body.length % 512)) % 512)]);
}

/** A whole tar archive. */
export function tar(entries: readonly TarEntry[]): Uint8Array {
  return joined([...entries.map(tarEntry), new Uint8Array(1024)]);
}

/** A whole tar archive with gzip around it. */
export function tgz(entries: readonly TarEntry[]): Uint8Array {
  return gzipSync(tar(entries));
}

/** An extended header that gives the next entry another path. */
export function paxPath(path: string): TarEntry {
  const text = ` path=${path}\n`;
  let length = encoder.encode(text).length;
  length += String(length + String(length).length).length;
  return { path: "PaxHeader", type: "x", body: `${length}${text}` };
}

export interface ZipEntry {
  name: string | Uint8Array;
  data?: string | Uint8Array;
  /** Unix mode with the type bits. */
  mode?: number;
  /** Written to both headers in the place of the data's length. */
  size?: number;
  stored?: boolean;
  encrypted?: boolean;
}

/** A whole zip archive. */
export function zip(entries: readonly ZipEntry[]): Uint8Array {
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  for (const entry of entries) {
    const name = typeof entry.name === "string" ? encoder.encode(entry.name) : entry.name;
    const data = typeof entry.data === "string" ? encoder.encode(entry.data) : entry.data ?? new Uint8Array();
    const packed = entry.stored ? data : new Uint8Array(deflateRawSync(data));
    const size = entry.size ?? data.length;
    const common = numbers([
      [2, 20],
      [2, 0x800 | (entry.encrypted ? 1 : 0)],
      [2, entry.stored ? 0 : 8],
      [4, 0],
      [4, crc32(data)],
      [4, packed.length],
      [4, size],
      [2, name.length],
      [2, 0],
    ]);
    const local = joined([numbers([[4, 0x04034b50]]), common, name, packed]);
    const mode = ((entry.mode ?? 0o100644) << 16) >>> 0;
    directory.push(
      joined([
        numbers([[4, 0x02014b50], [2, 0x031e]]),
        common,
        numbers([[2, 0], [2, 0], [2, 0], [4, mode], [4, offset]]),
        name,
      ]),
    );
    parts.push(local);
    offset += local.length;
  }
  const list = joined(directory);
  const end = numbers([
    [4, 0x06054b50],
    [2, 0],
    [2, 0],
    [2, entries.length],
    [2, entries.length],
    [4, list.length],
    [4, offset],
    [2, 0],
  ]);
  return joined([...parts, list, end]);
}

/** Little-endian numbers of so many bytes each. */
function numbers(fields: readonly [2 | 4, number][]): Uint8Array {
  const bytes = new Uint8Array(fields.reduce((sum, [width]) => sum + width, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const [width, value] of fields) {
    if (width === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += width;
  }
  return bytes;
}

export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
