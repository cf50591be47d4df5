import { decodeText, encodedLength, encodeText, joinBytes, type TextFormat } from "../../core/files/mod.ts";

/** A text file in memory: its raw bytes and, decoded without loss, what follows the byte order mark. */
export interface TextFile {
  format: TextFormat;
  bytes: Uint8Array;
  text: string;
}

/** A span of the text and what takes its place. */
export interface Replacement {
  start: number;
  end: number;
  text: string;
}

/** The file that these bytes are. */
export function textFile(bytes: Uint8Array, format: TextFormat): TextFile {
  return { format, bytes, text: decodeText(bytes.subarray(format.bom), format.encoding) };
}

/** The file with spans replaced, which are in order and do not overlap. All other bytes are copied, never re-encoded. */
export function spliced(file: TextFile, replacements: readonly Replacement[]): TextFile {
  const { encoding, bom } = file.format;
  const bytes: Uint8Array[] = [];
  const texts: string[] = [];
  let done = 0; // characters
  let copied = 0; // bytes
  let offset = bom;
  for (const { start, end, text } of replacements) {
    offset += encodedLength(file.text, encoding, done, start);
    bytes.push(file.bytes.subarray(copied, offset), encodeText(text, encoding));
    texts.push(file.text.slice(done, start), text);
    offset += encodedLength(file.text, encoding, start, end);
    copied = offset;
    done = end;
  }
  bytes.push(file.bytes.subarray(copied));
  texts.push(file.text.slice(done));
  return { format: file.format, bytes: joinBytes(bytes), text: texts.join("") };
}
