import { sha256 as portable } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

/** From this size on the runtime's own implementation pays for being loaded, which takes longer than hashing less. */
const LARGE = 1024 * 1024;

/** SHA-256 of bytes or UTF-8 text, as 64 lower-case hex digits. */
export function sha256(data: Uint8Array | string): string {
  return bytesToHex(portable(typeof data === "string" ? utf8ToBytes(data) : data));
}

/** A SHA-256 that is fed piece by piece. */
export interface Hasher {
  update(bytes: Uint8Array): void;
  /** 64 lower-case hex digits; ends the hasher. */
  hex(): string;
}

/** A hasher that suits about `size` bytes. */
export async function hasherFor(size: number): Promise<Hasher> {
  if (size < LARGE) {
    const hash = portable.create();
    return { update: (bytes) => void hash.update(bytes), hex: () => bytesToHex(hash.digest()) };
  }
  const { createHash } = await import("node:crypto");
  const hash = createHash("sha256");
  return { update: (bytes) => void hash.update(bytes), hex: () => hash.digest("hex") };
}
