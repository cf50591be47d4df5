import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";

/** WASM files that the program loads at run time, by npm package. */
const WASM = {
  "web-tree-sitter": "web-tree-sitter.wasm",
  "tree-sitter-bash": "tree-sitter-bash.wasm",
  "esbuild-wasm": "esbuild.wasm",
};

/** Only building a pack needs it, and packed it is a quarter of its 14 MB. */
const PACKED: readonly string[] = ["esbuild-wasm"];

/**
 * Copies what the program reads beside its code into `stage`, at the same relative paths: `resources/`, each plugin's
 * manifest, and the WASM files as `resources/wasm/*` (the bundler's as `.gz`). Gives the paths of everything copied, sorted.
 */
export async function stageAssets(root: string, stage: string): Promise<string[]> {
  const staged = await filesUnder(root, "resources");
  for (const path of await filesUnder(root, "plugins")) {
    if (/^plugins\/[^/]+\/manifest\.json$/.test(path)) staged.push(path);
  }
  for (const path of staged) await copy(join(root, path), join(stage, path));
  for (const [name, file] of Object.entries(WASM)) {
    const path = `resources/wasm/${file}${PACKED.includes(name) ? ".gz" : ""}`;
    const from = join(root, "node_modules", name, file);
    if (PACKED.includes(name)) await pack(from, join(stage, path));
    else await copy(from, join(stage, path));
    staged.push(path);
  }
  return staged.sort();
}

async function filesUnder(root: string, directory: string): Promise<string[]> {
  const paths: string[] = [];
  for (const entry of await Array.fromAsync(Deno.readDir(join(root, directory)))) {
    const path = `${directory}/${entry.name}`;
    if (entry.isDirectory) paths.push(...await filesUnder(root, path));
    else if (entry.isFile) paths.push(path);
  }
  return paths;
}

async function pack(from: string, to: string): Promise<void> {
  await Deno.mkdir(dirname(to), { recursive: true });
  await Deno.writeFile(to, gzipSync(await Deno.readFile(from)));
}

async function copy(from: string, to: string): Promise<void> {
  await Deno.mkdir(dirname(to), { recursive: true });
  await Deno.copyFile(from, to);
}
