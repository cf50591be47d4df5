import { join } from "node:path";

/** A source file: its path from the root with `/`, and its text. */
export interface SourceFile {
  path: string;
  text: string;
}

const PLACES = ["core", "plugins", "tui", "tests", "scripts"];

/** Every TypeScript file of the project, in path order. */
export async function sourceFiles(root: string): Promise<SourceFile[]> {
  const paths = ["main.ts"];
  for (const place of PLACES) await collect(root, place, paths);
  const files: SourceFile[] = [];
  for (const path of paths.sort()) {
    try {
      files.push({ path, text: await Deno.readTextFile(join(root, path)) });
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
  return files;
}

/** True for tests and what only tests and builds use: they may import and call anything. */
export function isFree(path: string): boolean {
  return /^(tests|scripts)\//.test(path) || /_test\.tsx?$/.test(path);
}

async function collect(root: string, directory: string, paths: string[]): Promise<void> {
  let entries: Deno.DirEntry[];
  try {
    entries = await Array.fromAsync(Deno.readDir(join(root, directory)));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return;
    throw error;
  }
  for (const entry of entries) {
    const path = `${directory}/${entry.name}`;
    if (entry.isDirectory && entry.name !== "node_modules") await collect(root, path, paths);
    else if (entry.isFile && /\.tsx?$/.test(entry.name)) paths.push(path);
  }
}
