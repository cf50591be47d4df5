import { join } from "node:path";
import { REPO_ROOT } from "./repo_root.ts";

/** What a compiled program is made of. */
const PLACES = ["main.ts", "deno.lock", "core", "plugins", "resources", "scripts"];

/** The newest file that `dist/lumina` is made of, tests left out: its path from the root and when it changed, in ms since 1970. */
export async function newestSource(): Promise<{ path: string; modified: number }> {
  let newest = { path: "", modified: 0 };
  const visit = async (path: string) => {
    const info = await Deno.stat(join(REPO_ROOT, path));
    if (info.isDirectory) {
      for await (const entry of Deno.readDir(join(REPO_ROOT, path))) await visit(`${path}/${entry.name}`);
    } else if (!/_test\.tsx?$/.test(path)) {
      const modified = info.mtime?.getTime() ?? 0;
      if (modified > newest.modified) newest = { path, modified };
    }
  };
  for (const place of PLACES) await visit(place);
  return newest;
}
