import { basename, dirname, join } from "node:path";
import { VERSION } from "../../core/app/version.ts";
import { approvedRecord, PackRecords, reviewPack } from "../../core/plugin_host/packs/mod.ts";
import { runLumina } from "./run_lumina.ts";
import type { LuminaResult } from "./run_lumina.ts";

/** One tool of a pack made for a test. */
export type PackTool = { name: string } & Record<string, unknown>;

export interface PackOptions {
  id: string;
  tools: readonly PackTool[];
  /** Changes to the manifest. */
  manifest?: Record<string, unknown>;
  /** The module; by default tools that answer with their names. */
  code?: string;
}

/** Writes a pack into `folder`/<id>, without any record of it; gives its folder. */
export async function writePack(folder: string, { id, tools, manifest, code }: PackOptions): Promise<string> {
  const directory = join(folder, id);
  await Deno.mkdir(directory, { recursive: true });
  const whole = {
    id,
    version: "1.0.0",
    api: 1,
    title: `Pack ${id}`,
    kinds: ["tools"],
    entry: "mod.js",
    capabilities: [],
    contributes: {
      tools: tools.map((tool) => ({
        description: `Does ${tool.name}`,
        input_schema: { type: "object" },
        effect: "none",
        ...tool,
      })),
    },
    ...manifest,
  };
  await Deno.writeTextFile(join(directory, "manifest.json"), JSON.stringify(whole, null, 2));
  const answers = tools.map(({ name }) => `${name}: () => Promise.resolve({ content: "${name} of ${id}" })`);
  await Deno.writeTextFile(join(directory, "mod.js"), code ?? `export default { tools: { ${answers} } };\n`);
  return directory;
}

/** Approves a pack of the user as `lumina plugin trust` does. */
export async function approvePack(directory: string): Promise<void> {
  const id = basename(directory);
  const review = await reviewPack(directory, id, undefined);
  const records = new PackRecords(join(dirname(dirname(directory)), "plugins.json"));
  const record = approvedRecord(review, { kind: "path", value: directory }, Date.now(), VERSION);
  records.update((packs) => packs.set(id, record));
}

/** Runs `lumina plugin …` in an app root. */
export async function pluginCommand(
  app_root: string,
  cwd: string,
  args: readonly string[],
): Promise<LuminaResult> {
  return await runLumina(["plugin", ...args], { app_root, cwd });
}
