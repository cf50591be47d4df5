import { baseName } from "./program_name.ts";
import { literal } from "./word.ts";
import type { Word } from "./word.ts";

/** Programs that become another user: no sandbox of this user's can hold what they start, and inside one they fail. */
const PRIVILEGED = new Set("sudo sudoedit su doas pkexec run0 runuser sg newgrp".split(" "));

/** True for a program that can only work outside of the sandbox. */
export function isPrivileged(words: readonly Word[]): boolean {
  return PRIVILEGED.has(baseName(literal(words[0]) ?? ""));
}
