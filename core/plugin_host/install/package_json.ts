import { posix } from "node:path";
import { isJsonObject } from "../../types/mod.ts";
import type { Json } from "../../types/mod.ts";
import { quoted } from "../quoted.ts";
import { PackProblem } from "./pack_problem.ts";

/** Fields of `package.json` that name files which a loader would open. */
const FIELDS = ["main", "module", "browser", "types", "typings", "bin", "exports", "imports"];

/**
 * Throws `PackProblem` when a field of a `package.json` leads out of the pack: nothing of ours follows it, but what reads
 * the folder later might (CVE-2026-49406). One that is no JSON names nothing.
 */
export function checkPackageJson(path: string, text: string): void {
  let value: Json;
  try {
    value = JSON.parse(text);
  } catch {
    return; // nothing can follow it
  }
  if (!isJsonObject(value)) return;
  for (const field of FIELDS) {
    const target = leaving(path, value[field] ?? null);
    if (target !== undefined) {
      throw new PackProblem(
        `its ${quoted(path)} has a ${field} that leads out of the pack: ${quoted(target)}`,
      );
    }
  }
}

/** The first file that a value names outside the pack. */
function leaving(path: string, value: Json): string | undefined {
  if (typeof value === "string") {
    const plain = value.replaceAll("\\", "/");
    const outside = plain.startsWith("/") ||
      /^[A-Za-z]:/.test(plain) && !/^(node|npm|jsr|https?):/.test(plain) ||
      plain.startsWith("file:") || posix.join(posix.dirname(path), plain).split("/")[0] === "..";
    return outside ? value : undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  for (const item of Array.isArray(value) ? value : Object.values(value)) {
    const found = leaving(path, item);
    if (found !== undefined) return found;
  }
  return undefined;
}
