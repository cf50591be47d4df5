import type { CliAnswer, CliQuestion, KeepFor } from "./app_port.ts";
import type { CliIo } from "./io.ts";
import { oneLine as visible } from "./one_line.ts";
import { answerQuestions, approvePlan, type AskLine } from "./person_questions.ts";
import { untilAborted } from "./until_aborted.ts";

/**
 * Asks a person on standard error and reads one line of standard input: `y` or `yes` allows once, `s` or `session` keeps the
 * rules that are shown while the session runs, `a` or `always` for this project, `f` or `folder` keeps the rule on the whole
 * folder while the session runs; anything else, the end of input and an abort are a no; text after `n` is the reason that the
 * model is told. Calls that run side by side ask one after the other: a line answers the question that stands above it. The
 * tool `AskUserQuestion` is no permission: the whole line is its answer, the number of an option stands for that option.
 */
export function terminalAsker(
  io: CliIo,
  lines: AsyncIterator<string>,
): (question: CliQuestion, signal: AbortSignal) => Promise<CliAnswer> {
  let before: Promise<unknown> = Promise.resolve();
  return (question, signal) => {
    const answer = before.then(() => ask(io, lines, question, signal));
    before = answer.catch(() => {}); // told to the one who asked
    return answer;
  };
}

async function ask(
  io: CliIo,
  lines: AsyncIterator<string>,
  question: CliQuestion,
  signal: AbortSignal,
): Promise<CliAnswer> {
  if (signal.aborted) return { behavior: "deny", message: "the run was interrupted" };
  const line = async (shown: string): Promise<string | undefined> => {
    io.err(shown);
    const { done, value } = await untilAborted(lines.next(), signal, {
      done: true as const,
      value: undefined,
    });
    return done ? undefined : value.trim();
  };
  if (question.tool === "AskUserQuestion" && Array.isArray(question.input["questions"])) {
    return await answerQuestions(question, line);
  }
  if (question.tool === "AskUserQuestion") return await answer(question, line);
  if (question.tool === "ExitPlanMode") return await approvePlan(question, line);
  const input = JSON.stringify(question.input);
  const { reason: why, suggestions: rules, folder_suggestions: folders = [] } = question.verdict;
  const shown = (words: string, list: readonly string[]) =>
    list.length === 0 ? "" : `  ${words}: ${list.map(visible).join(", ")}\n`;
  const choices = [
    "[y]es once",
    ...(rules.length === 0 ? [] : ["this [s]ession", "[a]lways in this project"]),
    ...(folders.length === 0 ? [] : ["this [f]older in this session"]),
    "[n]o and why",
    "[N]o",
  ];
  const said = await line(
    `${asks(question)} for ${question.tool}: ${visible(input)}\n  ${visible(why)}\n` +
      shown("session and always would keep", rules) + shown("folder would keep", folders) +
      `Allow? ${choices.join(", ")}: `,
  );
  if (said === undefined) return { behavior: "deny", message: "nobody answered" };
  if (/^(y|yes)$/i.test(said)) return { behavior: "allow" };
  const keep = (rules: readonly string[], keep: KeepFor): CliAnswer => ({
    behavior: "allow",
    updates: [{ list: "allow", rules, keep }],
  });
  if (/^(s|session)$/i.test(said) && rules.length > 0) return keep(rules, "session");
  if (/^(a|always)$/i.test(said) && rules.length > 0) return keep(rules, "project");
  if (/^(f|folder)$/i.test(said) && folders.length > 0) return keep(folders, "session");
  const reason = /^(?:n|no)\b[\s,:]*(.+)$/i.exec(said)?.[1];
  if (!/^(?:n|no)?$/i.test(said) && reason === undefined) {
    io.err(`  ${visible(JSON.stringify(said))} is no answer to this question: taken as no\n`);
  }
  return { behavior: "deny", message: reason ?? "the answer was no" };
}

/** Who needs the permission. */
function asks({ agent }: CliQuestion): string {
  if (agent === undefined) return "Permission needed";
  return `Sub-agent ${agent.agent_type} (${visible(agent.description)}) needs permission`;
}

/** A plugin's question that is answered in words; an empty line is no answer. */
async function answer({ input, verdict }: CliQuestion, line: AskLine): Promise<CliAnswer> {
  const options = Array.isArray(input["options"]) ? input["options"].map(String) : [];
  const shown = options.map((option, index) => `  ${index + 1}. ${visible(option)}\n`).join("");
  const said =
    await line(`${visible(String(input["question"]))}\n  ${visible(verdict.reason)}\n${shown}Answer: `) ?? "";
  if (said === "") return { behavior: "deny", message: "nobody answered" };
  const chosen = /^\d{1,2}$/.test(said) ? options[Number(said) - 1] : undefined;
  return { behavior: "allow", updated_input: { ...input, answer: chosen ?? said } };
}
