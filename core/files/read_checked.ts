import { hasherFor, LuminaError } from "../base/mod.ts";
import { fileError } from "./file_error.ts";
import { currentIdentity, openChecked, sameIdentity } from "./open_checked.ts";
import type { ReplacedFile } from "./replace_file.ts";

/** A whole file in memory. */
export interface WholeFile {
  bytes: Uint8Array<ArrayBuffer>;
  /** SHA-256 of the raw bytes, 64 hex digits. */
  sha256: string;
  file: ReplacedFile;
}

/**
 * Reads the regular file at the resolved and judged `path`. Throws what `openChecked` throws, `files.too_large` above
 * `max_bytes`, and `files.changed` when somebody wrote to it meanwhile.
 */
export async function readChecked(path: string, max_bytes: number): Promise<WholeFile> {
  const { handle, ...file } = await openChecked(path, "read");
  try {
    if (file.identity.size > BigInt(max_bytes)) {
      const sizes = `it has ${file.identity.size} bytes, and at most ${max_bytes} are changed by this tool`;
      throw new LuminaError("files.too_large", `Cannot edit "${path}": ${sizes}`);
    }
    const bytes = new Uint8Array(Number(file.identity.size));
    let length = 0;
    while (length < bytes.length) {
      const { bytesRead } = await handle.read(bytes, length, bytes.length - length, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    if (length < bytes.length || !sameIdentity(file.identity, await currentIdentity(handle))) {
      throw new LuminaError(
        "files.changed",
        `Cannot read "${path}": it is being written right now; try again`,
        {
          retry: "after_reload",
        },
      );
    }
    return { bytes, sha256: await hashOf(bytes), file };
  } catch (error) {
    throw fileError("read", path, error);
  } finally {
    await handle.close();
  }
}

/** SHA-256 of a file's bytes, as 64 lower-case hex digits. */
export async function hashOf(bytes: Uint8Array): Promise<string> {
  const hash = await hasherFor(bytes.length);
  hash.update(bytes);
  return hash.hex();
}
