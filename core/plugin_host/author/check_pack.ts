import { join } from "node:path";
import { errorMessage, LuminaError, sha256 } from "../../base/mod.ts";
import type { World } from "../../base/mod.ts";
import { byteLength, DEFAULT_LIMITS, emptyGrant } from "../../plugin_api/mod.ts";
import type { CallContext, Grant, PluginManifest, ToolManifest, ToolOutcome } from "../../plugin_api/mod.ts";
import type { JsonObject } from "../../types/mod.ts";
import type { Pack } from "../packs/pack.ts";
import { packEntry } from "../packs/pack_entry.ts";
import { hashPackFiles } from "../packs/pack_files.ts";
import { packGrant } from "../packs/pack_grant.ts";
import { ProcessTier } from "../process/process_tier.ts";
import { InputValidator } from "../validate_input.ts";
import { makePackFiles } from "./build_pack.ts";
import { readManifest } from "./read_manifest.ts";
import { badInputs, longInput, sampleInput } from "./sample_input.ts";

/** One line of the table. */
export interface CheckRow {
  check: string;
  /** The tool that it is about. */
  tool?: string;
  ok: boolean;
  /** What was found, or what to do. */
  detail: string;
}

export interface CheckOptions {
  /** The pack's folder with sources, or a built one; absolute. */
  directory: string;
  world: World;
  /** The plugin that has a tool of a name already. */
  toolOwner(tool: string): string | undefined;
  /** Where programs are, by name; those that were not found are left out. */
  findPrograms(names: readonly string[], workspace: string): Readonly<Record<string, string>>;
  home: string;
  /** Folder of Lumina itself, which no pack may touch. */
  app_root: string;
}

/** How long a cancelled call may take to return, milliseconds. */
const CANCEL_MS = 1_000;
/** How long a call runs before it is cancelled, milliseconds. */
const BEFORE_CANCEL_MS = 100;
/** A trivial call takes no longer, milliseconds. */
const TRIVIAL_MS = 30_000;
/** A tool that no pack can have: a call of it loads the module and does nothing else. */
const NO_TOOL = "no such tool";

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
    `${manifest.id} ${manifest.version}, ${tools.length} ${tools.length === 1 ? "tool" : "tools"}`,
  );
  const files = await hashPackFiles(built, manifest.id);
  if (!row("files", fileProblem(manifest, files), `${Object.keys(files).length} files, hashes agree`)) {
    return rows;
  }
  if (built !== directory) row("up to date", await staleness(directory, files), "what the sources make");
  await checkCalls(options, { built, manifest, files }, row);
  return rows;
}

type AddRow = (check: string, problem: string | undefined, detail: string, tool?: string) => boolean;

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
    const context = checkContext(await place("workspace"), await place("spill"));
    const runs = new PackRuns(options, tier, pack, context);
    const loading = await runs.loadProblem();
    if (!row("loads", loading, "with no permission at all")) return;
    for (const tool of manifest.contributes.tools) await checkTool(tool, runs, row);
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

/** Calls of one pack, run the way a session runs them, without the services of the host. */
class PackRuns {
  readonly #options: CheckOptions;
  readonly #tier: ProcessTier;
  readonly #pack: Pack;
  readonly #context: CallContext;

  constructor(options: CheckOptions, tier: ProcessTier, pack: Pack, context: CallContext) {
    this.#options = options;
    this.#tier = tier;
    this.#pack = pack;
    this.#context = context;
  }

  limit(name: "result_bytes"): number {
    return Math.min(this.#pack.manifest.limits?.[name] ?? Infinity, DEFAULT_LIMITS[name]);
  }

  /** What goes wrong when the module is loaded where nothing is granted. */
  async loadProblem(): Promise<string | undefined> {
    try {
      const { content } = await this.#call(
        NO_TOOL,
        {},
        TRIVIAL_MS,
        new AbortController().signal,
        emptyGrant(),
      );
      if (content.includes(`has no tool "${NO_TOOL}"`)) return undefined;
      return firstLine(content);
    } catch (error) {
      const message = errorMessage(error);
      const hint = /requires \w+ access/i.test(message)
        ? "; what needs a permission belongs into a tool, not beside it"
        : "";
      return `${message}${hint}`;
    }
  }

  async trivial(tool: ToolManifest, input: JsonObject): Promise<{
    problem?: string;
    outcome?: ToolOutcome;
    ms: number;
  }> {
    const { world } = this.#options;
    const started = world.mono();
    const limit = Math.min(tool.timeout_ms, TRIVIAL_MS);
    const ms = () => Math.round(world.mono() - started);
    try {
      const grant = this.#grant(tool);
      const outcome = await this.#call(tool.name, input, limit, new AbortController().signal, grant);
      return { outcome, ms: ms() };
    } catch (error) {
      return { problem: errorMessage(error), ms: ms() };
    }
  }

  /** A call that ends by itself, with a result or an error, has heeded its signal; one that is ended has not. */
  async cancelled(tool: ToolManifest, input: JsonObject): Promise<{ problem?: string; detail: string }> {
    const { world } = this.#options;
    const abort = new AbortController();
    const reason = new LuminaError("plugin.cancelled", "The check cancels this call");
    let at: number | undefined;
    const timer = setTimeout(() => {
      at = world.mono();
      abort.abort(reason);
    }, BEFORE_CANCEL_MS);
    try {
      await this.#call(tool.name, input, tool.timeout_ms, abort.signal, this.#grant(tool));
    } catch (error) {
      if (error === reason || at !== undefined) {
        return { problem: "it had to be ended: heed context.signal wherever a tool waits", detail: "" };
      }
      return { problem: errorMessage(error), detail: "" };
    } finally {
      clearTimeout(timer);
    }
    if (at === undefined) return { detail: "it had ended before" };
    const ms = Math.round(world.mono() - at);
    return ms > CANCEL_MS
      ? { problem: `it took ${ms} ms, at most ${CANCEL_MS}: heed context.signal`, detail: "" }
      : { detail: `after ${ms} ms` };
  }

  /** What a session would give the tool whose workspace is the empty folder. */
  #grant(tool: ToolManifest): Grant {
    const { findPrograms, home, app_root } = this.#options;
    const { cwd } = this.#context;
    const asked = this.#pack.manifest.capabilities.flatMap((request) =>
      typeof request !== "string" && request.kind === "run" ? request.programs : []
    );
    return packGrant(this.#pack, tool, {
      roots: [cwd],
      app_root,
      home,
      deny: { read: [], write: [] },
      programs: findPrograms([...tool.programs, ...asked], cwd),
      verdict: { paths: [] },
    });
  }

  #call(
    tool: string,
    input: JsonObject,
    timeout_ms: number,
    signal: AbortSignal,
    grant: Grant,
  ): Promise<ToolOutcome> {
    return this.#tier.call({
      pack: this.#pack,
      entry: () => packEntry(this.#pack),
      tool,
      input,
      context: this.#context,
      grant,
      timeout_ms,
      signal,
      progress() {},
    });
  }
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

function checkContext(workspace: string, spill_dir: string): CallContext {
  return {
    call_id: "check",
    cwd: workspace,
    read_roots: [workspace],
    write_roots: [workspace],
    deny_read: [],
    deny_write: [],
    seen: {},
    spill_dir,
    child_env: {},
    config: {},
  };
}

function firstLine(text: string): string {
  return text.split("\n")[0]?.slice(0, 300) ?? "";
}
