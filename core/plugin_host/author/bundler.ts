import { fileURLToPath } from "node:url";
import { LuminaError } from "../../base/mod.ts";

export type Esbuild = typeof import("esbuild-wasm");

let starting: Promise<Esbuild> | undefined;
/** Compiled once: a second start takes a few milliseconds. */
let compiled: WebAssembly.Module | undefined;

/**
 * The bundler, started at its first use and then kept: its WebAssembly is 14 MB and takes most of a second. It runs in this
 * thread and touches no disk itself. Throws `plugin.bundler`.
 */
export function startBundler(): Promise<Esbuild> {
  starting ??= start().catch((error) => {
    starting = undefined; // the next call may find the file
    throw new LuminaError(
      "plugin.bundler",
      `Cannot start the bundler (${String(error)}); reinstall Lumina or run deno install`,
      { cause: error },
    );
  });
  return starting;
}

/** Ends the bundler; the next use starts it again. */
export async function stopBundler(): Promise<void> {
  const running = starting;
  starting = undefined;
  await (await running)?.stop();
}

async function start(): Promise<Esbuild> {
  const [esbuild, wasmModule] = await Promise.all([
    import("esbuild-wasm/esm/browser.js") as unknown as Promise<Esbuild>,
    compiled ?? loadModule(),
  ]);
  compiled = wasmModule;
  await esbuild.initialize({ wasmModule, worker: false });
  return esbuild;
}

/** From `resources/wasm` of the compiled program, where it is packed, else from the installed npm package. */
async function loadModule(): Promise<WebAssembly.Module> {
  for (const up of ["../../../", "./", "../"]) {
    try {
      const packed = await Deno.readFile(new URL(`${up}resources/wasm/esbuild.wasm.gz`, import.meta.url));
      const bytes = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
      return await WebAssembly.compile(await new Response(bytes).arrayBuffer());
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
  const file = fileURLToPath(new URL("../esbuild.wasm", import.meta.resolve("esbuild-wasm/esm/browser.js")));
  return await WebAssembly.compile(await Deno.readFile(file));
}
