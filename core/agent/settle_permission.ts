import { canonicalJson, sha256 } from "../base/mod.ts";
import type { ToolManifest } from "../plugin_api/mod.ts";
import type { DecidedPermission, Session } from "../session/mod.ts";
import type { HookOutcome, JsonObject, ToolUseBlock, Verdict } from "../types/mod.ts";
import { askAgain } from "./ask_again.ts";
import type { AskPort, GatePort, HookPort, PermissionAnswer, ToolPort } from "./ports.ts";
import { mayAnswer, toolHooks, withHookAsk } from "./tool_hooks.ts";

/** How often one call may be asked about when it is another one each time it is looked at. */
const MOST_QUESTIONS = 3;

/** What deciding needs of the run it belongs to. */
export interface PermissionDeps {
  session: Session;
  tools: Pick<ToolPort, "check">;
  gate: GatePort;
  asker: AskPort;
  /** Absent: there is none. */
  hooks?: HookPort;
}

/** What came of one call: it may run with this input and verdict, it is denied, or its input is not valid. */
export type SettledPermission =
  | { kind: "run"; input: JsonObject; verdict: Verdict; decided: DecidedPermission; context: string[] }
  | {
    kind: "deny";
    reason: string;
    stop: boolean;
    decided: DecidedPermission;
    /** A hook that ends the run with it. */
    ended?: HookOutcome["stop"];
  }
  | { kind: "invalid"; problems: string[] };

/**
 * Judges a call and asks a person where the kernel says so. What was asked is what runs: after an answer the call is judged
 * again as it then stands (the answer may have changed the input, a link may lead elsewhere, the rules may be others), and
 * what differs from what was shown is asked anew, at most three times. Hooks look first and may refuse, ask, or answer
 * what the mode alone would ask; what they change is judged like any other call.
 */
export async function settlePermission(
  deps: PermissionDeps,
  tool: ToolManifest,
  block: ToolUseBlock,
  given: JsonObject,
  signal: AbortSignal,
): Promise<SettledPermission> {
  let input = given;
  const call = () => ({ tool, block, input });
  const before = await toolHooks(deps, "PreToolUse", call(), {}, signal);
  const context = before?.context ?? [];
  const change = (updated: JsonObject | undefined): string[] => {
    if (updated === undefined) return [];
    input = structuredClone(updated);
    return deps.tools.check(tool, input);
  };
  const look = async () => {
    const verdict = askAgain(await deps.gate.judge(tool, input), tool, block, deps.session.state);
    return withHookAsk(verdict, before?.permission);
  };
  /** What hooks that guard refuse of an input that was changed after they had looked. */
  const guard = async () => refusalOf(await toolHooks(deps, "PreToolUse", call(), {}, signal));
  const run = (verdict: Verdict, shown: Verdict, said: Said): SettledPermission => ({
    kind: "run",
    input,
    verdict,
    decided: decision(tool, input, shown, said),
    context,
  });
  const problems = change(before?.updated_input);
  if (problems.length > 0) return { kind: "invalid", problems };
  let verdict = await look();
  const no = refusalOf(before);
  if (no !== undefined) return refusedByHook(tool, input, verdict, no, before?.stop);
  for (let questions = 0; verdict.behavior === "ask"; questions++) {
    const yes = before?.permission;
    // its yes was about the call as it came, not about what an answer has made of it
    if (questions === 0 && yes?.behavior === "allow" && mayAnswer(verdict)) {
      return run(verdict, verdict, byHook(yes));
    }
    if (questions === MOST_QUESTIONS) {
      return refused(tool, input, verdict, { by: "policy" }, tooOften(tool, verdict));
    }
    const request = await toolHooks(deps, "PermissionRequest", call(), requestFields(verdict), signal);
    const refusal = refusalOf(request);
    if (refusal !== undefined) return refusedByHook(tool, input, verdict, refusal, request?.stop);
    if (request?.permission?.behavior === "allow" && mayAnswer(verdict)) {
      const problems = change(request.updated_input);
      if (problems.length > 0) return { kind: "invalid", problems };
      const asked = verdict;
      const no = request.updated_input === undefined ? undefined : await guard();
      verdict = await look(); // a hook takes its time
      if (no !== undefined) return refusedByHook(tool, input, verdict, no, undefined);
      if (verdict.behavior !== "ask") continue;
      const moved = request.updated_input === undefined && changed(asked, verdict);
      if (!moved && mayAnswer(verdict)) return run(verdict, verdict, byHook(request.permission));
      verdict = askedAnew(asked, verdict);
    }
    const shown = verdict;
    const answer = await deps.asker.ask({ call_id: block.call_id, tool: tool.name, input, verdict }, signal);
    signal.throwIfAborted();
    if (answer.behavior === "deny") {
      return refused(tool, input, shown, answer, answer.message ?? shown.reason, answer.interrupt);
    }
    const before_answer = input;
    const problems = change(answer.updated_input);
    if (problems.length > 0) return { kind: "invalid", problems };
    const no = canonicalJson(before_answer) === canonicalJson(input) ? undefined : await guard();
    verdict = await look();
    if (no !== undefined) return refusedByHook(tool, input, verdict, no, undefined);
    if (verdict.behavior === "deny") break;
    if (!changed(shown, verdict)) return run(verdict, shown, answer);
    verdict = askedAnew(shown, verdict);
  }
  if (verdict.behavior === "deny") return refused(tool, input, verdict, { by: "policy" }, verdict.reason);
  return run(verdict, verdict, { by: "policy" });
}

/** A hook's no; one that ends the run is a no to the call as well. */
function refusalOf(said: HookOutcome | undefined): { reason: string; hook: string } | undefined {
  if (said?.permission?.behavior === "deny") return said.permission;
  return said?.stop;
}

function byHook({ hook }: { hook: string }): Said {
  return { by: "hook", hook };
}

function refusedByHook(
  tool: ToolManifest,
  input: JsonObject,
  verdict: Verdict,
  { reason, hook }: { reason: string; hook: string },
  ended: HookOutcome["stop"],
): SettledPermission {
  const { rule: _rule, ...decided } = decision(tool, input, verdict, { by: "hook", hook });
  return {
    kind: "deny",
    reason,
    stop: false,
    decided: { ...decided, source: "hook", reason },
    ...(ended === undefined ? {} : { ended }),
  };
}

function requestFields({ reason, suggestions }: Verdict): JsonObject {
  return { reason, permission_suggestions: suggestions };
}

function refused(
  tool: ToolManifest,
  input: JsonObject,
  verdict: Verdict,
  answer: Said,
  reason: string,
  stop = false,
): SettledPermission {
  return { kind: "deny", reason, stop, decided: { ...decision(tool, input, verdict, answer), reason } };
}

function tooOften(tool: ToolManifest, { reason }: Verdict): string {
  return `${tool.name} was another call each time it was asked about: ${reason}`;
}

/** True when what would run is not what the answer was about. */
function changed(shown: Verdict, now: Verdict): boolean {
  if (pathsOf(shown) !== pathsOf(now)) return true;
  // the rule that the answer kept covers it; what a hook asks beside was asked with the same question
  if (now.behavior === "allow" || now.source === "hook") return false;
  return now.behavior !== shown.behavior || now.source !== shown.source || now.rule !== shown.rule;
}

/** The verdict of now as a question that says what is other than before. */
function askedAnew(shown: Verdict, now: Verdict): Verdict {
  const moved = pathsOf(shown) === pathsOf(now) ? "" : " and would touch other files";
  const reason = `the call has changed since it was asked about${moved}: ${now.reason}`;
  return now.behavior === "ask"
    ? { ...now, reason }
    : { ...now, behavior: "ask", source: "changed", reason, suggestions: [] };
}

function pathsOf({ paths }: Verdict): string {
  return canonicalJson(paths.map(({ resolved, access }) => [access, resolved]));
}

/** Who said the last word, and for how long it holds. */
type Said = Pick<DecidedPermission, "by" | "hook"> & Pick<PermissionAnswer, "kept" | "remember">;

/** What the journal says of a decision. `shown` is the hash of what was judged: tool, input and resolved paths. */
function decision(
  tool: ToolManifest,
  input: JsonObject,
  verdict: Verdict,
  { by, kept, remember, hook }: Said,
): DecidedPermission {
  const { source, reason, rule, mode } = verdict;
  const paths = verdict.paths.map(({ resolved, access }) => ({ resolved, access }));
  return {
    by,
    source,
    reason,
    ...(rule === undefined ? {} : { rule }),
    ...(mode === undefined ? {} : { mode }),
    shown: sha256(canonicalJson({ tool: tool.name, input, paths })),
    ...(hook === undefined ? {} : { hook }),
    ...(remember === undefined ? {} : { remember }),
    ...(kept === undefined || kept.length === 0 ? {} : { kept: [...kept] }),
  };
}
