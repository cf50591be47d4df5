import { createHash } from "node:crypto";

/** SHA-256 of bytes or UTF-8 text, as 64 lower-case hex digits. */
export function sha256(data: Uint8Array | string): string {
  return createHash("sha256").update(data).digest("hex");
}
