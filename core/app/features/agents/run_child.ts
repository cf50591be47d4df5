import { Inbox, momentText, runAgent } from "../../../agent/mod.ts";
import type { AgentDefinition } from "../../../extension/mod.ts";
import { mayUse } from "../../../extension/mod.ts";
import { EFFORTS } from "../../../model/mod.ts";
import type { OpenModel } from "../../../model/mod.ts";
import type { ToolManifest } from "../../../plugin_api/mod.ts";
import type { AgentWorktree, Session } from "../../../session/mod.ts";
import { PERMISSION_MODES } from "../../../types/mod.ts";
import type { PermissionMode, RunResult } from "../../../types/mod.ts";
import { gitFolder, gitHead } from "../../git_head.ts";
import { SessionSandbox } from "../../sandbox/session_sandbox.ts";
import type { SessionParts } from "../../session_parts.ts";
import { TurnScope } from "../../turn_scope.ts";
import { WorkPlace } from "../../work_place.ts";
import type { FeatureScope, FeatureSet } from "../session_feature.ts";
import type { AgentGround } from "./agent_ground.ts";
import { agentPrompt } from "./agent_prompt.ts";
import { budgetedModel, childAsker, childEmit, childHooks } from "./child_ports.ts";
import type { AgentName, SharedCapture } from "./child_ports.ts";
import { childShared } from "./child_shared.ts";
import { ChildSession } from "./child_session.ts";

/** One run of one sub-agent. */
export interface ChildOptions {
  /** The scope of the agent that starts it. */
  scope: FeatureScope;
  ground: AgentGround;
  definition: AgentDefinition;
  name: AgentName;
  /** Its own conversation. */
  session: Session;
  prompt: string;
  model?: string;
  effort?: string;
  allowed_tools?: readonly string[];
  background: boolean;
  worktree?: AgentWorktree & { workspace: string };
  capture: SharedCapture;
}

const NO_COMMIT =
  "<worktree>The worktree is yours. Sandboxed commands read its repository and cannot change it: do not " +
  "commit; leave what you did in the files. They are kept, and the agent that asked you commits them.</worktree>";

/**
 * Runs a sub-agent to its end: a conversation, a place and features of its own; rules, person, hooks and model of the run that
 * started it. What it may do is what that one may, narrowed. Never throws for what goes wrong in its run.
 */
export async function runChild(options: ChildOptions, signal: AbortSignal): Promise<RunResult> {
  const { scope, ground, definition, name, session, worktree } = options;
  const { world, watch } = scope.parts;
  const { settings } = watch.current;
  const named = options.model ?? definition.model ?? ground.model.name;
  const own_model: OpenModel | undefined = named === ground.model.name
    ? undefined
    : await scope.parts.makeModel((made) => ({ ...made, primary: { ...made.primary, model: named } }));
  const model = own_model ?? ground.model;
  const sandbox = worktree === undefined ? ground.sandbox : sandboxOf(scope.parts, worktree.workspace);
  const project = worktree === undefined
    ? scope.parts.located.project
    : { ...scope.parts.located.project, root: worktree.workspace };
  const parts: SessionParts = { ...scope.parts, session, located: { ...scope.parts.located, project } };
  const emit = childEmit(ground.emit, name);
  const loosest = strictest(ground.loosest, definition.permission_mode);
  const may_delegate = scope.depth + 1 < settings.agent_max_depth;
  const { allowed_tools } = options;
  const offered = (tool: ToolManifest) =>
    ground.offered?.(tool) !== false && mayUse(tool, definition, { may_delegate, allowed_tools }) &&
    // a pack's process answers to the session's own run
    !("pack" in tool && tool.pack !== undefined);
  let features: FeatureSet | undefined;
  const inbox = new Inbox();
  const run_id = `run-${world.uuid()}`;
  const hooks = ground.hooks === undefined ? undefined : childHooks(ground.hooks, name);
  const capture = worktree !== undefined || ground.capture === undefined
    ? undefined
    : options.capture.port(ground.capture);
  const asker = childAsker(ground.asker, name);
  const shell = () => place.shell;
  const turn = new TurnScope({
    workspace: project.root,
    home: parts.home,
    path: parts.env.get("PATH") ?? "/usr/bin:/bin",
    shell: {
      get cwd() {
        return shell().cwd;
      },
    },
  });
  const shared = { ...ground.shared, turn };
  const place: WorkPlace = new WorkPlace(shared, {
    project,
    sandbox,
    host_tools: () => features?.tools ?? [],
    ...(loosest === undefined ? {} : { loosest }),
    offered,
  });
  const { taint } = shared;
  const ports = async () => {
    const policy = await place.policy(emit);
    const gate = ground.turns.reduce((gate, above) => above.watchGate(gate), place.gate(policy, emit));
    const tools = taint.watch(place.tools(policy, model));
    return { gate: taint.watchGate(gate), asker, tools, ...(hooks === undefined ? {} : { hooks }) };
  };
  try {
    const policy = await place.policy(emit);
    const own: AgentGround = {
      ...ground,
      turns: [...ground.turns, turn],
      shared,
      run_id,
      signal,
      model,
      sandbox,
      asker,
      emit,
      offered,
      ...(capture === undefined ? {} : { capture }),
      ...(loosest === undefined ? {} : { loosest }),
      ...(hooks === undefined ? {} : { hooks }),
    };
    features = scope.makeFeatures({
      parts,
      session: new ChildSession(scope.session, own, policy.mode, ports),
      turn,
      inbox,
      depth: scope.depth + 1,
      makeFeatures: scope.makeFeatures,
      shared: childShared(scope.shared),
      tell: emit,
    });
    const made = features;
    const effort = EFFORTS.find((level) =>
      level === (options.effort ?? definition.effort ?? settings.effort)
    );
    const started = hooks?.waits("SubagentStart") !== true
      ? []
      : (await hooks.run({ event: "SubagentStart", subject: [definition.name], fields: {} }, signal)).context;
    const head = gitHead(project.root);
    const moment = momentText({
      now: new Date(world.now()),
      cwd: project.root,
      platform: `${Deno.build.os} ${Deno.build.arch}`,
      mode: policy.mode,
      added_dirs: policy.added_dirs,
      ...(head === undefined ? {} : { git_head: head }),
    });
    // the repository's folder is its parent's: hooks and settings in it would run outside of the sandbox
    const closed = worktree === undefined || policy.mode !== "auto" ? [] : [NO_COMMIT];
    return await runAgent(
      {
        session,
        model: budgetedModel(model, session, {
          tokens: settings.agent_max_tokens,
          usd: settings.agent_max_budget_usd,
        }),
        ...await ports(),
        ...(capture === undefined ? {} : { capture }),
        stages: features.stages,
        inbox,
        ...(ground.compactor === undefined ? {} : { compactor: ground.compactor() }),
        awaits: () => made.awaits(),
        besideUse: () => made.besideUse(),
        besideDenied: () => made.besideDenied(),
        world,
        emit,
        cost: (asked, usage) => model.costOf(asked, usage),
      },
      {
        run_id,
        prompt: options.prompt,
        context: [moment, ...closed, ...started.map((text) => `<hook_context>\n${text}\n</hook_context>`)]
          .join("\n"),
        system: await agentPrompt(parts, definition, model.window),
        mode: policy.mode,
        ...(effort === undefined ? {} : { effort }),
        max_steps: definition.max_turns ?? settings.agent_max_turns,
        max_denials: settings.max_consecutive_denials,
        fail_on_denial: false,
        warnings: [],
      },
      signal,
    );
  } finally {
    await features?.close();
    if (sandbox !== ground.sandbox) await sandbox.close();
    own_model?.close();
  }
}

function sandboxOf(
  { app_root, env, home, located, watch }: SessionParts,
  workspace: string,
): SessionSandbox {
  const repository = gitFolder(located.project.root);
  return new SessionSandbox({
    workspace,
    ...(repository === undefined ? {} : { repository }),
    home,
    app_root: Deno.realPathSync(app_root.root),
    env,
    settings: () => watch.current.settings,
  });
}

/** The stricter of two modes, where one or both are named. */
function strictest(
  one: PermissionMode | undefined,
  other: PermissionMode | undefined,
): PermissionMode | undefined {
  return PERMISSION_MODES.find((mode) => mode === one || mode === other);
}
