import { spawnSync } from "node:child_process";
import { errorMessage, LuminaError } from "../base/mod.ts";
import { decodeText, joinBytes } from "../files/mod.ts";

/** What one folder may hold under names that are not UTF-8, packed. */
const MAX_PACKED = 64 * 1024 * 1024;
/** A fixed order and no times: the same files give the same bytes. */
const PACK = [
  "--format=pax",
  "--pax-option=delete=atime,delete=ctime",
  "--sort=name",
  "--mtime=@0",
  "--numeric-owner",
  "--verbatim-files-from",
  "--null",
  "--files-from=-",
  "-cf",
  "-",
];

/** `rm` cannot empty a folder that its owner has closed. */
const REMOVE = `find "$@" -type d ! -perm -700 -exec chmod u+rwx {} \\;; rm -rf -- "$@"`;

/**
 * Names that are not UTF-8 cannot be given to the runtime's file functions. They are listed, packed, removed and unpacked
 * by `find`, `tar` and `rm`, which take them as bytes. Throws `rewind.raw_names` where these programs are missing or fail.
 */
export const rawNames = {
  /** The names of `directory` that no UTF-8 text can give, and links to such names; with `./` before them, each ended by a NUL. */
  list(directory: string): Uint8Array<ArrayBuffer> {
    const found = program(
      "find",
      [".", "-mindepth", "1", "-maxdepth", "1", "-printf", "%p\\0%l\\0"],
      directory,
    );
    const kept: Uint8Array[] = [];
    const parts = splitAtNul(found);
    for (let index = 0; index + 1 < parts.length; index += 2) {
      const [name, target] = [parts[index]!, parts[index + 1]!];
      if (!isUtf8(name) || !isUtf8(target)) kept.push(name, Uint8Array.of(0));
    }
    return joinBytes(kept);
  },

  /** The packed content of the listed names. */
  pack(directory: string, names: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
    const packed = program("tar", PACK, directory, names);
    if (packed.length <= MAX_PACKED) return packed;
    throw new LuminaError("rewind.raw_names", `Names that are not UTF-8 hold more than ${MAX_PACKED} bytes`);
  },

  /** Removes what is listed, with all below. */
  remove(directory: string, names: Uint8Array<ArrayBuffer>): void {
    if (names.length > 0) program("xargs", ["-0", "sh", "-c", REMOVE, "sh"], directory, names);
  },

  /** Puts packed content back, with its modes. */
  unpack(directory: string, packed: Uint8Array<ArrayBuffer>): void {
    program("tar", ["--no-same-owner", "--preserve-permissions", "--touch", "-xf", "-"], directory, packed);
  },
};

function isUtf8(bytes: Uint8Array): boolean {
  return decodeText(bytes, "utf-8").isWellFormed();
}

function splitAtNul(bytes: Uint8Array): Uint8Array[] {
  const parts: Uint8Array[] = [];
  for (let start = 0, end = bytes.indexOf(0); end >= 0; start = end + 1, end = bytes.indexOf(0, start)) {
    parts.push(bytes.subarray(start, end));
  }
  return parts;
}

/** Runs a program to its end and gives what it printed. */
function program(
  name: string,
  args: readonly string[],
  cwd: string,
  input?: Uint8Array<ArrayBuffer>,
): Uint8Array<ArrayBuffer> {
  const { status, stdout, stderr, error } = spawnSync(name, [...args], {
    cwd,
    env: { PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin", LC_ALL: "C" },
    maxBuffer: 2 * MAX_PACKED,
    ...(input === undefined ? {} : { input }),
  });
  if (error === undefined && status === 0) return new Uint8Array(stdout);
  const said = error === undefined ? decodeText(new Uint8Array(stderr), "utf-8") : errorMessage(error);
  throw new LuminaError(
    "rewind.raw_names",
    `Cannot handle the names in ${cwd} that are not UTF-8: ${name} failed (${said.trim().slice(0, 200)})`,
  );
}
