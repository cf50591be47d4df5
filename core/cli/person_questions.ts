import { isJsonObject } from "../types/mod.ts";
import type { JsonObject } from "../types/mod.ts";
import type { CliAnswer, CliQuestion } from "./app_port.ts";
import { oneLine as visible } from "./one_line.ts";

/** Writes to the terminal and reads one line; undefined when nobody answers. */
export type AskLine = (shown: string) => Promise<string | undefined>;

/**
 * The questions of `AskUserQuestion`, one after the other: a number stands for an option, several with commas where several may
 * be chosen, anything else is an answer in words. An empty line leaves a question unanswered; with none answered it is a no.
 */
export async function answerQuestions({ input }: CliQuestion, line: AskLine): Promise<CliAnswer> {
  const questions = Array.isArray(input["questions"]) ? input["questions"].filter(isJsonObject) : [];
  const answers: JsonObject = {};
  for (const question of questions) {
    const options = optionsOf(question);
    const several = question["multiSelect"] === true;
    const header = typeof question["header"] === "string" ? `[${visible(question["header"])}] ` : "";
    const shown = options.map(({ label, description }, index) =>
      `  ${index + 1}. ${visible(label)}${description === "" ? "" : `: ${visible(description)}`}\n`
    ).join("");
    const how = several ? "numbers with commas, or your own words" : "a number, or your own words";
    const said = await line(`${header}${visible(String(question["question"]))}\n${shown}Answer (${how}): `);
    if (said === undefined) return { behavior: "deny", message: "nobody answered" };
    if (said === "") continue;
    answers[String(question["question"])] = chosen(said, options, several);
  }
  if (Object.keys(answers).length === 0) return { behavior: "deny", message: "nobody answered" };
  return { behavior: "allow", updated_input: { ...input, answers } };
}

/** Shows a plan and asks whether it may be carried out; anything but a yes is what the person says to it. */
export async function approvePlan({ input }: CliQuestion, line: AskLine): Promise<CliAnswer> {
  const plan = String(input["plan"] ?? "").split("\n").map((text) => `  ${visible(text)}\n`).join("");
  const said = await line(
    `The agent's plan:\n${plan}Carry it out? [y]es, yes and accept [e]dits, [n]o and what to change: `,
  );
  if (said === undefined) return { behavior: "deny", message: "nobody answered" };
  if (/^(y|yes)$/i.test(said)) return { behavior: "allow" };
  if (/^(e|edits)$/i.test(said)) return { behavior: "allow", updates: [{ mode: "accept-edits" }] };
  const words = said.replace(/^(?:n|no)\b[\s,:]*/i, "");
  return { behavior: "deny", message: words === "" ? "the answer was no" : words };
}

interface Option {
  label: string;
  description: string;
}

function optionsOf({ options }: JsonObject): Option[] {
  if (!Array.isArray(options)) return [];
  return options.filter(isJsonObject).map(({ label, description }) => ({
    label: String(label),
    description: typeof description === "string" ? description : "",
  }));
}

function chosen(said: string, options: readonly Option[], several: boolean): string {
  const numbers = said.split(/[\s,]+/).filter((part) => part !== "");
  const labels = numbers.map((part) => /^\d{1,2}$/.test(part) ? options[Number(part) - 1]?.label : undefined);
  if (labels.includes(undefined) || (!several && labels.length > 1)) return said;
  return labels.join(", ");
}
