import { quoted } from "../quoted.ts";

/** Bytes of a path and of one of its names, and folders in one another. */
const MAX_PATH = 512;
const MAX_NAME = 200;
const MAX_DEPTH = 32;

/** Names that are devices on Windows, whatever ending they have. */
const DEVICE = /^(con|prn|aux|nul|clock\$|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])$/i;

/**
 * A path of a pack's entry as one name per folder, without `./` before and `/` after it; empty for the pack itself.
 * Gives what is wrong with a path that another system would take for something else, or that leads out of the pack. Only
 * what every file system can hold passes.
 */
export function entryPath(given: string): { path: string } | { problem: string } {
  const bad = (why: string) => ({ problem: `its entry ${quoted(given)} ${why}` });
  if (given.includes("\0")) return bad("has a NUL character in its name");
  // deno-lint-ignore no-control-regex -- exactly these are refused
  if (/[\u0000-\u001f\u007f-\u009f]/.test(given)) return bad("has a control character in its name");
  if (/[\p{Cf}\p{Zl}\p{Zp}]/u.test(given)) return bad("has an invisible character in its name");
  if (given.includes("\ufffd") || !given.isWellFormed()) return bad("has a name that is no UTF-8");
  if (given.includes("\\")) return bad("has a backslash in its name");
  if (/^[A-Za-z]:/.test(given)) return bad("begins with a drive letter");
  if (given.startsWith("/")) return bad("has an absolute path");
  if (given.startsWith("~")) return bad('begins with "~"');
  if (/[<>:"|?*]/.test(given)) return bad('has one of < > : " | ? * in its name');
  const path = given.replace(/^(\.\/+)+/, "").replace(/\/+$/, "");
  if (path === "" || path === ".") return { path: "" };
  if (new TextEncoder().encode(path).length > MAX_PATH) return bad(`has a path over ${MAX_PATH} bytes`);
  const names = path.split("/");
  if (names.length > MAX_DEPTH) return bad(`lies more than ${MAX_DEPTH} folders deep`);
  for (const name of names) {
    if (name === "..") return bad('leads out of the pack ("..")');
    if (name === "" || name === ".") return bad("has an empty part in its path");
    if (/[. ]$/.test(name)) return bad("has a name that ends with a dot or a space");
    if (DEVICE.test((name.split(".")[0] ?? "").trimEnd())) return bad("has the name of a device");
    if (new TextEncoder().encode(name).length > MAX_NAME) return bad(`has a name over ${MAX_NAME} bytes`);
  }
  return { path };
}
