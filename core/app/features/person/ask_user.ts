import type { HostTool } from "../../../agent/mod.ts";
import { isJsonObject } from "../../../types/mod.ts";
import type { JsonObject } from "../../../types/mod.ts";
import type { AskPerson } from "./ask_person.ts";

const MOST_ANSWER = 10_000;

/**
 * `AskUserQuestion`: the questions go to the person as the input of the published tool; the answers come back in `answers`, by
 * the text of each question: an option's label, several of them, or words of the person's own.
 */
export function askUser(ask: AskPerson): HostTool {
  return {
    name: "AskUserQuestion",
    async call(input, run) {
      // an answer is what the person said, never what the call brings along
      const questions = Array.isArray(input["questions"]) ? input["questions"].filter(isJsonObject) : [];
      const answer = await ask("AskUserQuestion", { questions }, "the agent asks you", run);
      if (answer.behavior === "deny") {
        return answer.by === "headless"
          ? {
            content: "Nobody can be asked in this run: decide by yourself and say what you assumed",
            is_error: true,
          }
          : { content: `The person did not answer: ${answer.message ?? "no reason given"}`, is_error: true };
      }
      const answers = answersOf(questions, answer.updated_input ?? {});
      const lines = questions.map(({ question }) => {
        const said = answers[String(question)];
        return `${question}: ${said === undefined ? "(no answer)" : said}`;
      });
      return { content: lines.join("\n"), data: { questions, answers } };
    },
  };
}

/** What the person said to each question, as one text. */
function answersOf(questions: readonly JsonObject[], updated: JsonObject): Record<string, string> {
  const given = isJsonObject(updated["answers"] ?? null) ? updated["answers"] as JsonObject : {};
  return Object.fromEntries(questions.flatMap(({ question }) => {
    const said = given[String(question)];
    const text = Array.isArray(said) ? said.map(String).join(", ") : said;
    return typeof text === "string" && text.trim() !== ""
      ? [[String(question), text.slice(0, MOST_ANSWER).toWellFormed()]]
      : [];
  }));
}
