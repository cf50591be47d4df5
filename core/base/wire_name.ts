import { sha256 } from "./hash.ts";

/** What every provider takes as the name of a tool. */
const TAKEN = /^[A-Za-z0-9_-]{1,64}$/;
const LONGEST = 64;
const HASH_DIGITS = 12;

/**
 * A tool's name as it is sent to a provider: itself, or what is left of it with a hash of the whole. The same in every start;
 * two names that are equal after shortening differ in their hashes. Only the wire sees it.
 */
export function wireName(name: string): string {
  if (TAKEN.test(name)) return name;
  const kept = name.replace(/[^A-Za-z0-9_-]+/g, "_").slice(0, LONGEST - HASH_DIGITS - 1);
  return `${kept}_${sha256(name).slice(0, HASH_DIGITS)}`;
}
