import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { errorMessage } from "../../base/mod.ts";
import type { World } from "../../base/mod.ts";
import type { PluginAuthorPort, PluginBuild, PluginRound } from "../../cli/mod.ts";
import type { BuiltPack, CheckRow, HookProtocol } from "../../plugin_host/author/mod.ts";
import { findPrograms } from "../program_paths.ts";

/** Making plugins: the template, the bundler, the conformance suite. */
export function pluginAuthorPort(
  root: URL,
  world: World,
  place: () => { home: string; app_root: string },
): PluginAuthorPort {
  const author = () => import("../../plugin_host/author/mod.ts");
  const bundledTools = async () => {
    const { readCatalog } = await import("../../plugin_host/mod.ts");
    const catalog = readCatalog(fileURLToPath(new URL("plugins", root)));
    return (tool: string) => catalog.find(tool)?.plugin;
  };
  const folder = (directory = ".") => resolve(directory);

  /** Builds with types checked where a Deno is found; one that lies in the pack does not count. */
  const build = async (directory: string, out: string | undefined, types: boolean) => {
    const { deno } = types ? findPrograms(["deno"], Deno.env.get("PATH"), directory) : {};
    const { buildPack } = await author();
    return await buildPack({
      directory,
      ...(out === undefined ? {} : { out: resolve(out) }),
      ...(deno === undefined ? {} : { deno }),
    });
  };
  const check = async (directory: string): Promise<CheckRow[]> => {
    const [{ checkPack }, toolOwner] = await Promise.all([author(), bundledTools()]);
    return await checkPack({
      directory,
      world,
      toolOwner,
      findPrograms: (names, workspace) => findPrograms(names, Deno.env.get("PATH"), workspace),
      hooks: await hookProtocol(),
      ...place(),
    });
  };
  return {
    async create({ kind, name, directory }) {
      const { newPack } = await author();
      const resource = (path: string) => fileURLToPath(new URL(`resources/${path}`, root));
      const target = folder(directory ?? name);
      const made = await newPack({
        kind,
        name,
        directory: target,
        templates: resource("plugin_template"),
        manifest_schema: resource("schemas/plugin-manifest.schema.json"),
        toolOwner: await bundledTools(),
      });
      return { directory: target, files: made };
    },
    async build({ directory, out }) {
      return shownBuild(await build(folder(directory), out, true));
    },
    check: ({ directory }) => check(folder(directory)),
    async dev({ directory, signal, round }) {
      const pack = folder(directory);
      const { devPack } = await author();
      let changed: string[] = [];
      await devPack({
        directory: pack,
        world,
        signal,
        changed(paths) {
          changed = paths;
        },
        async round() {
          let shown: PluginRound;
          try {
            const built = await build(pack, undefined, false);
            const checks = built.problems.length > 0 ? [] : await check(pack);
            shown = { changed, build: shownBuild(built), checks };
          } catch (error) {
            // the next change may mend it
            shown = { changed, checks: [], error: errorMessage(error) };
          }
          await round(shown);
        },
      });
    },
    guide: (topic) => Deno.readTextFile(fileURLToPath(new URL(`resources/docs/${topic}.md`, root))),
  };
}

/** How sessions read hooks. */
export async function hookProtocol(): Promise<HookProtocol> {
  const { FIRED_EVENTS, foldReplies, hookMatcher } = await import("../../extension/mod.ts");
  return {
    fits: (matcher, subject) => hookMatcher(matcher)([subject]),
    problems: (event, value) =>
      foldReplies(event, [{ name: "", source: "user", reply: { kind: "json", value } }]).problems
        .map((problem) => problem.replace(/^: /, "")),
    fired: (event) => FIRED_EVENTS.has(event),
  };
}

function shownBuild({ manifest, out, files, problems, warnings, types }: BuiltPack): PluginBuild {
  return {
    id: manifest.id,
    version: manifest.version,
    out,
    files: problems.length > 0 ? {} : files,
    problems,
    warnings,
    types_checked: types.kind === "checked" || types.kind === "failed",
    types_reason: types.kind === "skipped" ? types.reason : "",
  };
}
