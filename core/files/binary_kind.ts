/** First bytes that give a format away, longest and most telling first (file(1) magic, IANA media types). */
const MAGIC: readonly (readonly [string, string])[] = [
  ["89504e470d0a1a0a", "PNG image"],
  ["ffd8ff", "JPEG image"],
  ["474946383761", "GIF image"],
  ["474946383961", "GIF image"],
  ["255044462d", "PDF document"],
  ["504b0304", "ZIP archive (or a document made of one)"],
  ["504b0506", "empty ZIP archive"],
  ["1f8b08", "gzip data"],
  ["425a68", "bzip2 data"],
  ["fd377a585a00", "xz data"],
  ["28b52ffd", "Zstandard data"],
  ["377abcaf271c", "7-Zip archive"],
  ["7f454c46", "ELF program"],
  ["cffaedfe", "Mach-O program"],
  ["cafebabe", "Java class or Mach-O program"],
  ["4d5a9000", "Windows program"],
  ["0061736d", "WebAssembly module"],
  ["53514c69746520666f726d6174203300", "SQLite database"],
  ["4f676753", "Ogg media"],
  ["664c6143", "FLAC audio"],
  ["494433", "MP3 audio"],
  ["1a45dfa3", "Matroska or WebM video"],
  ["00000100", "Windows icon"],
  ["774f4632", "WOFF2 font"],
  ["774f4646", "WOFF font"],
  ["fffe0000", "UTF-32 text"],
  ["0000feff", "UTF-32 text"],
];

/** What a file is when its first bytes are those of a known binary format (`"PNG image"`), else null. */
export function binaryKind(head: Uint8Array): string | null {
  const hex = Array.from(head.subarray(0, 16), (byte) => byte.toString(16).padStart(2, "0")).join("");
  for (const [magic, kind] of MAGIC) if (hex.startsWith(magic)) return kind;
  if (hex.startsWith("52494646")) {
    const form = String.fromCharCode(...head.subarray(8, 12));
    return form === "WEBP" ? "WebP image" : form === "WAVE" ? "WAV audio" : "RIFF media";
  }
  return hex.slice(8, 16) === "66747970" ? "MP4 or related media" : null;
}
