import { dirname } from "node:path";
import { errorMessage, LuminaError, writeFileAtomic } from "../base/mod.ts";
import type { Json } from "../types/mod.ts";
import { withFolderLock } from "./folder_lock.ts";
import { editJsonc } from "./jsonc_edit.ts";
import { decodeSettings, invalidSettings, parseSettings } from "./settings_file.ts";

/**
 * Sets one value in a settings file, or removes it with `undefined`. Everything else keeps its bytes: comments, order,
 * `${VAR}` references, byte order mark, line ends. `path` walks through objects (names) and lists (indexes; the list's
 * length appends). The file is written atomically with mode 0600, through a link to the file it names; an absent one is
 * made. Throws `config.invalid` when the file cannot be parsed: it stays as it is then; `config.unwritable` when it
 * cannot be written.
 */
export async function editSetting(
  file: string,
  path: readonly (string | number)[],
  value: Json | undefined,
): Promise<void> {
  await withFolderLock(file, () => editLocked(file, path, value));
}

/** The same for whoever holds the lock of the file's folder. */
export async function editLocked(
  file: string,
  path: readonly (string | number)[],
  value: Json | undefined,
): Promise<void> {
  const jsonc = await import("jsonc-parser");
  const { target, bytes } = await readTarget(file);
  const mark = bytes.length >= 3 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
    ? "\ufeff"
    : "";
  const text = decodeSettings(bytes, file);
  await parseSettings(text, file);
  const empty = jsonc.parseTree(text, [], { allowTrailingComma: true }) === undefined;
  const after = editJsonc(empty ? `${text}{}\n` : text, path, value, jsonc);
  if (after === undefined) {
    throw invalidSettings(
      `${file}: cannot set "${path.join(".")}": a part of that path holds another kind of value`,
      {
        file,
      },
    );
  }
  if (after === text) return;
  await parseSettings(after, file);
  try {
    await Deno.mkdir(dirname(target), { recursive: true, mode: 0o700 });
    writeFileAtomic(target, mark + after);
  } catch (error) {
    throw new LuminaError(
      "config.unwritable",
      `Cannot write the settings file ${file}: ${errorMessage(error)}`,
      {
        cause: error,
      },
    );
  }
}

/** The file behind any links, with its bytes. */
async function readTarget(file: string): Promise<{ target: string; bytes: Uint8Array }> {
  try {
    const target = await Deno.realPath(file);
    return { target, bytes: await Deno.readFile(target) };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return { target: file, bytes: new Uint8Array() };
    throw new LuminaError(
      "config.unwritable",
      `Cannot read the settings file ${file}: ${errorMessage(error)}`,
      {
        cause: error,
      },
    );
  }
}
