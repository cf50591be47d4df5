import type { createHash } from "node:crypto";
import { sha256 as portable } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

/** From this size on the runtime's own implementation pays for being loaded, which takes longer than hashing less. */
const LARGE = 1024 * 1024;

let native: typeof createHash | undefined;

/** Loads the runtime's own implementation, several times as fast, for whoever has much to hash; all hashing uses it then. */
export async function loadNativeHash(): Promise<void> {
  native ??= (await import("node:crypto")).createHash;
}

/** SHA-256 of bytes or UTF-8 text, as 64 lower-case hex digits. */
export function sha256(data: Uint8Array | string): string {
  if (native !== undefined) return native("sha256").update(data).digest("hex");
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
  if (size >= LARGE) await loadNativeHash();
  if (native === undefined) {
    const hash = portable.create();
    return { update: (bytes) => void hash.update(bytes), hex: () => bytesToHex(hash.digest()) };
  }
  const hash = native("sha256");
  return { update: (bytes) => void hash.update(bytes), hex: () => hash.digest("hex") };
}
