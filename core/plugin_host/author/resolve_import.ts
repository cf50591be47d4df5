import { dirname, isAbsolute, join, resolve } from "node:path";
import { exports as packageExports, imports as packageImports, legacy } from "resolve.exports";
import { errorMessage } from "../../base/mod.ts";

/** Where an import leads: a file on disk, or a module of the runtime that stays an import. */
export type Resolved = { file: string } | { external: string };

const EXTENSIONS = [".ts", ".tsx", ".mts", ".js", ".mjs", ".cjs", ".jsx", ".json"];
/** A pack runs outside a browser and brings its code with it. */
const CONDITIONS = { conditions: ["deno", "module"] };

/**
 * Finds what an import means in a pack's sources: a relative path, `node:` modules, or an npm package in a `node_modules`
 * folder above the importing file. Throws with a line that says what to do instead.
 */
export function resolveImport(specifier: string, directory: string): Resolved {
  if (specifier.startsWith("node:")) return { external: specifier };
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(specifier)?.[1];
  if (scheme === "npm" || scheme === "jsr") {
    const name = specifier.slice(4).replace(/^\/+/, "").replace(/(?<=.)@.*$/, "");
    throw new Error(
      `"${specifier}": a pack brings its code along; run npm install ${name} and import it as "${name}"`,
    );
  }
  if (scheme !== undefined) {
    throw new Error(`"${specifier}": a pack imports files, npm packages in node_modules and node: modules`);
  }
  if (/^\.{0,2}\//.test(specifier) || specifier === "." || specifier === "..") {
    return { file: found(resolve(directory, specifier), specifier) };
  }
  if (isAbsolute(specifier)) return { file: found(specifier, specifier) };
  return fromPackage(specifier, directory);
}

function found(path: string, specifier: string): string {
  const file = asFile(path) ?? asFile(join(path, "index"));
  if (file === undefined) throw new Error(`Cannot find "${specifier}"`);
  return file;
}

/** The path itself or with an extension; `./x.js` also means `./x.ts`, as TypeScript has it. */
function asFile(path: string): string | undefined {
  const typescript = /\.([mc]?)js$/.test(path) ? [path.replace(/js$/, "ts")] : [];
  return [path, ...EXTENSIONS.map((extension) => path + extension), ...typescript].find(isFile);
}

function fromPackage(specifier: string, directory: string): Resolved {
  const own = specifier.startsWith("#");
  const name = own ? "" : /^(@[^/]+\/[^/]+|[^/]+)/.exec(specifier)?.[1] ?? specifier;
  for (let place = directory;; place = dirname(place)) {
    const home = own ? place : join(place, "node_modules", name);
    const manifest = packageManifest(home);
    if (manifest !== undefined) {
      const target = own
        ? packageImports(manifest, specifier, CONDITIONS)?.[0]
        : entryOf(manifest, specifier, name);
      if (target === undefined) {
        throw new Error(`"${specifier}" is not among what ${own ? home : name} gives away`);
      }
      if (!target.startsWith(".")) return resolveImport(target, home);
      return { file: found(join(home, target), specifier) };
    }
    if (dirname(place) === place) break;
  }
  if (isRuntimeModule(name)) return { external: `node:${specifier}` };
  throw new Error(`Cannot find "${specifier}": run npm install ${name}`);
}

function entryOf(manifest: PackageManifest, specifier: string, name: string): string | undefined {
  if (manifest.exports !== undefined) return packageExports(manifest, specifier, CONDITIONS)?.[0];
  if (specifier !== name) return `.${specifier.slice(name.length)}`;
  const main = legacy(manifest, { browser: false });
  return main === undefined ? "./index.js" : `./${main.replace(/^\.?\//, "")}`;
}

interface PackageManifest {
  name: string;
  exports?: unknown;
}

/** `package.json` of a folder; undefined where there is none. Without its own name a package has that of its folder. */
function packageManifest(directory: string): PackageManifest | undefined {
  let text: string;
  try {
    text = Deno.readTextFileSync(join(directory, "package.json"));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return undefined;
    throw error;
  }
  try {
    return { name: "", ...JSON.parse(text) as Partial<PackageManifest> };
  } catch (error) {
    throw new Error(`${join(directory, "package.json")} is not valid JSON: ${errorMessage(error)}`);
  }
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return false;
    throw error;
  }
}

/** The modules that npm packages import by their old names. */
function isRuntimeModule(name: string): boolean {
  return RUNTIME_MODULES.has(name);
}

const RUNTIME_MODULES = new Set(
  ("assert async_hooks buffer child_process crypto dns events fs http http2 https module net os path perf_hooks process " +
    "punycode querystring readline stream string_decoder timers tls tty url util v8 vm worker_threads zlib")
    .split(" "),
);
