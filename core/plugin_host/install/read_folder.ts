import { join } from "node:path";
import { openChecked } from "../../files/mod.ts";
import type { EntryVisitor } from "./entry_list.ts";

/** What lies beside a pack in the folder of its author and is never part of it. */
const LEFT_OUT = new Set([".git", "node_modules"]);
const CHUNK = 64 * 1024;

/**
 * Shows everything in a folder to `visit`, sorted, but for `.git` and `node_modules`. Links are shown and never followed.
 * Throws `files.*` for what cannot be read or changes meanwhile, and what `visit` throws.
 */
export async function readFolder(folder: string, visit: EntryVisitor): Promise<void> {
  const root = await Deno.realPath(folder);
  const walk = async (below: string): Promise<void> => {
    const names: string[] = [];
    for await (const { name } of Deno.readDir(join(root, below))) names.push(name);
    for (const name of names.sort()) {
      if (LEFT_OUT.has(name)) continue;
      const path = below === "" ? name : `${below}/${name}`;
      const info = await Deno.lstat(join(root, path));
      const kind = info.isSymlink ? "link" : info.isDirectory ? "folder" : info.isFile ? "file" : "special";
      const sink = visit({ path, kind, size: info.size });
      if (sink !== undefined) {
        const { handle } = await openChecked(join(root, path), "read");
        try {
          const buffer = new Uint8Array(CHUNK);
          for (;;) {
            const { bytesRead } = await handle.read(buffer, 0, buffer.length, null);
            if (bytesRead === 0) break;
            sink.write(buffer.subarray(0, bytesRead));
          }
        } finally {
          await handle.close();
        }
        sink.end();
      } else if (kind === "folder") await walk(path);
    }
  };
  await walk("");
}
