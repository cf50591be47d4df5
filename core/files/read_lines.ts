import { hasherFor } from "../base/mod.ts";
import { fileError } from "./file_error.ts";
import { type CollectedLine, LineCollector, type LineWindow } from "./line_collector.ts";
import { openChecked } from "./open_checked.ts";
import { detectTextFormat, type TextFormat } from "./text_format.ts";

const CHUNK = 256 * 1024;
/** A file is read to its end for its hash and line count up to this many bytes. */
const SCAN_LIMIT = 512 * 1024 * 1024;

/** A part of a text file. */
export interface FileLines {
  format: TextFormat;
  /** Bytes of the file. */
  size: number;
  lines: CollectedLine[];
  /** Lines of the whole file, and SHA-256 of its raw bytes; null for a huge file that was not read to its end. */
  total: number | null;
  sha256: string | null;
}

/**
 * Reads lines of the regular file at the resolved and judged `path` in bounded memory, hashing its bytes on the way.
 * A binary file gives its kind and size. Throws what `openChecked` throws and the signal's reason.
 */
export async function readLines(
  path: string,
  window: LineWindow,
  signal: AbortSignal,
): Promise<FileLines | { binary: string; size: number }> {
  const { handle, identity } = await openChecked(path, "read");
  try {
    const hash = await hasherFor(Number(identity.size));
    const buffer = new Uint8Array(CHUNK);
    let format: TextFormat = { encoding: "utf-8", bom: 0 };
    let collector: LineCollector | undefined;
    let size = 0;
    let whole = true;
    for (;;) {
      signal.throwIfAborted();
      const { bytesRead } = await handle.read(buffer, 0, CHUNK, size);
      if (bytesRead === 0) break;
      const chunk = buffer.subarray(0, bytesRead);
      if (collector === undefined) {
        const detected = detectTextFormat(chunk);
        if ("binary" in detected) return { binary: detected.binary, size: Number(identity.size) };
        format = detected;
        collector = new LineCollector(format.encoding, window);
        collector.push(chunk.subarray(format.bom));
      } else collector.push(chunk);
      size += bytesRead;
      hash.update(chunk);
      if (size > SCAN_LIMIT && collector.satisfied) {
        whole = false;
        break;
      }
    }
    collector?.finish();
    return {
      format,
      size: whole ? size : Number(identity.size),
      lines: collector?.lines ?? [],
      total: whole ? collector?.count ?? 0 : null,
      sha256: whole ? hash.hex() : null,
    };
  } catch (error) {
    if (signal.aborted) throw error;
    throw fileError("read", path, error);
  } finally {
    await handle.close();
  }
}
