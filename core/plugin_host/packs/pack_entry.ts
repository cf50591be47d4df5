import { join } from "node:path";
import { errorMessage, loadNativeHash, LuminaError, sha256 } from "../../base/mod.ts";
import type { Pack } from "./pack.ts";

/**
 * The bytes of a pack's module, read once and equal to what was approved: whoever runs them never reads the file again.
 * Throws `plugin.changed` when they are not what was approved, `plugin.unreadable` when they cannot be read.
 */
export async function packEntry(pack: Pack): Promise<Uint8Array> {
  const entry = pack.manifest.entry ?? "";
  await loadNativeHash();
  let bytes: Uint8Array;
  try {
    bytes = await Deno.readFile(join(pack.directory, entry));
  } catch (error) {
    throw new LuminaError(
      "plugin.unreadable",
      `Pack "${pack.id}": cannot read ${entry}: ${errorMessage(error)}`,
      {
        cause: error,
      },
    );
  }
  const approved = pack.files[entry];
  if (approved === undefined || sha256(bytes) !== approved) throw changed(pack.id, entry);
  return bytes;
}

function changed(id: string, path: string): LuminaError {
  return new LuminaError(
    "plugin.changed",
    `Pack "${id}": ${path} is not what was approved, so it does not run: lumina plugin trust ${id} shows what changed`,
  );
}
