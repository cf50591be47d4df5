import { dirname, join, resolve } from "node:path";
import { errorMessage, EXIT, LuminaError, nearest } from "../../base/mod.ts";
import { PLUGIN_KINDS } from "../../plugin_api/mod.ts";
import { CODE_KINDS } from "../packs/parse_manifest.ts";

/** What a new pack is made from. */
export interface NewPack {
  kind: string;
  /** Id of the pack: lower-case letters, digits, `_` and `-`. */
  name: string;
  /** Where it goes, absolute; it must not exist or be empty. */
  directory: string;
  /** Folder with one template for each kind. */
  templates: string;
  /** JSON Schema of `manifest.json`, for the author's editor. */
  manifest_schema: string;
  /** The plugin that has a tool of a name already. */
  toolOwner(tool: string): string | undefined;
}

/** The words of the template that become the pack's own. */
const TEMPLATE = { id: "sample_pack", title: "Sample pack", tool: "SamplePack", value: "samplePack" };

/**
 * Writes a working pack and gives the paths of its files, relative and sorted. Throws `plugin.kind` and `plugin.name`
 * (exit 2), `plugin.no_engine` (exit 2), `plugin.exists` (exit 5): nothing is ever overwritten.
 */
export async function newPack(
  { kind, name, directory, templates, manifest_schema, toolOwner }: NewPack,
): Promise<string[]> {
  requireKind(kind);
  const words = packWords(name);
  const owner = kind === "tools" ? toolOwner(words.tool) : undefined;
  if (owner !== undefined) {
    throw new LuminaError(
      "plugin.name",
      `"${name}" would have a tool ${words.tool}, which the bundled plugin ${owner} has: take another name`,
      { exit: EXIT.usage },
    );
  }
  await makeEmpty(directory);
  const template = join(templates, kind);
  const files: string[] = [];
  for (const path of await filesUnder(template, "")) {
    const target = path === "gitignore" ? ".gitignore" : path;
    const text = await Deno.readTextFile(join(template, path));
    await Deno.mkdir(dirname(join(directory, target)), { recursive: true });
    await Deno.writeTextFile(
      join(directory, target),
      path === "lumina.d.ts" ? text : withWords(text, words),
      { createNew: true },
    );
    files.push(target);
  }
  await Deno.copyFile(manifest_schema, join(directory, "manifest.schema.json"));
  return [...files, "manifest.schema.json"].sort();
}

function requireKind(kind: string): void {
  if (CODE_KINDS.some((engine) => engine === kind)) return;
  const known: readonly string[] = PLUGIN_KINDS;
  const makeable = CODE_KINDS.join(" or ");
  if (known.includes(kind)) {
    throw new LuminaError(
      "plugin.no_engine",
      `There is no template of a pack of kind ${kind}, only of ${
        CODE_KINDS.join(" and ")
      }: make a pack of kind ${makeable}, or write its manifest by hand`,
      { exit: EXIT.usage },
    );
  }
  const guess = nearest(kind, [...known]);
  throw new LuminaError(
    "plugin.kind",
    `There is no kind of plugin "${kind}"${
      guess === undefined ? "" : `, did you mean ${guess}?`
    }: a pack of kind ${makeable} can be made`,
    { exit: EXIT.usage },
  );
}

type PackWords = typeof TEMPLATE;

/** What the pack, its tool and its function are called. */
function packWords(name: string): PackWords {
  if (!/^[a-z][a-z0-9_-]{0,63}$/.test(name)) {
    const better = name.toLowerCase().replace(/[^a-z0-9]+/g, "_").replace(/^[^a-z]+|[_-]+$/g, "").slice(
      0,
      64,
    );
    throw new LuminaError(
      "plugin.name",
      `"${name}" cannot be a pack's name: it takes lower-case letters, digits, _ and -, at most 64, a letter first` +
        (better === "" ? "" : `; for example ${better}`),
      { exit: EXIT.usage },
    );
  }
  const parts = name.split(/[_-]/).filter((part) => part !== "");
  const tool = parts.map((part) => part.slice(0, 1).toUpperCase() + part.slice(1)).join("");
  const title = parts.join(" ");
  return {
    id: name,
    title: title.slice(0, 1).toUpperCase() + title.slice(1),
    tool,
    // a name that is a word of the language would not be one of a function
    value: `run${tool}`,
  };
}

function withWords(text: string, words: PackWords): string {
  return text
    .replaceAll(TEMPLATE.id.replaceAll("_", "-"), words.id.replaceAll("_", "-"))
    .replaceAll(TEMPLATE.id, words.id)
    .replaceAll(TEMPLATE.title, words.title)
    .replaceAll(TEMPLATE.tool, words.tool)
    .replaceAll(TEMPLATE.value, words.value);
}

/** Makes the folder, or takes an empty one that is there. */
async function makeEmpty(directory: string): Promise<void> {
  const conflict = (what: string) =>
    new LuminaError("plugin.exists", `${directory} ${what}: name another folder, nothing is overwritten`, {
      exit: EXIT.conflict,
    });
  try {
    await Deno.mkdir(directory, { recursive: true });
    for await (const _ of Deno.readDir(resolve(directory))) throw conflict("is not empty");
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists || error instanceof Deno.errors.NotADirectory) {
      throw conflict("is a file or lies below one");
    }
    if (error instanceof LuminaError) throw error;
    throw new LuminaError("plugin.write", `Cannot make ${directory}: ${errorMessage(error)}`, {
      cause: error,
    });
  }
}

async function filesUnder(root: string, below: string): Promise<string[]> {
  const paths: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(join(root, below))) {
    const path = below === "" ? name : `${below}/${name}`;
    if (isDirectory) paths.push(...await filesUnder(root, path));
    else paths.push(path);
  }
  return paths;
}
