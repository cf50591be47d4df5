import type { Verdict } from "../../types/mod.ts";
import { serviceFailure } from "./service_failure.ts";
import type { ServiceCall, ServicePorts } from "./service_port.ts";

/** What a question to a person is called where permissions are asked for. */
export const QUESTION_TOOL = "AskUserQuestion";

const MOST_ANSWER = 10_000;

/**
 * Asks the person who may answer for permissions, as the tool `AskUserQuestion` with `{ question, options, plugin }`; the
 * answer is `updated_input.answer`. A mere yes is the word "yes". Throws `unavailable` where nobody can be asked, `denied`
 * when they do not answer.
 */
export async function askQuestion(
  question: string,
  options: string[],
  { pack, call_id, signal }: ServiceCall,
  ports: ServicePorts,
): Promise<string> {
  const verdict: Verdict = {
    behavior: "ask",
    reason: `the plugin ${pack.id} asks this question`,
    source: "mode",
    paths: [],
    suggestions: [],
  };
  const input = { question, ...(options.length === 0 ? {} : { options }), plugin: pack.id };
  const answer = await ports.ask({ call_id, tool: QUESTION_TOOL, input, verdict }, signal);
  signal.throwIfAborted();
  if (answer.behavior === "allow") {
    const said = answer.updated_input?.["answer"];
    return typeof said === "string" ? said.slice(0, MOST_ANSWER) : "yes";
  }
  throw answer.by === "headless"
    ? serviceFailure("unavailable", "Nobody can be asked in this run")
    : serviceFailure("denied", `The person did not answer: ${answer.message ?? "no"}`);
}
