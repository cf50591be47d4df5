import { dirname, relative, resolve } from "node:path";
import { errorMessage } from "../../base/mod.ts";
import { startBundler } from "./bundler.ts";
import { resolveImport } from "./resolve_import.ts";

/** Sources made into one module. With problems there is no code. */
export interface Bundle {
  code: string;
  /** Names that the module exports. */
  exports: string[];
  /** The files that it was made of, absolute. */
  inputs: string[];
  /** One line each, with `file:line:column` from the pack's folder. */
  problems: string[];
  warnings: string[];
}

/** Language level of the oldest runtime that the program is made with. */
const TARGET = "es2024";
/** Namespaces of the runtime's modules that CommonJS packages require: what they get, and what that is taken from. */
const REQUIRED = "required";
const IMPORTED = "imported";
/** What a file is; every other kind is text. */
const LOADERS: Readonly<Record<string, "ts" | "tsx" | "js" | "jsx" | "json">> = {
  ts: "ts",
  mts: "ts",
  tsx: "tsx",
  js: "js",
  mjs: "js",
  cjs: "js",
  jsx: "jsx",
  json: "json",
};

/**
 * Bundles `entry` of the pack in `directory` and what it imports into one ES module. The same sources give the same bytes,
 * wherever they lie. The code stays readable: who installs a pack may want to read it.
 */
export async function bundleSources(directory: string, entry: string): Promise<Bundle> {
  const esbuild = await startBundler();
  const inputs = new Set<string>();
  // paths in the output are relative, so that no folder of the author's is published
  const place = (file: string) => relative(directory, file).replaceAll("\\", "/");
  const result = await esbuild.build({
    entryPoints: [entry],
    outfile: "mod.js",
    bundle: true,
    write: false,
    format: "esm",
    platform: "neutral",
    target: TARGET,
    charset: "utf8",
    // what many packages ask while they are loaded, where no variable may be read
    define: { "process.env.NODE_ENV": '"production"' },
    logLevel: "silent",
    metafile: true,
    plugins: [{
      name: "pack",
      setup(build) {
        build.onResolve({ filter: /.*/ }, ({ path, importer, kind, namespace }) => {
          if (kind === "entry-point") return { path, namespace: "pack" };
          try {
            if (namespace === REQUIRED) return { path, namespace: IMPORTED };
            if (namespace === IMPORTED) return { path, external: true };
            const resolved = resolveImport(path, dirname(resolve(directory, importer)));
            // a module of the runtime cannot be required from an ES module, only imported
            if ("external" in resolved && kind === "require-call") {
              return { path: resolved.external, namespace: REQUIRED };
            }
            return "external" in resolved
              ? { path: resolved.external, external: true }
              : { path: place(resolved.file), namespace: "pack" };
          } catch (error) {
            return { errors: [{ text: errorMessage(error) }] };
          }
        });
        build.onLoad({ filter: /.*/, namespace: REQUIRED }, ({ path }) => ({
          contents: `module.exports = require(${JSON.stringify(path)}).default;`,
          loader: "js",
        }));
        build.onLoad({ filter: /.*/, namespace: IMPORTED }, ({ path }) => ({
          contents: `export { default } from ${JSON.stringify(path)};`,
          loader: "js",
        }));
        build.onLoad({ filter: /.*/, namespace: "pack" }, async ({ path }) => {
          const file = resolve(directory, path);
          inputs.add(file);
          const loader = LOADERS[/\.([a-z]+)$/.exec(path)?.[1] ?? ""] ?? "text";
          return { contents: await Deno.readTextFile(file), loader };
        });
      },
    }],
  }).catch((error: unknown) => {
    if (isFailure(error)) return { ...error, outputFiles: [], metafile: { outputs: {} } };
    throw error;
  });
  const problems = result.errors.map(lineOf);
  const exported = Object.values(result.metafile.outputs)[0]?.exports ?? [];
  return {
    code: problems.length === 0 ? result.outputFiles[0]?.text ?? "" : "",
    exports: exported,
    inputs: [...inputs].sort(),
    problems,
    warnings: result.warnings.map(lineOf),
  };
}

interface Message {
  text: string;
  location: { file: string; line: number; column: number } | null;
}

function isFailure(error: unknown): error is { errors: Message[]; warnings: Message[] } {
  return error instanceof Error && "errors" in error && Array.isArray(error.errors);
}

function lineOf({ text, location }: Message): string {
  if (location === null) return text;
  return `${location.file.replace(/^pack:/, "")}:${location.line}:${location.column + 1}: ${text}`;
}
