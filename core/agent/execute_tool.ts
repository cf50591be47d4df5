import type { World } from "../base/mod.ts";
import { errorMessage, nearest } from "../base/mod.ts";
import type { ToolManifest, ToolOutcome } from "../plugin_api/mod.ts";
import type { DecidedPermission, Session } from "../session/mod.ts";
import type { Denial, HookOutcome, ToolUseBlock } from "../types/mod.ts";

import type {
  AskPort,
  CaptureNote,
  CapturePort,
  EmitRunEvent,
  GatePort,
  HookPort,
  ToolPort,
} from "./ports.ts";
import { NO_STAGES } from "./stages.ts";
import type { RunScope, Stages } from "./stages.ts";
import { settlePermission } from "./settle_permission.ts";
import type { SettledPermission } from "./settle_permission.ts";
import { afterTool, toolHooks, withContext } from "./tool_hooks.ts";

/** What the executor needs from the run it belongs to. */
export interface ExecutorDeps {
  session: Session;
  tools: ToolPort;
  gate: GatePort;
  asker: AskPort;
  /** Absent: the workspace is not captured. */
  capture?: CapturePort;
  /** Absent: there is none. */
  hooks?: HookPort;
  world: World;
  emit: EmitRunEvent;
  /** Absent: no feature takes part. */
  stages?: Stages;
  run: RunScope;
}

/** How one call went. */
export interface ExecutedCall {
  block: ToolUseBlock;
  outcome: ToolOutcome;
  ran: boolean;
  denial?: Denial;
  /** Why it was refused, in words for people. */
  refusal?: string;
  /** A person said no and wants the run to stop. */
  stop: boolean;
  /** A hook that ends the run. */
  ended?: HookOutcome["stop"];
}

/**
 * The one way a tool runs: check the input, ask the permission kernel (and a person where it says so), commit the
 * intent, call, commit the outcome. Nothing starts before its intent is on disk. Every way a call can fail becomes
 * an error result for the model; only the journal's own errors and an abort are thrown.
 */
export async function executeTool(
  deps: ExecutorDeps,
  block: ToolUseBlock,
  signal: AbortSignal,
): Promise<ExecutedCall> {
  signal.throwIfAborted();
  const tool = deps.tools.find(block.name);
  if (tool === undefined) return await refuse(deps, block, unknownTool(deps.tools, block.name));
  if (block.malformed !== undefined) {
    return await refuse(
      deps,
      block,
      `The arguments of ${block.name} were not valid JSON (${block.malformed.error}), so it did not run. ` +
        `Send the call again with complete arguments. What arrived: ${block.malformed.raw.slice(0, 400)}`,
    );
  }
  const input = structuredClone(block.input);
  const problems = deps.tools.check(tool, input);
  if (problems.length > 0) return await refuse(deps, block, badInput(tool.name, problems));

  deps.world.stage?.(deps.run.run_id, "before_tool", "permission");
  const settled = await settlePermission(deps, tool, block, input, signal);
  if (settled.kind === "invalid") return await refuse(deps, block, badInput(tool.name, settled.problems));
  if (settled.kind === "deny") return await deny(deps, tool, block, settled, signal);
  return await run(deps, block, tool, settled, signal);
}

async function run(
  deps: ExecutorDeps,
  block: ToolUseBlock,
  tool: ToolManifest,
  { input, verdict, decided, context }: SettledPermission & { kind: "run" },
  signal: AbortSignal,
): Promise<ExecutedCall> {
  const { session, world } = deps;
  const { call_id } = block;
  world.failpoint?.("tool.before_intent");
  const { stages = NO_STAGES } = deps;
  const moment = { tool, block, input, verdict };
  let captured: CaptureNote | undefined;
  const { capture } = deps;
  await stages.at(
    "before_tool",
    moment,
    deps.run,
    capture === undefined ? {} : {
      capture: async () => {
        captured = await capture.before(tool, verdict, signal);
      },
    },
  );
  signal.throwIfAborted();
  await session.execute(
    { type: "decide_permission", call_id, tool: tool.name, behavior: "allow", ...decided },
    ...(captured === undefined ? [] : [{ type: "note_capture", call_id, ...captured } as const]),
    { type: "start_tool", call_id, name: tool.name, effect: tool.effect, repeat: tool.repeat },
  );
  world.failpoint?.("tool.after_intent");
  deps.emit({ type: "tool_started", call_id, name: tool.name, input });
  const started = world.mono();
  const seen: Record<string, string> = {};
  for (const { resolved } of verdict.paths) {
    const hash = session.state.seen.get(resolved);
    if (hash !== undefined) seen[resolved] = hash;
  }
  let outcome: ToolOutcome;
  try {
    world.failpoint?.("tool.before_effect");
    outcome = await deps.tools.call(tool, input, {
      call_id,
      verdict,
      seen,
      signal,
      judge: (other) => deps.gate.judge(tool, other),
      progress: (text) => deps.emit({ type: "tool_progress", call_id, text }),
    });
  } catch (error) {
    signal.throwIfAborted();
    outcome = { content: `${tool.name} failed: ${errorMessage(error)}`, is_error: true };
  }
  const duration_ms = world.mono() - started;
  world.failpoint?.("tool.after_effect");
  const after = { ...moment, outcome: withContext(outcome, context) };
  let ended: HookOutcome["stop"];
  try {
    if (!signal.aborted) {
      await stages.at(
        "after_tool",
        after,
        deps.run,
        deps.hooks === undefined ? {} : {
          hooks: async () => {
            const seen = await afterTool(deps, { tool, block, input }, after.outcome, signal);
            after.outcome = seen.outcome;
            ended = seen.stop;
          },
        },
      );
    }
  } finally {
    // a tool that was interrupted and still reported has a known outcome: it is kept, whatever its hooks do
    await finish(deps, block, tool.name, after.outcome, true, duration_ms);
  }
  outcome = after.outcome;
  world.failpoint?.("tool.after_outcome");
  signal.throwIfAborted();
  return { block, outcome, ran: true, stop: false, ...(ended === undefined ? {} : { ended }) };
}

/** The call never ran, through no one's decision: bad input or no such tool. */
async function refuse(deps: ExecutorDeps, block: ToolUseBlock, content: string): Promise<ExecutedCall> {
  const outcome: ToolOutcome = { content, is_error: true };
  await finish(deps, block, block.name, outcome, false, 0);
  return { block, outcome, ran: false, stop: false };
}

async function deny(
  deps: ExecutorDeps,
  tool: ToolManifest,
  block: ToolUseBlock,
  { reason, stop, decided, ended }: SettledPermission & { kind: "deny" },
  signal: AbortSignal,
): Promise<ExecutedCall> {
  const { call_id, name } = block;
  await deps.session.execute({
    type: "decide_permission",
    call_id,
    tool: name,
    behavior: "deny",
    ...decided,
  });
  deps.emit({ type: "permission_denied", call_id, name, reason, source: decided.source });
  const call = { tool, block, input: block.input };
  const said = await toolHooks(deps, "PermissionDenied", call, { reason }, signal);
  const text = deniedText(name, decided.by, reason);
  const outcome = withContext({ content: text, is_error: true }, said?.context ?? []);
  await finish(deps, block, name, outcome, false, 0);
  return {
    block,
    outcome,
    ran: false,
    denial: { tool_name: name, call_id, tool_input: block.input },
    refusal: reason,
    stop,
    ...(ended === undefined ? {} : { ended }),
  };
}

async function finish(
  deps: ExecutorDeps,
  block: ToolUseBlock,
  name: string,
  outcome: ToolOutcome,
  ran: boolean,
  duration_ms: number,
): Promise<void> {
  const { content } = outcome;
  const is_error = outcome.is_error ?? false;
  const shown = {
    ...(outcome.data === undefined ? {} : { data: outcome.data }),
    ...(outcome.media === undefined ? {} : { media: outcome.media }),
  };
  await deps.session.execute({
    type: "finish_tool",
    call_id: block.call_id,
    name,
    content,
    is_error,
    ran,
    seen: outcome.seen ?? [],
    ...shown,
    duration_ms: Math.round(duration_ms),
  });
  deps.emit({
    type: "tool_result",
    call_id: block.call_id,
    name,
    content,
    is_error,
    ...shown,
  });
}

function deniedText(name: string, by: DecidedPermission["by"], reason: string): string {
  if (by === "user") return `The user did not allow this ${name} call: ${reason}`;
  if (by === "hook") return `A hook refused this ${name} call: ${reason}`;
  if (by === "headless") {
    return `Permission needed for ${name} and nobody can be asked in this run: ${reason}. Do what can be done without it.`;
  }
  return `Permission denied for ${name}: ${reason}`;
}

function badInput(name: string, problems: readonly string[]): string {
  return `The input of ${name} is not valid, so it did not run: ${problems.join("; ")}`;
}

function unknownTool(tools: ToolPort, name: string): string {
  const names = tools.tools.map((tool) => tool.name);
  const guess = nearest(name, names);
  const hint = guess === undefined ? "" : ` Did you mean ${guess}?`;
  return `There is no tool "${name}".${hint} The tools are: ${names.join(", ")}`;
}
