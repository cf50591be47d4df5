import { resolve } from "node:path";
import type { ToolManifest, ToolOutcome } from "../plugin_api/mod.ts";
import type { Session } from "../session/mod.ts";
import type { HookMoment, HookOutcome, Json, JsonObject, ToolUseBlock, Verdict } from "../types/mod.ts";
import { isJsonObject } from "../types/mod.ts";
import type { HookPort } from "./ports.ts";

/** Where hooks may be; absent: there is none. */
interface WithHooks {
  hooks?: HookPort;
  session: Session;
}

type ToolEvent =
  | "PreToolUse"
  | "PermissionRequest"
  | "PermissionDenied"
  | "PostToolUse"
  | "PostToolUseFailure";

/** What hooks say at an event of one call; undefined where nobody waits for it. */
export async function toolHooks(
  { hooks, session }: WithHooks,
  event: ToolEvent,
  call: { tool: ToolManifest; block: ToolUseBlock; input: JsonObject },
  fields: JsonObject,
  signal: AbortSignal,
): Promise<HookOutcome | undefined> {
  if (hooks === undefined || !hooks.waits(event)) return undefined;
  const { tool, block, input } = call;
  const moment: HookMoment = {
    event,
    subject: [tool.name, ...tool.aliases],
    fields: {
      tool_name: tool.name,
      tool_input: absoluteInput(tool, input, session.state.cwd),
      tool_use_id: block.call_id,
      ...fields,
    },
  };
  return await hooks.run(moment, signal);
}

/** Hooks see where a relative path leads: one that guards a folder compares whole paths. */
function absoluteInput({ subject }: ToolManifest, input: JsonObject, cwd: string): JsonObject {
  const path = subject.kind === "path" ? input[subject.param] : undefined;
  if (subject.kind !== "path" || typeof path !== "string" || path.startsWith("~")) return input;
  return { ...input, [subject.param]: resolve(cwd, path) };
}

/** A question of the mode alone is one that a hook may answer: no rule, no danger, no path that rules close, no secret. */
export function mayAnswer({ behavior, source, mode_alone }: Verdict): boolean {
  return behavior === "ask" && source === "mode" && mode_alone === true;
}

/**
 * The verdict with what hooks ask for: what the policy allows is asked about, and where it asks anyway, no other hook answers
 * in the place of a person. Nothing becomes looser.
 */
export function withHookAsk(verdict: Verdict, permission: HookOutcome["permission"]): Verdict {
  if (verdict.behavior === "deny" || permission?.behavior !== "ask") return verdict;
  const asks = `the hook ${permission.hook} asks: ${permission.reason}`;
  if (verdict.behavior === "ask") {
    const { mode_alone: _alone, ...rest } = verdict;
    return { ...rest, reason: `${verdict.reason}; ${asks}` };
  }
  const { rule: _rule, ...rest } = verdict;
  return { ...rest, behavior: "ask", source: "hook", reason: asks, suggestions: [] };
}

/** The outcome of a call as the model reads it once hooks have seen it. */
export async function afterTool(
  deps: WithHooks,
  call: { tool: ToolManifest; block: ToolUseBlock; input: JsonObject },
  outcome: ToolOutcome,
  signal: AbortSignal,
): Promise<{ outcome: ToolOutcome; stop?: HookOutcome["stop"] }> {
  const failed = outcome.is_error === true;
  const said = failed
    ? await toolHooks(
      deps,
      "PostToolUseFailure",
      call,
      { error: outcome.content, is_interrupt: false },
      signal,
    )
    : await toolHooks(deps, "PostToolUse", call, { tool_response: toolResponse(call, outcome) }, signal);
  if (said === undefined) return { outcome };
  let seen = outcome;
  if (said.updated_output !== undefined) {
    // what programs would see as data is what the hook has replaced
    const { data: _data, media: _media, ...rest } = outcome;
    seen = { ...rest, content: outputText(said.updated_output) };
  }
  return {
    outcome: withContext(seen, said.context),
    ...(said.stop === undefined ? {} : { stop: said.stop }),
  };
}

/** A result with what hooks add to it for the model. */
export function withContext(outcome: ToolOutcome, context: readonly string[]): ToolOutcome {
  if (context.length === 0) return outcome;
  const added = context.map((text) => `\n\n<hook_context>\n${text}\n</hook_context>`).join("");
  return { ...outcome, content: `${outcome.content}${added}` };
}

/** What hooks say when all calls of a turn have their results. */
export async function batchHooks(
  { hooks }: Pick<WithHooks, "hooks">,
  executed: readonly { block: ToolUseBlock; outcome: ToolOutcome }[],
  signal: AbortSignal,
): Promise<HookOutcome | undefined> {
  if (hooks === undefined || !hooks.waits("PostToolBatch")) return undefined;
  const tool_calls = executed.map(({ block, outcome }) => ({
    tool_name: block.name,
    tool_input: block.input,
    tool_use_id: block.call_id,
    tool_response: outcome.content,
  }));
  return await hooks.run({ event: "PostToolBatch", subject: [], fields: { tool_calls } }, signal);
}

/** The result in the shape that hooks know of each kind of tool. */
function toolResponse(
  { tool, input }: { tool: ToolManifest; input: JsonObject },
  { content }: ToolOutcome,
): JsonObject {
  if (tool.subject.kind === "command") {
    return { stdout: content, stderr: "", interrupted: false, isImage: false };
  }
  const path = tool.subject.kind === "path" ? input[tool.subject.param] : undefined;
  if (tool.effect === "write") return { filePath: path ?? null, success: true, content };
  return { ...(path === undefined ? {} : { filePath: path }), content };
}

/** A hook's own form of an output as text: a text, one of the shapes above, or its JSON. */
function outputText(output: Json): string {
  if (typeof output === "string") return output;
  if (isJsonObject(output)) {
    const { stdout, stderr, content } = output;
    if (typeof stdout === "string") {
      return [stdout, stderr].filter((part) => typeof part === "string" && part !== "").join("\n");
    }
    if (typeof content === "string") return content;
  }
  return JSON.stringify(output);
}
