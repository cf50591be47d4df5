import type { ImageType } from "../../core/plugin_api/mod.ts";

/** What the first bytes of an image say; the size is absent where they do not. */
export interface ImageInfo {
  media_type: ImageType;
  width?: number;
  height?: number;
}

/** Reads the format and the pixels of an image from its bytes; null when it is none that models take. */
export function imageInfo(bytes: Uint8Array): ImageInfo | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = (from: number, to: number) => String.fromCharCode(...bytes.subarray(from, to));
  if (text(1, 4) === "PNG" && bytes.length >= 24) {
    return { media_type: "image/png", width: view.getUint32(16), height: view.getUint32(20) };
  }
  if (text(0, 4) === "GIF8" && bytes.length >= 10) {
    return { media_type: "image/gif", width: view.getUint16(6, true), height: view.getUint16(8, true) };
  }
  if (text(0, 4) === "RIFF" && text(8, 12) === "WEBP") return { media_type: "image/webp", ...webpSize(view) };
  if (bytes[0] === 0xff && bytes[1] === 0xd8) return { media_type: "image/jpeg", ...jpegSize(view) };
  return null;
}

interface Size {
  width: number;
  height: number;
}

/** The three forms of a WebP file (RFC 9649). */
function webpSize(view: DataView): Partial<Size> {
  if (view.byteLength < 30) return {};
  const u24 = (at: number) => view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
  switch (view.getUint32(12)) {
    case 0x56503858: // VP8X
      return { width: u24(24) + 1, height: u24(27) + 1 };
    case 0x56503820: // VP8
      return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
    case 0x5650384c: { // VP8L
      const bits = view.getUint32(21, true);
      return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
    }
    default:
      return {};
  }
}

/** The frame header of a JPEG file, found by walking its segments. */
function jpegSize(view: DataView): Partial<Size> {
  let at = 2;
  while (at + 9 < view.byteLength && view.getUint8(at) === 0xff) {
    const marker = view.getUint8(at + 1);
    const frame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (frame) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    if (marker === 0xff) at++; // fill
    else at += 2 + view.getUint16(at + 2);
  }
  return {};
}
