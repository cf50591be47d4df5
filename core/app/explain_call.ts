import type { AppRoot } from "../app_root/mod.ts";
import { EXIT, LuminaError, nearest } from "../base/mod.ts";
import type { ListedRule, PermissionExplanation, RulesQuery } from "../cli/mod.ts";
import { explain, judge, ruleLabel } from "../permission/mod.ts";
import type { Policy } from "../permission/mod.ts";
import type { CatalogTool } from "../plugin_host/mod.ts";
import { PERMISSION_MODES } from "../types/mod.ts";
import type { JsonObject, Verdict } from "../types/mod.ts";
import { policyHere } from "./policy_here.ts";

/** Says how a call written as `Tool(subject)` would be judged here and now, and what decides. */
export async function explainCall(
  call: string,
  flags: RulesQuery,
  app_root: AppRoot,
  home: string,
  root: URL,
): Promise<PermissionExplanation> {
  const [, name, subject] = /^\s*([A-Za-z_][\w-]*)(?:\(([\s\S]*)\))?\s*$/.exec(call) ?? [];
  const { workspace, catalog, policy: { built: { policy }, hidden, warnings } } = await policyHere(
    flags,
    app_root,
    home,
    root,
  );
  const tool = name === undefined ? undefined : catalog.find(name);
  if (tool === undefined) {
    const names = catalog.tools.map((known) => known.name);
    const guess = nearest(name ?? call, names);
    const hint = guess === undefined ? "" : `; did you mean ${guess}?`;
    const wrong = name === undefined
      ? 'write Tool(subject), as in "Bash(git status)"'
      : `there is no tool ${name}; there are ${names.join(", ")}`;
    throw new LuminaError("cli.usage", `Cannot explain ${JSON.stringify(call)}: ${wrong}${hint}`, {
      exit: EXIT.usage,
    });
  }
  const asked = { tool, input: subjectInput(tool, subject ?? "") };
  const verdict = await judge(asked, { ...policy, shell_cwd: workspace });
  const modes: PermissionExplanation["modes"] = [];
  for (const mode of PERMISSION_MODES) {
    const { behavior, reason } = await judge(asked, { ...policy, mode, shell_cwd: workspace });
    modes.push({ mode, behavior, reason });
  }
  const rule = decidingRule(verdict, policy);
  const absent = hidden(tool);
  return {
    tool: tool.name,
    mode: policy.mode,
    hidden: absent,
    verdict,
    ...(rule === undefined ? {} : { rule }),
    modes,
    problems: [...warnings],
    lines: [
      `mode ${policy.mode}`,
      ...(absent ? ["the tool is denied as a whole: the model does not see it"] : []),
      ...explain(verdict),
      ...(rule === undefined ? [] : [`scope of the rule: ${rule.scope}`]),
      `modes: ${modes.map(({ mode, behavior }) => `${mode} ${behavior}`).join(", ")}`,
      ...warnings.map((text) => `warning: ${text}`),
    ],
  };
}

/** The rule that the verdict names, with its place. */
function decidingRule({ rule }: Verdict, policy: Policy): ListedRule | undefined {
  for (const list of ["deny", "ask", "allow"] as const) {
    const found = policy[list].find((candidate) => ruleLabel(candidate) === rule);
    if (found === undefined) continue;
    const { text, source, line, problem } = found;
    return {
      list,
      rule: text,
      scope: source.origin,
      ...(source.file === undefined ? {} : { file: source.file }),
      ...(line === undefined ? {} : { line }),
      ...(problem === undefined ? {} : { problem }),
    };
  }
  return undefined;
}

function subjectInput(tool: CatalogTool, subject: string): JsonObject {
  return tool.subject.kind === "none" ? {} : { [tool.subject.param]: subject };
}
