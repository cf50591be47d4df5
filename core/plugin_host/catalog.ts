import { join } from "node:path";
import { errorMessage, LuminaError } from "../base/mod.ts";
import type { PluginManifest, ToolManifest } from "../plugin_api/mod.ts";

/** A tool and the plugin it comes from. */
export interface CatalogTool extends ToolManifest {
  plugin: string;
}

/**
 * Reads the manifests of the bundled plugins, `<directory>/<plugin>/manifest.json`. They are part of the program and
 * were checked with it (`catalog_test.ts`), so a start only fills in what they leave out. Throws `plugin.manifest` when
 * one cannot be read, `plugin.duplicate` when two plugins claim one tool name.
 */
export function readCatalog(directory: string): ToolCatalog {
  const manifests: PluginManifest[] = [];
  const names = [...Deno.readDirSync(directory)].filter((entry) => entry.isDirectory).map((entry) =>
    entry.name
  );
  for (const name of names.sort()) {
    const file = join(directory, name, "manifest.json");
    try {
      manifests.push(complete(JSON.parse(Deno.readTextFileSync(file))));
    } catch (error) {
      throw new LuminaError(
        "plugin.manifest",
        `Cannot read the plugin manifest ${file}: ${errorMessage(error)}`,
        {
          cause: error,
        },
      );
    }
  }
  return new ToolCatalog(manifests);
}

type Given<T> = Partial<T> & Pick<T, Extract<keyof T, "id" | "name">>;
type GivenManifest = Omit<Given<PluginManifest>, "contributes"> & {
  contributes?: { tools?: Given<ToolManifest>[] };
};

/** Fills in the defaults of `pluginManifest`. */
function complete(given: GivenManifest): PluginManifest {
  return {
    version: "",
    api: 1,
    title: given.id,
    kinds: [],
    capabilities: [],
    ...given,
    contributes: {
      tools: (given.contributes?.tools ?? []).map((tool): ToolManifest => ({
        aliases: [],
        description: "",
        input_schema: {},
        effect: "none",
        subject: { kind: "none" },
        capabilities: [],
        programs: [],
        parallel: false,
        repeat: "mark",
        timeout_ms: 60_000,
        ...tool,
      })),
    },
  };
}

/** All tools that plugins contribute, by name and alias. */
export class ToolCatalog {
  /** Sorted by name, so that every request lists them in the same order. */
  readonly tools: readonly CatalogTool[];
  readonly plugins: readonly PluginManifest[];
  #byName = new Map<string, CatalogTool>();

  constructor(manifests: readonly PluginManifest[]) {
    const tools = manifests.flatMap((manifest) =>
      manifest.contributes.tools.map((tool): CatalogTool => ({ ...tool, plugin: manifest.id }))
    );
    for (const tool of tools) {
      for (const name of [tool.name, ...tool.aliases]) {
        const other = this.#byName.get(name);
        if (other !== undefined) {
          throw new LuminaError(
            "plugin.duplicate",
            `Two plugins have a tool "${name}": ${other.plugin} and ${tool.plugin}`,
          );
        }
        this.#byName.set(name, tool);
      }
    }
    this.plugins = manifests;
    this.tools = tools.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** The tool of a name or alias; names are case-sensitive. */
  find(name: string): CatalogTool | undefined {
    return this.#byName.get(name);
  }
}
