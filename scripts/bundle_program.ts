import * as esbuild from "esbuild";
import { dirname, join, relative } from "node:path";

/** Modules that are loaded by URL: they keep their place in the tree. Everything else goes into chunks. */
const ENTRIES = [
  "main.ts",
  "core/journal/worker.ts",
  "core/app/plugin_worker.ts",
  "core/model/worker.ts",
  "core/app/web/page_worker.ts",
  "core/plugin_host/process/pack_worker.ts",
];

/** V8 of the oldest Deno that the sources run on (2.6). */
const TARGET = "chrome142";

/** What esbuild made of the program. */
export interface Bundle {
  /** Paths of the entries inside the staging folder, `main.js` first. */
  entries: string[];
  /** Paths of all modules inside the staging folder, entries and chunks. */
  files: string[];
  modules: number;
  bytes: number;
}

/**
 * Bundles `main.ts` and the worker entries of `root` into `stage`, source maps into `maps`. Every `import.meta.url` keeps
 * its meaning: the staging folder has the layout of the checkout, with `.js` for `.ts`.
 */
export async function bundleProgram(root: string, stage: string, maps: string): Promise<Bundle> {
  const result = await esbuild.build({
    absWorkingDir: root,
    entryPoints: ENTRIES,
    outbase: ".",
    outdir: stage,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    // ES modules first: what is loaded by import() needs real named exports
    mainFields: ["module", "main"],
    target: TARGET,
    // the target names a browser: without this `node:` is taken off, and a process without a configuration knows no "path"
    supported: { "node-colon-prefix-import": true, "node-colon-prefix-require": true },
    minify: true,
    sourcemap: "external",
    legalComments: "none",
    chunkNames: "chunks/[name]-[hash]",
    define: { "process.env.NODE_ENV": '"production"' },
    plugins: [sourceUrls(root), withoutResources()],
    metafile: true,
    write: false,
    logLevel: "warning",
  });
  await esbuild.stop();
  let bytes = 0;
  const files: string[] = [];
  for (const file of result.outputFiles) {
    const place = relative(stage, file.path);
    const is_map = place.endsWith(".map");
    const target = join(is_map ? maps : stage, place);
    await Deno.mkdir(dirname(target), { recursive: true });
    const text = is_map ? file.text : withModuleGlobals(file.text, place);
    if (!is_map) {
      bytes += text.length;
      files.push(place.replaceAll("\\", "/"));
    }
    await Deno.writeTextFile(target, text);
  }
  return {
    entries: ENTRIES.map((entry) => entry.replace(/\.ts$/, ".js")),
    files: files.sort(),
    modules: Object.keys(result.metafile.inputs).length,
    bytes,
  };
}

/** In the project's own files `import.meta.url` becomes the URL of the file's place, not that of the chunk it ends up in. */
function sourceUrls(root: string): esbuild.Plugin {
  return {
    name: "source-urls",
    setup(build) {
      build.onLoad({ filter: /\.tsx?$/ }, async ({ path }) => {
        const place = relative(root, path).replaceAll("\\", "/");
        if (place.startsWith("..") || place.startsWith("node_modules/")) return undefined;
        const text = await Deno.readTextFile(path);
        if (!text.includes("import.meta.url")) return undefined;
        const contents = text
          .replaceAll(
            /new URL\((["'`])(\.[^"'`]*)\.tsx?\1,\s*import\.meta\.url/g,
            "new URL($1$2.js$1, import.meta.url",
          )
          .replaceAll(
            "import.meta.url",
            `__lumina_url__(${JSON.stringify(place.replace(/\.tsx?$/, ".js"))})`,
          );
        return { contents, loader: path.endsWith("x") ? "tsx" : "ts" };
      });
    },
  };
}

/**
 * Requests are posted by path through OpenAI's client, so its classes for single endpoints are empty in the bundle: they
 * are three quarters of the package, and a start would parse them all.
 */
function withoutResources(): esbuild.Plugin {
  return {
    name: "without-resources",
    setup(build) {
      build.onLoad({ filter: /node_modules[\\/]openai[\\/]resources[\\/].*\.mjs$/ }, async ({ path }) => {
        const text = await Deno.readTextFile(path);
        const again = [...text.matchAll(/^export (?:\*|\{[^}]*\}) from [^;]+;$/gm)].map(([line]) => line);
        const own = [...text.matchAll(/^export (?:class|const|let|var|function|async function) (\w+)/gm)]
          .map(([, name]) => `export class ${name} {}`);
        return { contents: [...again, ...own].join("\n"), loader: "js" };
      });
    },
  };
}

/**
 * Adds what a bundled module may refer to and esbuild does not give it. At the end, where hoisting finds it, so that source
 * maps stay right.
 */
function withModuleGlobals(text: string, place: string): string {
  const up = "../".repeat(place.split("/").length - 1) || "./";
  let added = "";
  if (text.includes("__lumina_url__")) {
    added += `function __lumina_url__(place){return new URL(${
      JSON.stringify(up)
    }+place,import.meta.url).href}\n`;
  }
  if (/\brequire\b/.test(text)) {
    added += 'import{createRequire as __lumina_require__}from"node:module";\n' +
      "function require(id){return __lumina_require__(import.meta.url)(id)}\n";
  }
  return text + added;
}
