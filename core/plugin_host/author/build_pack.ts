import { basename, dirname, join, relative, resolve } from "node:path";
import { errorMessage, EXIT, LuminaError, nearest, sha256 } from "../../base/mod.ts";
import type { PluginManifest } from "../../plugin_api/mod.ts";
import { isJsonObject } from "../../types/mod.ts";
import { hookHandlers } from "../packs/pack_hook.ts";
import { bundleSources } from "./bundle_sources.ts";
import { checkTypes } from "./check_types.ts";
import type { TypeCheck } from "./check_types.ts";
import { readManifest } from "./read_manifest.ts";

/** A build; with problems nothing was written. */
export interface BuiltPack {
  manifest: PluginManifest;
  /** Where it was written, absolute. */
  out: string;
  /** Bytes by path in `out`. */
  files: Record<string, number>;
  /** One line each, with `file:line:column` where there is one. */
  problems: string[];
  warnings: string[];
  types: TypeCheck;
  /** The sources that went into it, absolute. */
  inputs: string[];
}

export interface BuildOptions {
  /** The pack's folder, absolute. */
  directory: string;
  /** Where to; `dist` in the pack's folder without it. */
  out?: string;
  /** A Deno to check types with; undefined leaves them unchecked. */
  deno?: string;
}

/** The module that a build makes. */
export const BUILT_ENTRY = "mod.js";
const SOURCES = ["src/mod.ts", "src/mod.js"];
/** Files beside the code that people expect in a package. */
const COPIED = /^(readme|license|licence|changelog|notice)(\.(md|txt))?$/i;

/** The files of a build in memory: the module, the copied ones and the manifest with their hashes. */
export interface PackFiles {
  manifest: PluginManifest;
  files: Map<string, string>;
  problems: string[];
  warnings: string[];
  inputs: string[];
  source: string;
}

/** Makes the files of a pack from its sources; the same sources give the same bytes. Throws what `readManifest` throws. */
export async function makePackFiles(directory: string): Promise<PackFiles> {
  const { given, manifest } = await readManifest(directory);
  const source = await findSource(directory);
  const { code, exports, inputs, problems, warnings } = await bundleSources(directory, source);
  if (problems.length === 0) problems.push(...exportProblems(manifest, source, exports));
  if (manifest.entry !== BUILT_ENTRY) {
    problems.push(`manifest.json: entry must be "${BUILT_ENTRY}", the module that a build makes`);
  }
  const files = new Map<string, string>([[BUILT_ENTRY, code]]);
  for (const { name } of await Array.fromAsync(Deno.readDir(directory))) {
    if (COPIED.test(name)) files.set(name, await Deno.readTextFile(join(directory, name)));
    if (name === "package.json") {
      files.set(name, packageJson(await Deno.readTextFile(join(directory, name)), manifest));
    }
  }
  const sorted = [...files].sort(([a], [b]) => (a < b ? -1 : 1));
  const integrity = Object.fromEntries(sorted.map(([name, text]) => [name, sha256(text)]));
  // the schema is for the author's editor and stays with the sources
  const { $schema: _, ...published } = given;
  const finished = `${JSON.stringify({ ...published, integrity }, null, 2)}\n`;
  return {
    manifest: { ...manifest, integrity },
    files: new Map([...sorted, ["manifest.json", finished]]),
    problems,
    warnings,
    inputs: [...inputs, join(directory, "manifest.json")],
    source,
  };
}

/**
 * Builds a pack into a folder that can be installed, packed or published. A build that fails leaves the old one. Throws
 * what `readManifest` throws, `plugin.no_source` (exit 4), `plugin.exists` (exit 5) when `out` holds something else than a
 * build.
 */
export async function buildPack({ directory, out, deno }: BuildOptions): Promise<BuiltPack> {
  const target = out ?? join(directory, "dist");
  await requireBuildFolder(directory, target);
  const { manifest, files, problems, warnings, inputs, source } = await makePackFiles(directory);
  const types = await checkTypes(directory, source, deno);
  if (types.kind === "failed") problems.push(...notSaidYet(types.problems, problems));
  if (problems.length === 0) await replaceFolder(target, files);
  return {
    manifest,
    out: target,
    files: Object.fromEntries(
      [...files].map(([name, text]) => [name, new TextEncoder().encode(text).length]),
    ),
    problems,
    warnings,
    types,
    inputs,
  };
}

/** Problems at places of which the bundler has said nothing: a missing module is one problem, not two. */
function notSaidYet(problems: readonly string[], said: readonly string[]): string[] {
  const place = (problem: string) => /^.+?:\d+:\d+: /.exec(problem)?.[0];
  const places = new Set(said.map(place));
  return problems.filter((problem) => place(problem) === undefined || !places.has(place(problem)));
}

/** What the manifest names and the module does not export. */
function exportProblems(manifest: PluginManifest, source: string, exports: readonly string[]): string[] {
  const problems: string[] = [];
  if (manifest.contributes.tools.length > 0 && !exports.includes("default")) {
    problems.push(`${source}: it has no default export; add export default { tools: { … } }`);
  }
  for (const handler of hookHandlers(manifest)) {
    if (exports.includes(handler)) continue;
    const near = nearest(handler, [...exports]);
    const hint = near === undefined ? `add export const ${handler} = …` : `did you mean ${near}?`;
    problems.push(`${source}: it does not export ${handler}, a hook of manifest.json; ${hint}`);
  }
  return problems;
}

async function findSource(directory: string): Promise<string> {
  for (const source of SOURCES) if (await exists(join(directory, source))) return source;
  const hint = await exists(join(directory, BUILT_ENTRY))
    ? "it seems to be built already"
    : `write ${SOURCES[0]}`;
  throw new LuminaError("plugin.no_source", `${directory} has no ${SOURCES.join(" or ")}: ${hint}`, {
    exit: EXIT.not_found,
  });
}

/** What npm wants to know of a package, without what only its author needs. The version is the manifest's. */
function packageJson(text: string, { version, description }: PluginManifest): string {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch (error) {
    throw new LuminaError("plugin.package", `package.json is not valid JSON: ${errorMessage(error)}`);
  }
  if (!isJsonObject(given)) throw new LuminaError("plugin.package", "package.json must be a JSON object");
  const { scripts: _, dependencies: __, devDependencies: ___, files: ____, private: _____, ...kept } = given;
  const made = { ...kept, version, ...(description === undefined ? {} : { description }), type: "module" };
  return `${JSON.stringify(made, null, 2)}\n`;
}

/** A build replaces its folder: what else it held would be gone, or would be published. */
async function requireBuildFolder(directory: string, out: string): Promise<void> {
  const inside = relative(resolve(out), resolve(directory));
  if (inside === "" || !inside.startsWith("..")) {
    throw new LuminaError(
      "plugin.exists",
      `${out} holds the pack itself: build it into a folder of its own`,
      {
        exit: EXIT.conflict,
      },
    );
  }
  let names: string[];
  try {
    names = (await Array.fromAsync(Deno.readDir(out))).map(({ name }) => name);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return;
    throw new LuminaError("plugin.exists", `Cannot build into ${out}: ${errorMessage(error)}`, {
      exit: EXIT.conflict,
    });
  }
  if (names.length > 0 && !(names.includes("manifest.json") && names.includes(BUILT_ENTRY))) {
    throw new LuminaError(
      "plugin.exists",
      `${out} is not empty and no build of a pack: name another folder with -o, nothing is overwritten`,
      { exit: EXIT.conflict },
    );
  }
}

async function replaceFolder(out: string, files: ReadonlyMap<string, string>): Promise<void> {
  try {
    await Deno.mkdir(dirname(out), { recursive: true });
    const fresh = await Deno.makeTempDir({ dir: dirname(out), prefix: `.${basename(out)}-` });
    try {
      for (const [name, text] of files) await Deno.writeTextFile(join(fresh, name), text);
      await Deno.chmod(fresh, 0o755).catch(() => {}); // where there are no modes there is nothing to widen
      if (await exists(out)) await Deno.remove(out, { recursive: true });
      await Deno.rename(fresh, out);
    } catch (error) {
      await Deno.remove(fresh, { recursive: true }).catch(() => {}); // the first error says what is wrong
      throw error;
    }
  } catch (error) {
    throw new LuminaError("plugin.write", `Cannot write the build to ${out}: ${errorMessage(error)}`, {
      cause: error,
    });
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await Deno.lstat(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return false;
    throw error;
  }
}
