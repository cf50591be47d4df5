import { join } from "node:path";
import type { HookPort } from "../../agent/mod.ts";
import type { AppRoot, ProjectIdentity } from "../../app_root/mod.ts";
import { makePrivateDirectory } from "../../app_root/mod.ts";
import { errorMessage } from "../../base/mod.ts";
import type { World } from "../../base/mod.ts";
import { childEnvironment, isOwnKeyVariable } from "../../config/mod.ts";
import type { LoadedSettings } from "../../config/mod.ts";
import type { HookHandler, HookSource } from "../../extension/mod.ts";
import type { ToolFacts } from "../../permission/mod.ts";
import type { Session } from "../../session/mod.ts";
import type { HookEvent, HookMoment, JsonObject, PermissionMode } from "../../types/mod.ts";
import { isJsonObject } from "../../types/mod.ts";
import { certificates } from "../plugins/fetch_client.ts";
import { systemNetwork } from "../net/guarded_fetch.ts";
import { TrustFile } from "../plugins/trust_file.ts";
import { findPrograms } from "../program_paths.ts";
import { capReply } from "./cap_reply.ts";
import { managedHooksOnly, projectHandler, settingsHandler, settingsHooks } from "./configured_hooks.ts";
import type { HookScope } from "./configured_hooks.ts";
import { loadEnvFile } from "./env_file.ts";
import { HookConditions } from "./hook_condition.ts";
import { HookRunner } from "./hook_runner.ts";
import { projectHooks } from "./project_hooks.ts";
import { TranscriptFile } from "./transcript_file.ts";

/** What the hooks of a session are made from. */
export interface SessionHooksParts {
  app_root: AppRoot;
  project: ProjectIdentity;
  /** Known before the session's first event is. */
  session_id: string;
  session: Session;
  world: World;
  home: string;
  env: { get(name: string): string | undefined; toObject(): Record<string, string> };
  loaded: LoadedSettings;
  /** Hooks from elsewhere: those of packs. */
  more: readonly HookSource[];
  /** A tool by name or alias. */
  find(name: string): ToolFacts | undefined;
  /** How the session began. */
  start: "startup" | "resume" | "fork";
  warn(text: string): void;
}

/** What one run tells hooks. */
export interface HookRun {
  run_id: string;
  mode: PermissionMode;
  model: string;
  effort?: string;
  tell(text: string): void;
}

/** How the modes are called in the published protocol. */
const PUBLISHED_MODES: Readonly<Record<PermissionMode, string>> = {
  plan: "plan",
  ask: "default",
  "accept-edits": "acceptEdits",
  auto: "auto",
  yolo: "bypassPermissions",
};

/** How long all hooks of the session's end may take, milliseconds. */
const END_MS = 60_000;
/** The same after an interruption. */
const HURRIED_MS = 500;

/** The hooks of one open session, and the moments that belong to the session itself. */
export class SessionHooks {
  /** What hooks of SessionStart want commands to have in their environment. */
  readonly variables: Record<string, string> = {};
  readonly #parts: SessionHooksParts;
  readonly #runner: HookRunner;
  readonly #transcript: TranscriptFile;
  readonly #env_file: string;
  #run: HookRun | undefined;
  /** Of the last run: who interrupts does not wait for long. */
  #signal: AbortSignal | undefined;
  #started = false;

  /** Reads what the session's settings and its project have; undefined where nothing is left that could run. */
  static async open(parts: SessionHooksParts): Promise<SessionHooks | undefined> {
    const { app_root, loaded, project } = parts;
    const managed_only = managedHooksOnly(loaded);
    const scope = hookScope(parts);
    const set = await settingsHooks(loaded);
    for (const text of set.problems) parts.warn(text);
    const handlers = set.hooks.map((hook) => settingsHandler(hook, scope));
    if (!managed_only) {
      const trusted = new TrustFile(app_root, project.id).trustedHooks();
      const brought = await projectHooks(project.root);
      for (const text of brought.problems) parts.warn(text);
      handlers.push(
        ...brought.hooks.filter(({ hash }) => trusted.has(hash)).map((hook) => projectHandler(hook, scope)),
      );
    }
    const sources = [listSource(handlers), ...managed_only ? [] : parts.more];
    if (handlers.length === 0 && sources.length === 1) return undefined;
    return new SessionHooks(parts, sources, scope.command.env_file);
  }

  private constructor(parts: SessionHooksParts, sources: readonly HookSource[], env_file: string) {
    this.#parts = parts;
    this.#env_file = env_file;
    const directory = privateDirectory(parts);
    this.#transcript = new TranscriptFile(directory);
    const { home, project, session, world } = parts;
    const conditions = new HookConditions({ workspace: project.root, home });
    this.#runner = new HookRunner({
      sources,
      world,
      facts: () => this.#facts(),
      prepare: () => this.#transcript.update(session.state, world.now()),
      fits: async (condition, { fields }) => {
        const tool = parts.find(String(fields["tool_name"]));
        const input = fields["tool_input"];
        if (tool === undefined || input === undefined || !isJsonObject(input)) return true;
        return await conditions.fits(condition, tool, input);
      },
      cap: (reply) =>
        capReply(reply, async (text) => {
          const file = join(directory, `hook-${world.uuid()}.txt`);
          try {
            makePrivateDirectory(directory);
            await Deno.writeTextFile(file, text, { mode: 0o600 });
          } catch (error) {
            // what the hook decides counts, whether or not all of its words can be kept
            return `the others could not be kept: ${errorMessage(error)}`;
          }
          return `all of them: ${file}`;
        }),
      record: (note) => session.execute({ type: "note_hook", ...note }),
      tell: (text) => (this.#run?.tell ?? parts.warn)(text),
    });
  }

  /** The port of a run, and what hooks of the session's start add to its first prompt. */
  async begin(run: HookRun, signal: AbortSignal): Promise<{ port: HookPort; context: string[] }> {
    this.#run = run;
    this.#signal = signal;
    this.#runner.startRun();
    try {
      return { port: this.#runner, context: await this.#start(run, signal) };
    } catch (error) {
      if (!signal.aborted) throw error;
      return { port: this.#runner, context: [] }; // the run itself says that it was interrupted
    }
  }

  /** Tells hooks that a person is asked; nothing waits for them. */
  asking(tool: string): void {
    const message = `Lumina needs your permission to use ${tool}`;
    const fields = { message, notification_type: "permission_prompt" };
    this.#runner.beside({ event: "Notification", subject: ["permission_prompt"], fields });
  }

  /** The session's last moment. Never throws. */
  async end(): Promise<void> {
    this.#run = undefined;
    const hurried = this.#signal?.aborted === true;
    try {
      await this.#runner.close(hurried);
      if (this.#started && this.#runner.waits("SessionEnd")) {
        const fields = { reason: "other" };
        const moment: HookMoment = { event: "SessionEnd", subject: ["other"], fields };
        await this.#runner.run(moment, AbortSignal.timeout(hurried ? HURRIED_MS : END_MS));
        await this.#runner.close(hurried);
      }
      await this.#transcript.remove();
      await Deno.remove(this.#env_file).catch((error) => {
        if (!(error instanceof Deno.errors.NotFound)) throw error; // mostly there is none
      });
    } catch (error) {
      this.#parts.warn(`The hooks of the session's end: ${errorMessage(error)}`);
    }
  }

  async #start({ model, run_id }: HookRun, signal: AbortSignal): Promise<string[]> {
    if (this.#started) return [];
    this.#started = true;
    if (!this.#runner.waits("SessionStart")) return [];
    const { start, world } = this.#parts;
    world.stage?.(run_id, "session_start", "hooks");
    makePrivateDirectory(privateDirectory(this.#parts));
    const fields = { source: start, model };
    const { context } = await this.#runner.run({ event: "SessionStart", subject: [start], fields }, signal);
    await this.#readVariables();
    return context;
  }

  async #readVariables(): Promise<void> {
    const { variables, problems } = await loadEnvFile(this.#env_file);
    Object.assign(this.variables, variables);
    for (const problem of problems) this.#run?.tell(`The variables of a SessionStart hook: ${problem}`);
  }

  #facts(): JsonObject & { session_id: string; transcript_path: string; cwd: string } {
    const { project, session_id } = this.#parts;
    const run = this.#run;
    return {
      session_id,
      transcript_path: this.#transcript.path,
      cwd: project.root,
      ...(run === undefined ? {} : {
        permission_mode: PUBLISHED_MODES[run.mode],
        prompt_id: run.run_id,
        ...(run.effort === undefined ? {} : { effort: { level: run.effort } }),
      }),
    };
  }
}

/** Hooks of a list, by event. */
export function listSource(handlers: readonly HookHandler[]): HookSource {
  const by_event = Map.groupBy(handlers, ({ event }) => event);
  return { handlers: (event: HookEvent) => by_event.get(event) ?? [] };
}

function privateDirectory({ app_root, project, session_id }: SessionHooksParts): string {
  return app_root.spillDir(project.id, session_id);
}

function hookScope(parts: SessionHooksParts): HookScope {
  const { env, loaded, project } = parts;
  const { settings } = loaded;
  const child_env = childEnvironment(env, settings);
  return {
    command: {
      project_dir: project.root,
      shell: findPrograms(["bash"], env.get("PATH"), project.root)["bash"],
      env: child_env,
      env_file: join(privateDirectory(parts), "hook-env.sh"),
    },
    http: { network: async () => systemNetwork(await certificates(settings.ca_file, env)) },
    variable: (name, origin) => {
      if (isOwnKeyVariable(name)) return undefined;
      return origin === "repo" ? child_env[name] : env.get(name);
    },
  };
}
