import { dirname, join } from "node:path";

/** A directory of its own with all links resolved, removed when disposed. */
export interface TempDir extends AsyncDisposable {
  readonly path: string;
  /** The absolute path of something inside. */
  join(...parts: string[]): string;
  /** Writes a file, with the directories above it; gives its absolute path. */
  write(path: string, content: string | Uint8Array): Promise<string>;
  /** Reads a file as text. */
  read(path: string): Promise<string>;
}

/** Makes a temporary directory: `await using dir = await tempDir()`. */
export async function tempDir(prefix = "lumina-test-"): Promise<TempDir> {
  const path = await Deno.realPath(await Deno.makeTempDir({ prefix }));
  return {
    path,
    join: (...parts) => join(path, ...parts),
    async write(relative, content) {
      const file = join(path, relative);
      await Deno.mkdir(dirname(file), { recursive: true });
      if (typeof content === "string") await Deno.writeTextFile(file, content);
      else await Deno.writeFile(file, content);
      return file;
    },
    read: (relative) => Deno.readTextFile(join(path, relative)),
    async [Symbol.asyncDispose]() {
      await Deno.remove(path, { recursive: true });
    },
  };
}
