import { dirname } from "node:path";
import { errorMessage, EXIT, LuminaError, writeFileAtomic } from "../base/mod.ts";
import type { CliIo } from "./io.ts";

/** Where a command puts a text. */
export interface TextTarget {
  /** Absent or `-`: standard output. */
  output?: string;
  /** Replace a file that is there. */
  force?: true;
}

/**
 * Refuses a target that the text could not go to, before any work is done: `cli.exists` (exit 5) for a file that is there
 * without `force`, `cli.no_folder` (exit 4) for one whose folder is missing.
 */
export function assertTarget({ output, force }: TextTarget): void {
  if (output === undefined || output === "-") return;
  if (output === "") {
    throw new LuminaError("cli.usage", "Cannot write: the file's name is empty", { exit: EXIT.usage });
  }
  const info = stat(output);
  if (info?.isDirectory) {
    throw new LuminaError("cli.exists", `Cannot write ${output}: it is a folder; name a file in it`, {
      exit: EXIT.conflict,
    });
  }
  if (info !== undefined && !force) throw exists(output);
  const folder = dirname(output);
  if (!stat(folder)?.isDirectory) {
    throw new LuminaError("cli.no_folder", `Cannot write ${output}: there is no folder ${folder}`, {
      exit: EXIT.not_found,
    });
  }
}

/**
 * Writes a text whole, to standard output or into a file that only its owner may read; a file that came meanwhile is not
 * replaced without `force`. Throws what `assertTarget` throws, and `cli.output` (exit 1).
 */
export async function writeTarget(io: CliIo, text: string, target: TextTarget): Promise<void> {
  const { output } = target;
  if (output === undefined || output === "-") return await io.out(text);
  assertTarget(target);
  try {
    if (target.force) return writeFileAtomic(output, text);
    const file = await Deno.open(output, { write: true, createNew: true, mode: 0o600 });
    try {
      const bytes = new TextEncoder().encode(text);
      for (let sent = 0; sent < bytes.length;) sent += await file.write(bytes.subarray(sent));
    } catch (error) {
      await Deno.remove(output); // half a file is none
      throw error;
    } finally {
      file.close();
    }
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) throw exists(output);
    throw new LuminaError("cli.output", `Cannot write ${output}: ${errorMessage(error)}`, { cause: error });
  }
}

function exists(path: string): LuminaError {
  return new LuminaError(
    "cli.exists",
    `${path} exists already: give another name, or --force to replace it`,
    {
      exit: EXIT.conflict,
    },
  );
}

function stat(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.statSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return undefined;
    throw new LuminaError("cli.output", `Cannot write ${path}: ${errorMessage(error)}`, { cause: error });
  }
}
