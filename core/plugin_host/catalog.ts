import { join } from "node:path";
import { errorMessage, LuminaError, wireName } from "../base/mod.ts";
import type { PluginManifest, ToolManifest } from "../plugin_api/mod.ts";
import { objectSchema } from "./object_schema.ts";
import type { Pack, PackProblem } from "./packs/pack.ts";
import { schemaFault } from "./schema_fault.ts";

/** A tool and the plugin it comes from. */
export interface CatalogTool extends ToolManifest {
  plugin: string;
  /** Set of a tool that runs in the process tier. */
  pack?: Pack;
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
      manifests.push(completeManifest(JSON.parse(Deno.readTextFileSync(file))));
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

/** Fills in the defaults of `manifestSchema` in a manifest that was checked before. */
export function completeManifest(given: GivenManifest): PluginManifest {
  return {
    version: "",
    api: 1,
    title: given.id,
    kinds: [],
    capabilities: [],
    ...given,
    contributes: {
      ...given.contributes,
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
  /** The program's own. */
  readonly plugins: readonly PluginManifest[];
  /** Those of others, as far as they are switched on. */
  readonly packs: readonly Pack[];
  /** What could not be taken of them. */
  readonly problems: readonly PackProblem[];
  /** Every name that settings may use: of what is switched off too. */
  readonly known: { readonly plugins: readonly string[]; readonly tools: readonly string[] };
  #byName = new Map<string, CatalogTool>();
  /** By the name in lower case: a person would take `READ` for `Read`. */
  #folded = new Map<string, CatalogTool>();

  /** Throws `plugin.duplicate` when two of the program's own plugins claim one tool name. */
  constructor(
    manifests: readonly PluginManifest[],
    packs: readonly Pack[] = [],
    off: readonly string[] = [],
  ) {
    const tools = manifests.flatMap((manifest) =>
      manifest.contributes.tools.map((tool): CatalogTool => ({ ...tool, plugin: manifest.id }))
    );
    for (const tool of tools) {
      const taken = this.#taken(tool);
      if (taken !== undefined) {
        throw new LuminaError(
          "plugin.duplicate",
          `Two plugins have a tool "${taken.name}": ${taken.by.plugin} and ${tool.plugin}`,
        );
      }
      this.#add(tool);
    }
    const problems: PackProblem[] = [];
    this.packs = packs.filter(({ id, enabled, scope }) =>
      enabled && scope !== "bundled" && !off.includes(id)
    );
    for (const pack of this.packs) {
      for (const own of pack.manifest.contributes.tools) {
        const input_schema = objectSchema(own.input_schema);
        const tool: CatalogTool = { ...own, input_schema, plugin: pack.id, pack };
        const taken = this.#taken(tool);
        const wrong = taken === undefined ? schemaFault(input_schema) : undefined;
        if (taken === undefined && wrong === undefined) {
          this.#add(tool);
          tools.push(tool);
          continue;
        }
        const why = taken === undefined
          ? `its input_schema cannot be used: ${wrong}`
          : `${taken.by.plugin} has a tool "${taken.name}"`;
        const message = `Pack "${pack.id}": its tool ${own.name} is not offered, because ${why}`;
        problems.push({ pack: pack.id, scope: pack.scope, message });
      }
    }
    this.problems = problems;
    const all = [...manifests, ...packs.map(({ manifest }) => manifest)];
    this.known = {
      plugins: all.map(({ id }) => id),
      tools: all.flatMap(({ contributes }) =>
        contributes.tools.flatMap(({ name, aliases }) => [name, ...aliases])
      ),
    };
    this.plugins = manifests;
    this.tools = tools.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** The same with the tools of packs, without those in `off`; what an earlier plugin has under a name stays. */
  withPacks(packs: readonly Pack[], off: readonly string[] = []): ToolCatalog {
    return new ToolCatalog(this.plugins, packs, off);
  }

  /** True for a tool of a bundled plugin that has no code of its own: Lumina itself carries it out. */
  carriedOutByHost(tool: CatalogTool): boolean {
    return tool.pack === undefined &&
      this.plugins.some(({ id, entry }) => id === tool.plugin && entry === undefined);
  }

  /** The tool of a name or alias, also as a provider has it; names are case-sensitive. */
  find(name: string): CatalogTool | undefined {
    return this.#byName.get(name);
  }

  #taken(tool: CatalogTool): { name: string; by: CatalogTool } | undefined {
    for (const name of [tool.name, ...tool.aliases].flatMap((own) => [own, wireName(own)])) {
      const by = this.#folded.get(name.toLowerCase());
      if (by !== undefined) return { name, by };
    }
    return undefined;
  }

  #add(tool: CatalogTool): void {
    for (const name of [tool.name, ...tool.aliases].flatMap((own) => [own, wireName(own)])) {
      this.#byName.set(name, tool);
      this.#folded.set(name.toLowerCase(), tool);
    }
  }
}
