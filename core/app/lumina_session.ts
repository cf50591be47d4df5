import { answerCheck, answerInstruction, Inbox, runAgent, withHookContext } from "../agent/mod.ts";
import type { AskPort, CompactReport, ContextUse, HookPort } from "../agent/mod.ts";
import { errorMessage } from "../base/mod.ts";
import type { LockdownReport, OpenSession, SessionCatalogue, SessionPrompt } from "../cli/mod.ts";
import { EFFORTS } from "../model/mod.ts";
import type { Effort, OpenModel } from "../model/mod.ts";
import { compileAnswerSchema } from "../plugin_host/mod.ts";
import { writeSummary } from "../session/mod.ts";
import type { PermissionMode, RunEvent, RunResult, TurnLimits } from "../types/mod.ts";
import type { KeptRules } from "./kept_rules.ts";
import type { Lockdown } from "./lockdown/lockdown.ts";
import type { ToolLock } from "./lockdown/tool_lock.ts";
import type { SessionSandbox } from "./sandbox/session_sandbox.ts";
import { keepAnswers } from "./keep_answers.ts";
import { assertMode } from "./policy_layers.ts";
import { CaptureHook } from "./sessions/capture_hook.ts";
import { packServiceDeps } from "./plugins/pack_service_deps.ts";
import { promptHash } from "./prompt_hash.ts";
import { pushMessage, takeMessages } from "./prompt_inbox.ts";
import { RunTaint } from "./run_taint.ts";
import { assertPriced } from "./features/budget.ts";
import { keptRulesOf, sandboxOf } from "./session_ground.ts";
import { SessionShells } from "./session_shells.ts";
import type { ShellInfo } from "./session_shells.ts";
import { SessionFeatures } from "./features/session_features.ts";
import type { AgentGround } from "./features/agents/agent_ground.ts";
import type { FeatureScope } from "./features/session_feature.ts";
import type { CallPorts } from "./features/skills/skill_commands.ts";
import type { SessionCommands } from "./commands/session_commands.ts";
import { runMoment } from "./run_moment.ts";
import { SessionContext } from "./session_context.ts";
import type { SessionParts } from "./session_parts.ts";
import { sessionPlugins } from "./session_plugins.ts";
import { WorkPlace } from "./work_place.ts";
import type { SharedPlace } from "./work_place.ts";
import { TurnScope } from "./turn_scope.ts";
import { SessionMemory } from "./sessions/memory.ts";

/** One open session: runs prompts one after the other, with the settings as they are at each start. */
export class LuminaSession implements OpenSession {
  readonly session_id: string;
  readonly api_key_source: string;
  readonly plugins: { name: string; path: string }[];
  readonly replay?: { prompts: readonly string[]; answers: number };
  #parts: SessionParts;
  #model: OpenModel;
  /** Replaced while a run may still use them; closed with the next run or the session. */
  #replaced: OpenModel[] = [];
  /** The provider has refused the key: the next run asks for it again. */
  #key_refused = false;
  #mode: PermissionMode | undefined;
  /** What hooks said before the run that it is for. */
  #early: string[] = [];
  /** A run has begun since the session was opened. */
  #begun = false;
  readonly #shared: SharedPlace;
  /** Of the run that goes on, or of the last one. */
  #ground: AgentGround | undefined;
  readonly #place: WorkPlace;
  /** Where a feature's words go: to whoever watches the latest run. */
  #tell: (event: RunEvent) => void = (event) => {
    if (event.type !== "warning") return;
    this.#warnings.push(event.text);
    this.#parts.warn(event.text);
  };
  #taint = new RunTaint();
  /** Told since the last run; recorded with the next one. */
  #warnings: string[];
  #kept: KeptRules;
  #capture: CaptureHook;
  #memory: SessionMemory;
  #lock: ToolLock | undefined;
  #sandbox: SessionSandbox;
  /** What waits to be told to the model. */
  readonly #inbox = new Inbox();
  readonly #shells: SessionShells;
  readonly #features: SessionFeatures;
  readonly #context: SessionContext;
  readonly #scope: FeatureScope;
  #commands: Promise<SessionCommands> | undefined;
  /** What a command or a skill narrows in the run that goes on. */
  readonly #turn: TurnScope;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.#model = parts.model;
    const { project } = parts.located;
    this.#warnings = [...parts.warnings];
    this.#sandbox = sandboxOf(parts);
    this.#capture = new CaptureHook({ ...parts, ...parts.located });
    this.#kept = keptRulesOf(parts);
    const shell = () => this.#place.shell;
    this.#turn = new TurnScope({
      workspace: project.root,
      home: parts.home,
      path: parts.env.get("PATH") ?? "/usr/bin:/bin",
      shell: {
        get cwd() {
          return shell().cwd;
        },
      },
    });
    this.#shells = new SessionShells(parts, this.#inbox);
    this.#shared = {
      parts,
      kept: this.#kept,
      taint: this.#taint,
      mode: () => this.#mode,
      turn: this.#turn,
      lock: () => this.#lock,
      shells: this.#shells,
    };
    this.#place = new WorkPlace(this.#shared, {
      project,
      sandbox: this.#sandbox,
      host_tools: () => this.#features.tools,
    });
    this.#memory = new SessionMemory({
      ...parts,
      settings: () => parts.watch.current.settings,
      prompt: () => Deno.readTextFile(new URL("resources/prompts/session_memory.md", parts.files.root)),
      changed: () => this.#save((event) => event.type === "warning" && parts.warn(event.text)),
    });
    this.#scope = {
      parts,
      session: this,
      inbox: this.#inbox,
      depth: 0,
      makeFeatures: (scope) => new SessionFeatures(scope),
      shared: {},
      turn: this.#turn,
      tell: (event) => this.#tell(event),
    };
    this.#context = new SessionContext(parts);
    this.#features = new SessionFeatures(this.#scope);
    this.session_id = parts.located.session_id;
    this.api_key_source = parts.api_key_source;
    if (parts.recording !== undefined) {
      const { prompts, records } = parts.recording;
      this.replay = { prompts, answers: records.filter(({ error }) => error === undefined).length };
    }
    this.plugins = sessionPlugins(parts);
  }

  /** What a locked run has given up. */
  get lockdown(): LockdownReport | undefined {
    return this.#parts.lockdown?.report;
  }

  /** Starts what a locked run may need, and gives up the permissions of the process for good. Throws `lockdown.…`. */
  async lock(lockdown: Lockdown): Promise<void> {
    const { catalog, recorded, session, tier } = this.#parts;
    await recorded; // the journal's file is open and has been written
    this.#lock = await lockdown.toolLock(catalog, async (call_id, content) => {
      await session.execute({ type: "keep_output", call_id, content });
      return `all of them: lumina session show ${this.session_id} --output ${call_id}`;
    });
    this.#place.tools(await this.#place.policy(() => {}), this.#model).warm();
    tier.lock();
    lockdown.engage();
  }

  async setMode(mode: PermissionMode): Promise<void> {
    const { app_root, located: { project }, watch } = this.#parts;
    await assertMode(mode, { loaded: watch.current, app_root, project });
    this.#mode = mode;
  }

  async setModel(model: string): Promise<void> {
    const undo = await this.#parts.watch.pin({ api_model: model });
    try {
      await this.#renewModel();
    } catch (error) {
      undo();
      throw error;
    }
  }

  async setEffort(effort: Effort): Promise<void> {
    await this.#parts.watch.pin({ effort });
  }

  get model(): OpenModel {
    return this.#model;
  }

  get ground(): AgentGround | undefined {
    return this.#ground;
  }

  get kept(): KeptRules {
    return this.#kept;
  }

  async mode(): Promise<PermissionMode> {
    return (await this.#place.policy(() => {})).mode;
  }

  async callPorts(signal: AbortSignal): Promise<CallPorts> {
    const emit = (event: RunEvent) => this.#tell(event);
    const policy = await this.#place.policy(() => {});
    const ports = {
      gate: this.#taint.watchGate(this.#place.gate(policy, emit)),
      asker: this.#asker(emit),
      tools: this.#taint.watch(this.#place.tools(policy, this.#model)),
    };
    const running = this.#parts.session.state.run !== null;
    const run_id = `command-${this.#parts.world.uuid()}`;
    const begun = running ? undefined : await this.#beginHooks(
      { run_id, mode: policy.mode, effort: this.#parts.watch.current.settings.effort },
      emit,
      signal,
    );
    // what hooks say when the session starts is for the run that comes next
    this.#early.push(...begun?.context ?? []);
    const hooks = running ? this.#ground?.hooks : begun?.port;
    return hooks === undefined ? ports : { ...ports, hooks };
  }

  async context(): Promise<ContextUse> {
    return this.#context.use(this.#model, this.#place.tools(await this.#place.policy(() => {}), this.#model));
  }

  async compact(instructions: string, signal: AbortSignal): Promise<CompactReport> {
    const model = await this.#modelOf();
    await this.#parts.recorded;
    const { tools, hooks } = await this.callPorts(signal);
    const { stages } = this.#features;
    const between = { model, tools, stages, ...(hooks === undefined ? {} : { hooks }), emit: this.#tell };
    const report = await this.#context.compact(between, instructions, signal);
    this.#save(this.#tell);
    return report;
  }

  async catalogue(): Promise<SessionCatalogue> {
    return await (await this.#slash()).catalogue();
  }

  async run(
    prompt: SessionPrompt,
    emit: (event: RunEvent) => void,
    signal: AbortSignal,
  ): Promise<RunResult> {
    const { flags, packs, world, session, watch, system } = this.#parts;
    const told = (event: RunEvent) => {
      if (event.type === "warning") this.#warnings.push(event.text);
      emit(event);
    };
    this.#tell = told;
    await this.#reload(told);
    this.#closeReplaced();
    this.#turn.begin();
    const taken = prompt.text.startsWith("/")
      ? await (await this.#slash()).take(prompt, told, signal)
      : undefined;
    if (taken?.kind === "answered") return taken.result;
    this.#turn.begin(taken?.turn, taken?.by);
    const model = await this.#modelOf(taken?.turn);
    assertPriced(watch.current.settings.max_budget_usd, model);
    const { settings } = watch.current;
    const policy = await this.#place.policy(told);
    const run_id = `run-${world.uuid()}`;
    const effort = EFFORTS.find((level) => level === (this.#turn.effort ?? settings.effort));
    const schema = flags.json_schema;
    const standing = [schema === undefined ? "" : answerInstruction(schema), taken?.context ?? ""]
      .filter((text) => text !== "").join("\n");
    const check = schema === undefined ? undefined : answerCheck(await compileAnswerSchema(schema));
    await this.#parts.recorded;
    this.#taint.begin();
    const gate = this.#taint.watchGate(this.#place.gate(policy, emit));
    const asker = this.#asker(emit);
    const capture = this.#capture.begin(
      this.#lock === undefined ? settings : { ...settings, rewind: false },
      (text) => told({ type: "warning", text }),
    );
    const tools = this.#place.tools(policy, model);
    packs?.startRun(
      () =>
        packServiceDeps(this.#parts, policy.added_dirs, {
          gate,
          asker,
          capture,
          emit,
          hooks: this.#ground?.hooks,
        }),
      told,
      () => tools.packScope(),
    );
    const hooks = await this.#beginHooks({ run_id, mode: policy.mode, effort }, told, signal);
    this.#ground = {
      run_id,
      signal,
      shared: this.#shared,
      sandbox: this.#sandbox,
      model,
      asker,
      capture,
      ...(hooks === undefined ? {} : { hooks: hooks.port }),
      ...this.#context.forChildren(),
      emit: told,
      turns: [this.#turn],
    };
    const result = await runAgent(
      {
        session,
        model,
        tools: this.#taint.watch(tools),
        gate,
        asker,
        capture,
        ...(hooks === undefined ? {} : { hooks: hooks.port }),
        stages: this.#features.stages,
        ...this.#context.forRun(),
        inbox: this.#inbox,
        awaits: () => this.#features.awaits(),
        besideDenied: () => this.#features.besideDenied(),
        besideUse: () => [...packs?.besideUse() ?? [], ...this.#features.besideUse()],
        world,
        emit: (event) => {
          emit(event);
          // the list shows the run while it goes on; written beside the first request, not before it
          if (event.type === "run_started") {
            setTimeout(() => {
              this.#save(emit);
              this.#remember(signal);
            }, 0);
          }
        },
        cost: (name, usage) => this.#model.costOf(name, usage),
      },
      {
        run_id,
        first: !this.#begun,
        prompt: taken?.text ?? prompt.text,
        ...(prompt.media === undefined ? {} : { media: prompt.media }),
        ...(prompt.typed === undefined ? {} : { typed: prompt.typed }),
        context: withHookContext(
          runMoment(this.#parts, policy) + (standing === "" ? "" : `\n${standing}`),
          [...this.#early.splice(0), ...hooks?.context ?? []],
        ),
        ...(standing === "" ? {} : { standing }),
        system,
        mode: policy.mode,
        ...(effort === undefined ? {} : { effort }),
        max_steps: settings.max_parent_turns,
        max_denials: settings.max_consecutive_denials,
        fail_on_denial: flags.fail_on_denial,
        warnings: this.#warnings.splice(0),
        ...(check === undefined ? {} : { answer_check: check }),
        ...(prompt.key === undefined ? {} : {
          once: { key: prompt.key, request_hash: promptHash(prompt), result: { run_id } },
        }),
      },
      signal,
    );
    this.#begun = true;
    this.#key_refused = result.error?.code === "model.authentication_failed";
    this.#save(emit);
    if (result.status !== "failed") this.#remember(signal);
    void session.snapshot();
    return result;
  }

  shells(): ShellInfo[] {
    return this.#shells.list();
  }

  steer(message: SessionPrompt): void {
    pushMessage(this.#inbox, message);
  }

  unsteered(): SessionPrompt[] {
    return takeMessages(this.#inbox);
  }

  async close(): Promise<void> {
    const { session, tier, journals, packs, hooks } = this.#parts;
    await this.#features.close();
    this.#shells.close();
    await this.#memory.finish();
    await hooks?.end();
    await Promise.all([tier.close(), packs?.close()]);
    await this.#sandbox.close();
    this.#capture.close();
    await session.snapshot();
    await journals.close();
    this.#closeReplaced();
    this.#model.close();
    this.#parts.lockdown?.close();
  }

  /** The hooks of a run, those of the session's start once; an interruption is left to the run to tell. */
  async #beginHooks(
    { run_id, mode, effort }: { run_id: string; mode: PermissionMode; effort: string | undefined },
    told: (event: RunEvent) => void,
    signal: AbortSignal,
  ): Promise<{ port: HookPort; context: string[] } | undefined> {
    return await this.#parts.hooks?.begin({
      run_id,
      mode,
      model: this.#model.name,
      ...(effort === undefined ? {} : { effort }),
      tell: (text) => told({ type: "warning", text }),
    }, signal);
  }

  /** Summarises for the history what it lacks, beside whatever goes on. */
  #remember(signal: AbortSignal): void {
    const { flags, watch } = this.#parts;
    if (!flags.bare && watch.current.settings.api_type !== "replay") this.#memory.start(signal);
  }

  /** Runs come one after the other, so between two of them nobody uses an older model. */
  #closeReplaced(): void {
    for (const model of this.#replaced.splice(0)) model.close();
  }

  /**
   * Looks at the settings files before a turn, and for a new key after a refused one; what is broken leaves the last
   * good settings in force.
   */
  async #reload(emit: (event: RunEvent) => void): Promise<void> {
    const { changed, warnings } = await this.#parts.watch.reload();
    for (const text of warnings) emit({ type: "warning", text });
    if (this.#key_refused) this.#parts.keys.forget();
    if (!changed && !this.#key_refused || this.#model.name === "") return;
    try {
      await this.#renewModel();
    } catch (error) {
      emit({ type: "warning", text: `${errorMessage(error)} (the model stays ${this.#model.name})` });
    }
  }

  /** The slash commands; loaded when one is typed or they are asked for. */
  #slash(): Promise<SessionCommands> {
    return this.#commands ??= import("./commands/session_commands.ts").then(({ SessionCommands }) =>
      new SessionCommands({
        scope: this.#scope,
        app: this.#parts.app,
        providers: this.#features.commands,
        save: () => this.#save((event) => this.#tell(event)),
        begin: async () => {
          const policy = await this.#place.policy(() => {});
          const { session_id, cwd } = this.#parts.session.state;
          const tools = this.#place.tools(policy, this.#model).tools.map(({ name }) => name);
          const { name } = this.#model;
          const run_id = "command";
          this.#tell({ type: "run_started", run_id, session_id, cwd, model: name, mode: policy.mode, tools });
        },
      })
    );
  }

  /** The model of a run; one that only this run asks is closed with the next. Throws what is missing for one. */
  async #modelOf({ model: name }: TurnLimits = {}): Promise<OpenModel> {
    if (this.#model.name === "") await this.#renewModel();
    if (name === undefined || name === this.#model.name) return this.#model;
    const made = await this.#parts.makeModel((made) => ({
      ...made,
      primary: { ...made.primary, model: name },
    }));
    this.#replaced.push(made);
    return made;
  }

  async #renewModel(): Promise<void> {
    const next = await this.#parts.makeModel();
    this.#replaced.push(this.#model);
    this.#model = next;
  }

  /** Questions go to the caller; what an answer keeps holds from the next judgement on. */
  #asker(emit: (event: RunEvent) => void): AskPort {
    const { flags, watch } = this.#parts;
    const asker = keepAnswers({
      ask: flags.ask,
      kept: this.#kept,
      locked: () => this.#lock !== undefined,
      managed_rules_only: () => watch.current.managed?.allow_managed_rules_only ?? false,
      setMode: (mode) => this.setMode(mode),
      warn: (text) => emit({ type: "warning", text }),
    });
    return {
      ask: async (question, signal) => {
        if (flags.ask !== undefined) this.#parts.hooks?.asking(question.tool);
        return await asker.ask(question, signal);
      },
    };
  }

  /** Renews `meta.json`; it can be made again from the journal, so a failure is only told. */
  #save(emit: (event: RunEvent) => void): void {
    if (this.#lock !== undefined) return; // the lists make it again
    try {
      writeSummary(this.#parts.located.directory, this.#parts.session.state);
    } catch (error) {
      emit({ type: "warning", text: `The session's summary could not be written: ${errorMessage(error)}` });
    }
  }
}
