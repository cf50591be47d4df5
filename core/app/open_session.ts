import { join } from "node:path";
import * as z from "zod";
import { readInstructions, systemPrompt } from "../agent/mod.ts";
import { makePrivateDirectory, recordProject } from "../app_root/mod.ts";
import type { ProjectIdentity } from "../app_root/mod.ts";
import { LuminaError } from "../base/mod.ts";
import type { World } from "../base/mod.ts";
import type { RunFlags } from "../cli/mod.ts";
import { ApiKeys, keySetting, loadSettings, SettingsWatch } from "../config/mod.ts";
import type { FlagSettings, LoadedSettings, Settings } from "../config/mod.ts";
import type { HookSource } from "../extension/mod.ts";
import { createModel } from "../model/mod.ts";
import type { ModelOptions } from "../model/mod.ts";
import { compileAnswerSchema, InputValidator, readCatalog, WorkerTier } from "../plugin_host/mod.ts";
import type { ToolCatalog } from "../plugin_host/mod.ts";
import { describeCall, Session } from "../session/mod.ts";
import { fileURLToPath } from "node:url";
import { absentModel } from "./absent_model.ts";
import type { Lockdown } from "./lockdown/lockdown.ts";
import { RunEnvironment } from "./lockdown/run_environment.ts";
import { bringsSomething } from "./plugins/brings_something.ts";
import { hasPacks } from "./plugins/has_packs.ts";
import { LuminaSession } from "./lumina_session.ts";
import { endWhatIsLeft } from "./end_left_commands.ts";
import { locateSession, noSession, sessionExists } from "./locate_session.ts";
import { journalPlace } from "./sessions/journal_place.ts";
import { modelOptions } from "./model_options.ts";
import { mayHaveHooks, openHooks } from "./hooks/open_hooks.ts";
import type { OpenOptions } from "./open_options.ts";
import { instructionOptions } from "./project_instructions.ts";
import type { PackCalls } from "./plugins/pack_calls.ts";
import { assertWhole, sessionFailure } from "./sessions/damaged_session.ts";
import { runKeyHelper } from "./run_key_helper.ts";
import { sessionPolicy } from "./session_policy.ts";
import type { NamedRecording } from "./sessions/replay/replay_source.ts";
import { unknownNames, unknownRuleTools } from "./unknown_names.ts";
import { VERSION } from "./version.ts";

// one process parses few values: compiling validators would cost more than it saves
z.config({ jitless: true });

/**
 * Wires one session: settings, journal, model, permission policy, tools and the agent loop. What takes time (the
 * journal's worker, the provider's SDK) starts first and is awaited last. Nothing is left running when it throws.
 */
export async function openSession(options: OpenOptions): Promise<LuminaSession> {
  try {
    return await wire(options);
  } catch (error) {
    await options.journals.close();
    throw error;
  }
}

async function wire(options: OpenOptions): Promise<LuminaSession> {
  const { files, world, app_root, flags, journals } = options;
  const warnings: string[] = [];
  const warn = (text: string) => {
    warnings.push(text);
    options.warn(text);
  };
  for (const text of app_root.warnings) warn(text);
  const located = await locateSession(flags, app_root, world, options.store, warn);
  const { project, directory } = located;
  // before the session is opened: it may be the recorded one
  const replayed = flags.replay === undefined
    ? undefined
    : await (await import("./sessions/replay/replay_source.ts")).replayRecording(
      flags.replay,
      options.store,
      warn,
    );
  const env = new RunEnvironment();
  const project_trusted = await trustedSettings(options, project, env, warn);
  const watch = await SettingsWatch.open({
    app_root,
    ...(flags.bare ? {} : { project_dir: project.root, project_trusted }),
    env,
    home: options.home,
    flags: { ...flagSettings(flags), ...replaySettings(flags, replayed) },
    ...(flags.settings_file === undefined ? {} : { settings_file: flags.settings_file }),
  });
  for (const text of watch.current.warnings) warn(text);
  const lockdown = await lockdownOf(options, watch.current, project.root, env);
  const keys = new ApiKeys({ run: lockdown?.runKeyHelper ?? runKeyHelper, env });
  const models_file = new URL("resources/models.json", files.root);
  const makeModel = async (adjust = (options: ModelOptions) => options) => {
    const made = await modelOptions(watch.current, keys, env, world, models_file);
    const primary = replayed === undefined ? made.primary : { ...made.primary, recording: replayed };
    const adjusted = adjust({ ...made, primary });
    return await lockdown?.model(adjusted) ?? createModel(adjusted);
  };
  const model = await makeModel().catch((error) => {
    if (flags.model_later) return absentModel(error);
    throw error;
  });
  try {
    // what is wrong with the command line or a rule must show before anything is kept
    if (flags.json_schema !== undefined) await compileAnswerSchema(flags.json_schema);
    await sessionPolicy({
      app_root,
      flags,
      project,
      home: options.home,
      loaded: watch.current,
      spill_dir: directory,
      kept: { source: { origin: "session", base_dir: project.root } },
      shell: { cwd: project.root },
      env,
    });
    await located.fork?.();
    makePrivateDirectory(directory);
    const journal = journals.open(join(directory, "runtime.sqlite"), {
      create: located.fresh,
      ...journalPlace(app_root, located.session_id),
    });
    const opening = (located.fresh ? Promise.resolve() : assertWhole(located, journal))
      .then(() => Session.open(journal, () => world.now()));
    opening.catch(() => {}); // awaited below
    const { settings } = watch.current;
    const base = await Deno.readTextFile(new URL("resources/prompts/system.md", files.root));
    const instructions = flags.bare ? { files: [], warnings: [] } : readInstructions(
      instructionOptions({
        start_dir: project.root,
        fallback_dir: app_root.instructionsDir,
        home: options.home,
        window: model.window,
      }, settings),
    );
    for (const text of instructions.warnings) warn(text);
    const style = settings.output_style === "default"
      ? ""
      : await (await import("./commands/output_styles.ts")).styleText(
        settings.output_style,
        { ...options, located },
        warn,
      );
    const system = systemPrompt(
      style === "" ? base : `${base.trim()}\n\n${style}`,
      instructions.files,
      flags.append_system_prompt ?? "",
    );
    const bundled = readCatalog(fileURLToPath(new URL("plugins", files.root)));
    const catalog = await withPacks(options, flags.bare ? undefined : project, settings, bundled, warn);
    for (const text of [...unknownNames(settings, catalog), ...unknownRuleTools(flags, catalog)]) warn(text);
    const session = await opening.catch(async (error) => {
      const failure = await sessionFailure(located, error);
      throw !located.fresh && failure instanceof LuminaError && failure.code === "journal.missing"
        ? noSession(located.session_id)
        : failure;
    });
    if (session.skipped.length > 0) {
      const first = session.skipped[0]?.slice(0, 200);
      const lost = session.skipped.length === 1 ? "1 event" : `${session.skipped.length} events`;
      warn(
        `The session goes on without ${lost} that cannot be read, the first: ${first} ` +
          `(lumina session verify ${located.session_id} says more)`,
      );
    }
    if (lockdown === undefined) await endWhatIsLeft(session, located, app_root, env.get("PATH"), warn);
    for (const outcome of session.state.unknown) {
      // only looking again is harmless; of earlier runs it was told when they were resumed
      if (outcome.run !== session.state.runs || outcome.repeat === "retry") continue;
      warn(
        `The outcome of ${
          describeCall(outcome)
        } is unknown: it had started when the run ended. Check what it did`,
      );
    }
    const created = session.state.session_id !== "";
    if (created && located.fresh) throw sessionExists(located.session_id);
    if (!created && !located.fresh) throw noSession(located.session_id);
    // the first run waits for it; what comes before does not
    const recorded = !located.fresh ? Promise.resolve() : session.execute({
      type: "create",
      system,
      session_id: located.session_id,
      project_id: project.id,
      cwd: project.root,
      lumina_version: VERSION,
      origin: "headless",
    });
    recorded.catch(() => {}); // told by the run
    if (created && session.state.cwd === "") {
      await session.execute({ type: "place", project_id: project.id, cwd: project.root });
      warn(
        `The session ${located.session_id} is of an older LuminaCode, which kept no directory: it works in ${project.root} from now on`,
      );
    }
    recordProject(app_root, project, world);
    const packs = catalog.packs.length === 0
      ? undefined
      : new (await import("./plugins/pack_calls.ts")).PackCalls(
        session,
        () => watch.current.settings.plugin_limits,
        (name) => env.get(name),
      );
    const hooks = flags.bare || lockdown !== undefined ? undefined : await openHooks({
      ...options,
      project,
      session_id: located.session_id,
      session,
      env,
      loaded: watch.current,
      more: await packHooks(packs, catalog, world, () => watch.current.settings.disabled_plugins),
      find: (name) => catalog.find(name),
      start: located.fresh ? "startup" : located.fork === undefined ? "resume" : "fork",
      warn,
    });
    const opened = new LuminaSession({
      ...options,
      packs,
      hooks,
      env,
      lockdown,
      recording: replayed?.recording,
      located,
      session,
      journal,
      recorded,
      watch,
      keys,
      model,
      makeModel,
      catalog,
      validator: new InputValidator(),
      tier: new WorkerTier(files.entry("core/app/plugin_worker")),
      system,
      instructions: instructions.files,
      warnings,
      api_key_source: await watch.current.where(keySetting(watch.current, "main") ?? "api_key"),
    });
    await (lockdown && opened.lock(lockdown));
    return opened;
  } catch (error) {
    model.close();
    lockdown?.close();
    throw error;
  }
}

/** The project's settings that count, when what it brings is trusted; loaded only where it brings something. */
async function trustedSettings(
  { app_root, flags, home, world }: OpenOptions,
  project: ProjectIdentity,
  env: RunEnvironment,
  warn: (text: string) => void,
): Promise<ReadonlyMap<string, string>> {
  if (flags.bare || !bringsSomething(project.root)) return new Map();
  const { sessionTrust } = await import("./plugins/session_trust.ts");
  return await sessionTrust(app_root, project, flags, world, warn, async () => {
    // what is not the project's says whether the run is locked
    const own = { app_root, env, home, flags: flagSettings(flags) };
    const file = flags.settings_file === undefined ? {} : { settings_file: flags.settings_file };
    return (await loadSettings({ ...own, ...file })).settings.lockdown.length > 0;
  });
}

/** Adds the tools of the packs that may run; what looks for them is loaded only where a folder for them is. */
async function withPacks(
  { app_root, files }: OpenOptions,
  project: ProjectIdentity | undefined,
  { disabled_plugins, lockdown }: Settings,
  bundled: ToolCatalog,
  warn: (text: string) => void,
): Promise<ToolCatalog> {
  // a locked run has no plugin that is not a part of the program
  if (lockdown.length > 0 || !hasPacks(app_root, project)) return bundled;
  const { sessionPacks } = await import("./plugins/session_packs.ts");
  const packs = await sessionPacks({
    bundled,
    app_root,
    project,
    root: files.root,
    disabled: disabled_plugins,
  });
  for (const text of packs.warnings) warn(text);
  return packs.catalog;
}

/** The hooks that packs bring; what calls them is loaded only where a pack may run. */
async function packHooks(
  packs: PackCalls | undefined,
  catalog: ToolCatalog,
  world: World,
  disabled: () => readonly string[],
): Promise<HookSource[]> {
  if (packs === undefined) return [];
  const { PackHooks } = await import("./plugins/pack_hooks.ts");
  const hooks = new PackHooks(catalog.packs, packs, world, (id) => disabled().includes(id));
  return hooks.empty ? [] : [hooks];
}

/** What the run gives up; undefined when nothing. Loaded for locked runs alone. */
async function lockdownOf(
  { app_root, files, flags }: OpenOptions,
  loaded: LoadedSettings,
  workspace: string,
  env: RunEnvironment,
): Promise<Lockdown | undefined> {
  const modes = loaded.settings.lockdown;
  if (modes.length === 0) return undefined;
  const { Lockdown } = await import("./lockdown/lockdown.ts");
  const hooks = !flags.bare && mayHaveHooks(loaded, workspace, []);
  const model_entry = files.entry("core/model/worker");
  return new Lockdown({ modes, app_root, workspace, env, model_entry, hooks });
}

/** A replay takes the recorded model's name, unless a flag says another. */
function replaySettings(flags: RunFlags, replayed: NamedRecording | undefined): FlagSettings {
  if (replayed === undefined) return {};
  return { api_type: "replay", api_model: flags.model ?? replayed.recording.model ?? "replay" };
}

/** The flags that are settings. */
export function flagSettings(flags: RunFlags): FlagSettings {
  const all: { [key: string]: string | number | undefined } = {
    api_model: flags.model,
    api_type: flags.api_type,
    api_base_url: flags.base_url,
    api_key: flags.api_key,
    effort: flags.effort,
    api_max_tokens: flags.max_tokens,
    max_parent_turns: flags.max_turns,
    max_budget_usd: flags.max_budget_usd,
    lockdown: flags.lockdown,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as FlagSettings;
}
