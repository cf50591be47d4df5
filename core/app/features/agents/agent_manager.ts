import type { BesideUse } from "../../../agent/mod.ts";
import { errorMessage, LuminaError, nearest } from "../../../base/mod.ts";
import type { AgentDefinition } from "../../../extension/mod.ts";
import { progressText } from "../../../session/mod.ts";
import type { AgentRecord, AgentWorktree } from "../../../session/mod.ts";
import { NO_USAGE } from "../../../types/mod.ts";
import type { Denial, RunResult } from "../../../types/mod.ts";
import type { FeatureScope } from "../session_feature.ts";
import type { AgentGround } from "./agent_ground.ts";
import { reportText } from "./agent_report.ts";
import type { AgentReport } from "./agent_report.ts";
import { agentTypes, typeNamed } from "./agent_types.ts";
import type { AgentName } from "./child_ports.ts";
import { SharedCapture } from "./child_ports.ts";
import { runChild } from "./run_child.ts";
import type { SubAgentRequest, SubAgentResult, SubAgents } from "./sub_agents.ts";
import { Worktrees } from "./worktree.ts";
import type { OpenWorktree } from "./worktree.ts";

/** Sub-agents of one agent that may work at the same time. */
const MOST_RUNNING = 10;
/** How long the removal of a worktree may go on after an interruption, milliseconds. */
const LAST_LOOK_MS = 500;

/** What a call of the tool asks for. */
export interface StartRequest extends Omit<SubAgentRequest, "type"> {
  /** Absent: general-purpose; with `resume` that of the earlier one. */
  type?: string;
  call_id?: string;
  background?: boolean;
  isolation?: "worktree";
  /** The id of an earlier sub-agent, which goes on with its context. */
  resume?: string;
  progress?(text: string): void;
}

/** A sub-agent that works. */
interface Working {
  name: AgentName;
  background: boolean;
  end: AbortController;
  done: Promise<AgentReport>;
  /** Calls that wait for its end and will tell it: then no notice does. */
  waiters: number;
}

/** The sub-agents of one agent: starts, watches, tells and ends them. */
export class AgentManager implements SubAgents {
  readonly #scope: FeatureScope;
  readonly #working = new Map<string, Working>();
  readonly #reports = new Map<string, AgentReport>();
  readonly #capture = new SharedCapture();
  readonly #worktrees: Worktrees;
  #uses: BesideUse[] = [];
  #denied: Denial[] = [];
  readonly #closing = new AbortController();

  constructor(scope: FeatureScope) {
    this.#scope = scope;
    const { env, located, watch } = scope.parts;
    this.#worktrees = new Worktrees({
      project_root: located.project.root,
      env,
      settings: () => watch.current.settings,
    });
  }

  async types(): Promise<
    { types: AgentDefinition[]; problems: { file: string; line?: number; message: string }[] }
  > {
    const { app_root, files, flags, located } = this.#scope.parts;
    return await agentTypes({
      files,
      app_root,
      ...(flags.bare ? {} : { project_root: located.project.root }),
    });
  }

  async run(request: SubAgentRequest, signal: AbortSignal): Promise<SubAgentResult> {
    const { agent_id, result: { status, answer, error } } = await (await this.start(request, signal)).done;
    return { status, answer, agent_id, ...(error === undefined ? {} : { error }) };
  }

  /** Background work whose end a run waits for. */
  get background(): number {
    return [...this.#working.values()].filter(({ background }) => background).length;
  }

  /** What sub-agents used since the last time this was asked. */
  besideUse(): BesideUse[] {
    return this.#uses.splice(0);
  }

  /** Calls of sub-agents that were refused since the last time this was asked. */
  besideDenied(): Denial[] {
    return this.#denied.splice(0);
  }

  /**
   * Begins a sub-agent. Throws `agent.no_run` between runs, `agent.unknown_type`, `agent.unknown`, `agent.working`,
   * `agent.too_many`, `agent.worktree`: nothing has begun then.
   */
  async start(
    request: StartRequest,
    signal: AbortSignal,
  ): Promise<Pick<Working, "name" | "background" | "done">> {
    const { ground } = this.#scope.session;
    if (ground === undefined) {
      throw new LuminaError("agent.no_run", "A sub-agent can only be started while a run goes on");
    }
    signal.throwIfAborted();
    const earlier = request.resume === undefined ? undefined : this.#earlier(request.resume);
    const definition = await this.#definition(request.type ?? earlier?.agent_type ?? "general-purpose");
    if (this.#working.size >= MOST_RUNNING) {
      throw new LuminaError(
        "agent.too_many",
        `${MOST_RUNNING} sub-agents work already: wait for one, or stop one with AgentStop`,
      );
    }
    const agent_id = earlier?.agent_id ?? this.#newId();
    const name: AgentName = {
      agent_id,
      agent_type: definition.name,
      description: request.description,
      ...(request.call_id === undefined ? {} : { call_id: request.call_id }),
    };
    const background = request.background ?? definition.background;
    const end = new AbortController();
    const signals = [end.signal, this.#closing.signal, background ? ground.signal : signal];
    const done = this.#work(
      { request, definition, earlier, name, background, ground },
      AbortSignal.any(signals),
    );
    const working: Working = { name, background, end, done, waiters: 0 };
    this.#working.set(agent_id, working);
    const over = done.then((report) => {
      this.#working.delete(agent_id);
      this.#reports.set(agent_id, report);
      // who was stopped with everything else is known to have ended
      const ended = ground.signal.aborted || this.#closing.signal.aborted;
      if (background && !ended && working.waiters === 0) this.#notice(report);
    });
    over.catch(() => {}); // told by `done`
    return working;
  }

  /** Waits for one that works; its report, or that of one that has ended in this process. Undefined: nothing is known here. */
  async report(
    agent_id: string,
    wait: AbortSignal | undefined,
  ): Promise<AgentReport | "working" | undefined> {
    const working = this.#working.get(agent_id);
    if (working === undefined) return this.#reports.get(agent_id);
    if (wait === undefined) return "working";
    const over = Promise.withResolvers<"working">();
    const stop = () => over.resolve("working");
    wait.addEventListener("abort", stop, { once: true });
    if (wait.aborted) stop();
    working.waiters++;
    try {
      return await Promise.race([working.done, over.promise]);
    } finally {
      working.waiters--;
      wait.removeEventListener("abort", stop);
    }
  }

  /** Ends one that works and gives its report; undefined when it does not work. */
  async stop(agent_id: string): Promise<AgentReport | undefined> {
    const working = this.#working.get(agent_id);
    if (working === undefined) return undefined;
    working.waiters++;
    working.end.abort(new Error("it was stopped"));
    return await working.done;
  }

  /** All sub-agents that the conversation has started. */
  records(): readonly AgentRecord[] {
    return this.#scope.parts.session.state.agents;
  }

  /** Ends all and waits until they have ended. */
  async close(): Promise<void> {
    this.#closing.abort(new Error("the session was closed"));
    await Promise.allSettled([...this.#working.values()].map(({ done }) => done));
  }

  #earlier(agent_id: string): AgentRecord {
    const found = this.records().find((record) => record.agent_id === agent_id);
    if (found === undefined) {
      const near = nearest(agent_id, this.records().map((record) => record.agent_id));
      throw new LuminaError(
        "agent.unknown",
        `There is no sub-agent ${agent_id} to continue${near === undefined ? "" : `: did you mean ${near}?`}`,
      );
    }
    if (this.#working.has(agent_id)) {
      throw new LuminaError("agent.working", `Sub-agent ${agent_id} still works: read it with AgentOutput`);
    }
    return found;
  }

  async #definition(type: string): Promise<AgentDefinition> {
    const { types, problems } = await this.types();
    const found = typeNamed(types, type);
    if (found !== undefined) return found;
    const broken = problems.find(({ file }) => file.endsWith(`/${type}.md`));
    const why = broken === undefined ? "" : ` (${broken.file}: ${broken.message})`;
    throw new LuminaError(
      "agent.unknown_type",
      `There is no agent type "${type}"${why}: the types are ${types.map(({ name }) => name).join(", ")}`,
    );
  }

  #newId(): string {
    const { world } = this.#scope.parts;
    for (;;) {
      const id = `agent-${world.uuid().slice(0, 8)}`;
      if (!this.records().some(({ agent_id }) => agent_id === id)) return id;
    }
  }

  async #work(
    { request, definition, earlier, name, background, ground }: {
      request: StartRequest;
      definition: AgentDefinition;
      earlier: AgentRecord | undefined;
      name: AgentName;
      background: boolean;
      ground: AgentGround;
    },
    signal: AbortSignal,
  ): Promise<AgentReport> {
    const { session: whole, world } = this.#scope.parts;
    const { agent_id, agent_type, description } = name;
    const started = world.mono();
    const open = async () =>
      earlier === undefined ? whole.newAgent(agent_id) : await whole.openAgent(agent_id);
    const session = await open();
    const wants_tree = request.isolation === "worktree" || definition.isolation === "worktree";
    const worktree: OpenWorktree | undefined = earlier?.worktree !== undefined
      ? await this.#worktrees.open(earlier.worktree, signal)
      : wants_tree
      ? await this.#worktrees.add(agent_id, signal)
      : undefined;
    const tree = worktree === undefined ? {} : { worktree: { path: worktree.path, branch: worktree.branch } };
    await whole.execute({
      type: "start_agent",
      agent_id,
      agent_type,
      description,
      ...(name.call_id === undefined ? {} : { call_id: name.call_id }),
      background,
      model: request.model ?? definition.model ?? ground.model.name,
      tools: [...definition.tools ?? []],
      ...tree,
    });
    const emit = ground.emit;
    const watched: AgentGround = request.progress === undefined ? ground : {
      ...ground,
      emit: (event) => {
        if (event.type === "agent" && event.event.type === "tool_started" && event.agent_id === agent_id) {
          request.progress?.(`${agent_type}: ${event.event.name}\n`);
        }
        emit(event);
      },
    };
    let result: RunResult;
    try {
      result = await runChild({
        scope: this.#scope,
        ground: watched,
        definition,
        name,
        session,
        prompt: request.prompt,
        ...(request.model === undefined ? {} : { model: request.model }),
        ...(request.effort === undefined ? {} : { effort: request.effort }),
        ...(request.allowed_tools === undefined ? {} : { allowed_tools: request.allowed_tools }),
        background,
        ...(worktree === undefined ? {} : { worktree }),
        capture: this.#capture,
      }, signal);
    } catch (error) {
      result = failedBefore(error, signal, Math.round(world.mono() - started));
    }
    for (const [model, use] of Object.entries(result.models)) {
      this.#uses.push({ model, usage: use.usage, cost_usd: use.cost_usd });
    }
    this.#denied.push(...result.denials);
    const left = worktree === undefined || await this.#removed(worktree) ? {} : tree;
    const { status, error, turns, usage, cost_usd, duration_ms } = result;
    await whole.execute({
      type: "finish_agent",
      agent_id,
      status,
      ...(error === undefined ? {} : { error }),
      turns,
      usage,
      cost_usd,
      duration_ms,
      ...left,
    });
    const done = progressText(session.state);
    return { agent_id, agent_type, description, result, done, ...left };
  }

  /** True when nothing is left of it. An interrupted run does not wait long for that. */
  async #removed(worktree: AgentWorktree): Promise<boolean> {
    const limit = new AbortController();
    const hurry = () => setTimeout(() => limit.abort(new Error("it took too long")), LAST_LOOK_MS);
    const { ground } = this.#scope.session;
    const hurried = this.#closing.signal.aborted || ground?.signal.aborted === true;
    const timer = hurried ? hurry() : undefined;
    try {
      return await this.#worktrees.removeClean(worktree, limit.signal);
    } catch {
      return false; // what cannot be looked at is kept, and named
    } finally {
      clearTimeout(timer);
    }
  }

  #notice(report: AgentReport): void {
    const { agent_id, agent_type, description, result } = report;
    const text = `<agent_notice agent_id="${agent_id}" type="${agent_type}" status="${result.status}">\n` +
      `The background sub-agent "${description}" has ended.\n${reportText(report)}\n</agent_notice>`;
    this.#scope.inbox.push({ kind: "notice", text, wakes: true });
  }
}

/** It did not come as far as its own run, which would tell by itself. */
function failedBefore(error: unknown, signal: AbortSignal, duration_ms: number): RunResult {
  const aborted = signal.aborted;
  return {
    status: aborted ? "interrupted" : "failed",
    answer: "",
    error: {
      code: aborted ? "agent.interrupted" : error instanceof LuminaError ? error.code : "agent.internal",
      message: errorMessage(aborted ? signal.reason : error),
    },
    turns: 0,
    usage: NO_USAGE,
    models: {},
    cost_usd: 0,
    duration_ms,
    duration_api_ms: 0,
    denials: [],
  };
}
