import { errorMessage, LuminaError } from "../base/mod.ts";
import { everythingBelow, parsePatch, patchPaths } from "../files/mod.ts";
import type { JsonObject, PermissionMode, Verdict } from "../types/mod.ts";
import { confinementText } from "./confinement.ts";
import { decide } from "./decide.ts";
import type { CallFacts } from "./facts.ts";
import { pathFact } from "./path_facts.ts";
import { rulePattern } from "./policy.ts";
import type { Policy } from "./policy.ts";
import { lazyShellParser } from "./shell/parser.ts";
import type { LoadWasm, ParseShell } from "./shell/parser.ts";
import { plainLine } from "./shell/plain_line.ts";
import { shellFacts } from "./shell_facts.ts";
import { namesTool } from "./tool_match.ts";
import type { ToolFacts } from "./tool_match.ts";

/** A call as the executor has it. */
export interface ToolCall {
  tool: ToolFacts;
  input: JsonObject;
}

/** Judges calls. One judge serves all sessions; it holds nothing but the loaded shell grammar. */
export interface Judge {
  /** The verdict about a call under a policy. Never throws for what the call holds. */
  judge(call: ToolCall, policy: Policy): Promise<Verdict>;
  /** The same in several modes, in their order; what is known of the call is looked up once. */
  judgeIn(modes: readonly PermissionMode[], call: ToolCall, policy: Policy): Promise<Verdict[]>;
}

/** Makes a judge. The shell grammar is loaded at the first command that is more than plain words, through `loadWasm` when given. */
export function createJudge(options: { loadWasm?: LoadWasm } = {}): Judge {
  const parser = lazyShellParser(options.loadWasm);
  const factsOf = async (call: ToolCall, policy: Policy): Promise<CallFacts> => {
    // most commands are plain words: only another one waits for the grammar
    let plain = true;
    const facts = gatherFacts(call, policy, (text) => {
      const tree = plainLine(text);
      plain &&= tree !== undefined;
      return tree;
    });
    return plain ? facts : gatherFacts(call, policy, await parser());
  };
  return {
    async judge(call, policy) {
      return decide(await factsOf(call, policy), policy);
    },
    async judgeIn(modes, call, policy) {
      const facts = await factsOf(call, policy);
      return modes.map((mode) => decide(facts, { ...policy, mode }));
    },
  };
}

let shared: Judge | undefined;

/** Judges a call with the judge of this process. */
export function judge(call: ToolCall, policy: Policy): Promise<Verdict> {
  shared ??= createJudge();
  return shared.judge(call, policy);
}

/** Judges a call in several modes with the judge of this process. */
export function judgeIn(
  modes: readonly PermissionMode[],
  call: ToolCall,
  policy: Policy,
): Promise<Verdict[]> {
  shared ??= createJudge();
  return shared.judgeIn(modes, call, policy);
}

/** Looks up all that `decide` needs to know about a call. */
function gatherFacts({ tool, input }: ToolCall, policy: Policy, parse: ParseShell): CallFacts {
  const facts: CallFacts = { tool, input, paths: [] };
  const { subject } = tool;
  if (subject.kind === "none") return facts;
  const value = input[subject.param] ?? (subject.kind === "path" ? subject.fallback : undefined);
  if (typeof value !== "string") {
    if (subject.kind !== "path" || tool.effect !== "read") {
      facts.path_error = `${tool.name} was called without ${subject.param}; name it as a text`;
    }
    return facts;
  }
  if (subject.kind === "url") facts.url = value;
  else if (subject.kind === "path" || subject.kind === "patch") {
    try {
      const reads = subject.kind === "path" && (tool.effect === "read" || tool.effect === "none");
      const place = { cwd: policy.workspace, home: policy.home, policy };
      const given = subject.kind === "path" ? [value] : new Set(patchPaths(parsePatch(value)));
      for (const path of given) facts.paths.push(pathFact(path, reads ? "read" : "write", place));
    } catch (error) {
      if (!(error instanceof LuminaError)) throw error;
      facts.path_error = errorMessage(error);
    }
  } else facts.shell = shellFacts(value, policy, parse);
  return facts;
}

/** True when a rule refuses the whole tool, so that the model is not even offered it. */
export function bareDenied(policy: Policy, tool: string, aliases: readonly string[] = []): boolean {
  const facts: ToolFacts = { name: tool, aliases: [...aliases], effect: "none", subject: { kind: "none" } };
  return policy.deny.some((rule) => rule.specifier === undefined && namesTool(rule, facts));
}

/** The deny rules on paths as absolute patterns for `PathPattern.fromAbsolute`, to be judged again where files open. */
export function denyPatterns(policy: Policy): { read: string[]; write: string[] } {
  const patterns = (tool: string) =>
    policy.deny.filter((rule) => rule.tool === tool && rule.specifier !== undefined)
      .map((rule) => rulePattern(rule, policy, "deny").absolute);
  return { read: patterns("Read"), write: patterns("Edit") };
}

/**
 * The same with the rules that ask, and with rules on all reading or writing: where nobody judges single paths any more, all
 * of them close the folder they may hold in.
 */
export function closedPatterns(policy: Policy): { read: string[]; write: string[] } {
  const patterns = (tool: string) =>
    (["deny", "ask"] as const).flatMap((list) =>
      policy[list].filter((rule) => rule.tool === tool || rule.tool === "*").map((rule) =>
        rule.specifier === undefined ? everythingBelow("/") : rulePattern(rule, policy, list).absolute
      )
    );
  return { read: patterns("Read"), write: patterns("Edit") };
}

/** A verdict in lines for people: what, why, which rule, which paths. */
export function explain(verdict: Verdict): string[] {
  const lines = [`${verdict.behavior}: ${verdict.reason}`];
  lines.push(
    verdict.rule === undefined
      ? `decided by: ${verdict.source}`
      : `decided by: ${verdict.source} ${verdict.rule}`,
  );
  if (verdict.part !== undefined) lines.push(`part of the line: ${verdict.part}`);
  for (const { given, resolved, access } of verdict.paths) {
    lines.push(`${access}: ${given}${given === resolved ? "" : ` -> ${resolved}`}`);
  }
  if (verdict.confinement !== undefined) lines.push(confinementText(verdict.confinement));
  for (const rule of verdict.suggestions) lines.push(`always allow would write: ${rule}`);
  for (const rule of verdict.folder_suggestions ?? []) {
    lines.push(`this folder from now on would write: ${rule}`);
  }
  return lines;
}
