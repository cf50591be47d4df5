import { join } from "node:path";
import { errorMessage, LuminaError, sha256 } from "../../base/mod.ts";
import { byteLength } from "../../plugin_api/mod.ts";
import type { PluginManifest, ToolManifest } from "../../plugin_api/mod.ts";
import type { Pack } from "../packs/pack.ts";
import { hashPackFiles } from "../packs/pack_files.ts";
import { packHooks } from "../packs/pack_hook.ts";
import { ProcessTier } from "../process/process_tier.ts";
import { InputValidator } from "../validate_input.ts";
import { makePackFiles } from "./build_pack.ts";
import { stopBundler } from "./bundler.ts";
import { checkHook } from "./check_hook.ts";
import type { HookProtocol } from "./check_hook.ts";
import type { AddRow, CheckRow } from "./check_row.ts";
import { PackRuns } from "./pack_runs.ts";
import type { PackRunOptions } from "./pack_runs.ts";
import { readManifest } from "./read_manifest.ts";
import { badInputs, longInput, sampleInput } from "./sample_input.ts";

export interface CheckOptions extends PackRunOptions {
  /** The pack's folder with sources, or a built one; absolute. */
  directory: string;
  /** The plugin that has a tool of a name already. */
  toolOwner(tool: string): string | undefined;
  hooks: HookProtocol;
}

/**
 * Runs the conformance suite of a pack's kind on the built pack. Each row holds or says what to do; the rows after the first
 * that leaves nothing to run are left out. Never throws for a pack that is wrong.
 */
export async function checkPack(options: CheckOptions): Promise<CheckRow[]> {
  const { directory, toolOwner } = options;
  const rows: CheckRow[] = [];
  const row = (check: string, problem: string | undefined, detail: string, tool?: string): boolean => {
    rows.push({
      check,
      ...(tool === undefined ? {} : { tool }),
      ok: problem === undefined,
      detail: problem ?? detail,
    });
    return problem === undefined;
  };
  const built = await builtFolder(directory);
  let manifest: PluginManifest;
  try {
    ({ manifest } = await readManifest(built));
  } catch (error) {
    row("manifest", errorMessage(error), "");
    return rows;
  }
  const { tools } = manifest.contributes;
  const taken = tools.flatMap(({ name, aliases }) => [name, ...aliases]).find((name) =>
    toolOwner(name) !== undefined
  );
  row(
    "manifest",
    taken === undefined ? undefined : `the bundled plugin ${toolOwner(taken)} has a tool ${taken}: rename it`,
    `${manifest.id} ${manifest.version}, ${brings(manifest)}`,
  );
  const files = await hashPackFiles(built, manifest.id);
  if (!row("files", fileProblem(manifest, files), `${Object.keys(files).length} files, hashes agree`)) {
    return rows;
  }
  if (built !== directory) {
    row("up to date", await staleness(directory, files), "what the sources make");
    await stopBundler(); // it keeps a core busy, and the pack's start has a time limit
  }
  await checkCalls(options, { built, manifest, files }, row);
  return rows;
}

/** What is checked by running the pack. */
async function checkCalls(
  options: CheckOptions,
  { built, manifest, files }: { built: string; manifest: PluginManifest; files: Record<string, string> },
  row: AddRow,
): Promise<void> {
  const tier = new ProcessTier({ variable: (name) => Deno.env.get(name) });
  const scratch = await Deno.realPath(await Deno.makeTempDir({ prefix: "lumina-check-" }));
  try {
    const place = async (name: string) => {
      await Deno.mkdir(join(scratch, name));
      return join(scratch, name);
    };
    const pack: Pack = {
      id: manifest.id,
      scope: "user",
      directory: built,
      manifest,
      grant: manifest.capabilities,
      files,
      enabled: true,
      data_dir: await place("data"),
      version: manifest.version,
    };
    const places = { workspace: await place("workspace"), spill_dir: await place("spill") };
    const runs = new PackRuns(options, tier, pack, places);
    const loading = await runs.loadProblem();
    if (!row("loads", loading, "with no permission at all")) return;
    for (const tool of manifest.contributes.tools) await checkTool(tool, runs, row);
    for (const hook of packHooks(manifest)) await checkHook(hook, runs, options.hooks, row);
  } finally {
    await tier.close();
    await Deno.remove(scratch, { recursive: true });
  }
}

async function checkTool(tool: ToolManifest, runs: PackRuns, row: AddRow): Promise<void> {
  const { name, input_schema } = tool;
  const validator = new InputValidator();
  const input = sampleInput(input_schema);
  let wrong: string[];
  try {
    wrong = validator.check(input_schema, input);
  } catch (error) {
    row("input schema", `it is no JSON Schema: ${errorMessage(error)}`, "", name);
    return;
  }
  if (wrong.length > 0) {
    const problem = `no input could be made (${wrong[0]}): give input_schema "examples": [{ … }]`;
    row("input schema", problem, "", name);
    return;
  }
  row("input schema", undefined, JSON.stringify(input).slice(0, 80), name);
  const accepted = badInputs(input_schema, input).find((bad) =>
    validator.check(input_schema, bad.input).length === 0
  );
  row("refuses bad input", accepted?.hint, "each one tried", name);
  const { problem, outcome, ms } = await runs.trivial(tool, input);
  const said = outcome?.is_error === true ? `an error: ${outcome.content.slice(0, 80)}` : "a result";
  if (!row("answers", problem, `${said}, after ${ms} ms`, name) || outcome === undefined) return;
  const limit = runs.limit("result_bytes");
  const bytes = byteLength(outcome.content);
  row(
    "result size",
    bytes > limit ? `${bytes} bytes, at most ${limit}: give less, or write it to a file` : undefined,
    `${bytes} of ${limit} bytes`,
    name,
  );
  const cancelled = await runs.cancelled(tool, longInput(input_schema, input));
  row("can be cancelled", cancelled.problem, cancelled.detail, name);
}

/** Where the built pack lies: `dist` of a folder with sources, else the folder itself. */
async function builtFolder(directory: string): Promise<string> {
  for (const place of [join(directory, "dist"), directory]) {
    const { entry = "mod.js" } = await readManifest(place).then(({ manifest }) => manifest, () => ({})) as {
      entry?: string;
    };
    try {
      if ((await Deno.stat(join(place, entry))).isFile) return place;
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound) && !(error instanceof Deno.errors.NotADirectory)) {
        throw error;
      }
    }
  }
  await readManifest(directory); // says it when there is no pack at all
  throw new LuminaError("plugin.not_built", `${directory} is not built: run lumina plugin build first`);
}

function fileProblem(manifest: PluginManifest, files: Record<string, string>): string | undefined {
  const { integrity } = manifest;
  if (integrity === undefined) return 'the manifest has no "integrity": lumina plugin build writes it';
  for (const [path, hash] of Object.entries(integrity)) {
    if (files[path] === undefined) return `${path} is missing: run lumina plugin build`;
    if (files[path] !== hash) return `${path} was changed after the build: run lumina plugin build`;
  }
  const extra = Object.keys(files).find((path) => path !== "manifest.json" && integrity[path] === undefined);
  return extra === undefined ? undefined : `${extra} is no part of the build: remove it`;
}

async function staleness(directory: string, files: Record<string, string>): Promise<string | undefined> {
  const made = await makePackFiles(directory);
  if (made.problems.length > 0) return `the sources do not build: ${made.problems[0]}`;
  const differs = [...made.files].find(([path, text]) => files[path] !== sha256(text));
  return differs === undefined
    ? undefined
    : `${differs[0]} is not what the sources make: run lumina plugin build`;
}

function brings(manifest: PluginManifest): string {
  const counted = (count: number, word: string) =>
    count === 0 ? [] : [`${count} ${word}${count === 1 ? "" : "s"}`];
  const tools = counted(manifest.contributes.tools.length, "tool");
  return [...tools, ...counted(packHooks(manifest).length, "hook")].join(" and ");
}
