import { canonicalJson, sha256 } from "../base/mod.ts";
import type { ToolManifest } from "../plugin_api/mod.ts";
import type { DecidedPermission, Session } from "../session/mod.ts";
import type { JsonObject, ToolUseBlock, Verdict } from "../types/mod.ts";
import { askAgain } from "./ask_again.ts";
import type { AskPort, GatePort, PermissionAnswer, ToolPort } from "./ports.ts";

/** How often one call may be asked about when it is another one each time it is looked at. */
const MOST_QUESTIONS = 3;

/** What deciding needs of the run it belongs to. */
export interface PermissionDeps {
  session: Session;
  tools: Pick<ToolPort, "check">;
  gate: GatePort;
  asker: AskPort;
}

/** What came of one call: it may run with this input and verdict, it is denied, or its input is not valid. */
export type SettledPermission =
  | { kind: "run"; input: JsonObject; verdict: Verdict; decided: DecidedPermission }
  | { kind: "deny"; reason: string; stop: boolean; decided: DecidedPermission }
  | { kind: "invalid"; problems: string[] };

/**
 * Judges a call and asks a person where the kernel says so. What was asked is what runs: after an answer the call is judged
 * again as it then stands (the answer may have changed the input, a link may lead elsewhere, the rules may be others), and
 * what differs from what was shown is asked anew, at most three times.
 */
export async function settlePermission(
  deps: PermissionDeps,
  tool: ToolManifest,
  block: ToolUseBlock,
  given: JsonObject,
  signal: AbortSignal,
): Promise<SettledPermission> {
  let input = given;
  const look = async () => askAgain(await deps.gate.judge(tool, input), tool, block, deps.session.state);
  let verdict = await look();
  for (let questions = 0; verdict.behavior === "ask"; questions++) {
    const shown = verdict;
    if (questions === MOST_QUESTIONS) {
      return refused(tool, input, shown, { by: "policy" }, tooOften(tool, shown));
    }
    const answer = await deps.asker.ask({ call_id: block.call_id, tool: tool.name, input, verdict }, signal);
    signal.throwIfAborted();
    if (answer.behavior === "deny") {
      return refused(tool, input, shown, answer, answer.message ?? shown.reason, answer.interrupt);
    }
    if (answer.updated_input !== undefined) {
      input = answer.updated_input;
      const problems = deps.tools.check(tool, input);
      if (problems.length > 0) return { kind: "invalid", problems };
    }
    verdict = await look();
    if (verdict.behavior === "deny") break;
    if (!changed(shown, verdict)) {
      return { kind: "run", input, verdict, decided: decision(tool, input, shown, answer) };
    }
    verdict = askedAnew(shown, verdict);
  }
  if (verdict.behavior === "deny") return refused(tool, input, verdict, { by: "policy" }, verdict.reason);
  return { kind: "run", input, verdict, decided: decision(tool, input, verdict, { by: "policy" }) };
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
  if (now.behavior === "allow") return false; // the rule that the answer kept covers it
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
type Said = { by: DecidedPermission["by"] } & Pick<PermissionAnswer, "kept" | "remember">;

/** What the journal says of a decision. `shown` is the hash of what was judged: tool, input and resolved paths. */
function decision(
  tool: ToolManifest,
  input: JsonObject,
  verdict: Verdict,
  { by, kept, remember }: Said,
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
    ...(remember === undefined ? {} : { remember }),
    ...(kept === undefined || kept.length === 0 ? {} : { kept: [...kept] }),
  };
}
