/** Bytes as base64 without line breaks. */
export function encodeBase64(bytes: Uint8Array): string {
  const parts: string[] = [];
  // a multiple of 3, so that the parts fit together
  for (let at = 0; at < bytes.length; at += 24_573) {
    parts.push(btoa(String.fromCharCode(...bytes.subarray(at, at + 24_573))));
  }
  return parts.join("");
}
