import { settlePermission } from "../../../agent/mod.ts";
import type { AskPort, GatePort, HookPort, ToolPort } from "../../../agent/mod.ts";
import { LuminaError } from "../../../base/mod.ts";
import type { World } from "../../../base/mod.ts";
import type { Skill } from "../../../extension/mod.ts";
import type { Session } from "../../../session/mod.ts";
import type { JsonObject, ToolUseBlock, Verdict } from "../../../types/mod.ts";

const SHELL = "Bash";

/** How a call outside of the model's own is judged and carried out. */
export interface CallPorts {
  gate: GatePort;
  asker: AskPort;
  tools: ToolPort;
  hooks?: HookPort;
}

interface Permitted {
  command: string;
  input: JsonObject;
  verdict: Verdict;
  decided: { by: "policy" | "user" | "headless" | "hook"; source: string; reason: string; rule?: string };
}

/**
 * Runs the commands in a skill's text and gives what each printed. Each is judged as a call of Bash is: rules, mode, hooks,
 * sandbox. A repository's and a pack's are asked about as well, unless a rule or mode yolo allows them. All are permitted
 * before the first one runs. Throws `skill.command_refused` and `skill.command_failed`, in words for people and the model,
 * and the signal's reason.
 */
export async function runSkillCommands(
  commands: readonly string[],
  skill: Skill,
  ports: CallPorts,
  { session, world, max_chars, signal, who = `the skill ${skill.name}` }: {
    session: Session;
    world: World;
    max_chars: number;
    signal: AbortSignal;
    /** How people know it. */
    who?: string;
  },
): Promise<string[]> {
  const permitted: Permitted[] = [];
  for (const command of commands) {
    permitted.push(await permit(command, skill, who, ports, session, world, signal));
  }
  await session.execute({
    type: "start_skill_commands",
    skill: skill.name,
    commands: permitted.map(({ command, decided: { by, source, reason, rule } }) => ({
      command,
      by,
      source,
      reason,
      ...(rule === undefined ? {} : { rule }),
    })),
  });
  let error = "interrupted";
  try {
    const outputs: string[] = [];
    for (const call of permitted) outputs.push(await run(call, who, ports.tools, world, max_chars, signal));
    error = "";
    return outputs;
  } catch (thrown) {
    if (thrown instanceof LuminaError) error = thrown.message;
    throw thrown;
  } finally {
    await session.execute({
      type: "finish_skill_commands",
      skill: skill.name,
      ok: error === "",
      ...(error === "" ? {} : { error }),
    });
  }
}

async function permit(
  command: string,
  skill: Skill,
  who: string,
  { gate, asker, tools, hooks }: CallPorts,
  session: Session,
  world: World,
  signal: AbortSignal,
): Promise<Permitted> {
  const tool = tools.find(SHELL);
  if (tool === undefined) throw refused(command, who, `${SHELL} is not offered in this session`);
  const input: JsonObject = {
    command: skill.shell === "bash" ? command : `${skill.shell} -c ${quoted(command)}`,
    description: `A command of ${who}`,
  };
  const block: ToolUseBlock = {
    type: "tool_use",
    call_id: world.uuid(),
    wire_id: "",
    name: tool.name,
    input,
  };
  const settled = await settlePermission(
    {
      session,
      tools,
      asker,
      gate: foreign(skill) ? askingGate(gate, skill, who) : gate,
      ...(hooks === undefined ? {} : { hooks }),
    },
    tool,
    block,
    input,
    signal,
  );
  if (settled.kind === "invalid") throw refused(command, who, settled.problems.join("; "));
  if (settled.kind === "deny") {
    if (settled.decided.by !== "headless") throw refused(command, who, settled.reason);
    const [rule] = rulesFor(input["command"]);
    const remedy = rule === undefined ? "" : ` (--allowed-tools ${JSON.stringify(rule)} allows it)`;
    throw refused(
      command,
      who,
      `it needs permission and nobody can be asked: ${settled.reason}${remedy}`,
    );
  }
  return { command, input: settled.input, verdict: settled.verdict, decided: settled.decided };
}

/** What a repository or a pack brings was written by somebody else. */
function foreign({ source }: Skill): boolean {
  return source === "project" || source === "pack";
}

/** The same gate, which asks where the mode alone would allow. */
function askingGate(gate: GatePort, skill: Skill, who: string): GatePort {
  return {
    judge: async (tool, input) => {
      const verdict = await gate.judge(tool, input);
      if (verdict.behavior !== "allow" || verdict.ruled === true || verdict.mode === "yolo") {
        return verdict;
      }
      const { mode_alone: _alone, ...rest } = verdict;
      const whose = skill.source === "pack" ? `the pack ${skill.pack}` : "this repository";
      return {
        ...rest,
        behavior: "ask",
        reason: `${who} of ${whose} runs it when it is loaded`,
        suggestions: rulesFor(input["command"]),
      };
    },
  };
}

/** The rule that allows this very command and no other; none for one with characters that rules read in their own way. */
function rulesFor(command: unknown): string[] {
  return typeof command === "string" && /^[\w ./:=@,+-]{1,200}$/.test(command)
    ? [`${SHELL}(${command})`]
    : [];
}

async function run(
  { command, input, verdict }: Permitted,
  who: string,
  tools: ToolPort,
  world: World,
  max_chars: number,
  signal: AbortSignal,
): Promise<string> {
  const tool = tools.find(SHELL);
  if (tool === undefined) throw refused(command, who, `${SHELL} is not offered any more`);
  const { content, is_error = false, data } = await tools.call(tool, input, {
    call_id: world.uuid(),
    verdict,
    seen: {},
    signal,
    progress: () => {},
  });
  signal.throwIfAborted();
  if (is_error || data?.["exit_code"] === undefined) {
    throw new LuminaError(
      "skill.command_failed",
      `${capital(who)} could not be loaded: its command \`${command}\` failed: ${
        content.trim().replace(/\s*\n\s*/g, "; ").slice(0, 500)
      }`,
    );
  }
  const text = data["output_bytes"] === 0 ? "" : content.replace(/\n$/, "");
  if (text.length <= max_chars) return text;
  return `${text.slice(0, max_chars)}\n[cut: ${text.length - max_chars} more characters]`;
}

function refused(command: string, who: string, reason: string): LuminaError {
  return new LuminaError(
    "skill.command_refused",
    `${capital(who)} was not loaded: its command \`${command}\` may not run: ${reason}`,
    { exit: 3 },
  );
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
