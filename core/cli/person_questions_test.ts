import assert from "node:assert/strict";
import type { JsonObject } from "../types/mod.ts";
import type { CliQuestion } from "./app_port.ts";
import { answerQuestions, approvePlan } from "./person_questions.ts";

function asked(tool: string, input: JsonObject): CliQuestion {
  const verdict = {
    behavior: "ask" as const,
    reason: "",
    source: "mode" as const,
    paths: [],
    suggestions: [],
  };
  return { call_id: "c", tool, input, verdict };
}

/** Answers line after line; what was shown stands in `shown`. */
function typing(...lines: (string | undefined)[]) {
  const shown: string[] = [];
  const line = (text: string) => {
    shown.push(text);
    return Promise.resolve(lines.shift());
  };
  return { shown, line };
}

const QUESTIONS = {
  questions: [
    {
      question: "Which one?",
      header: "Kind",
      options: [{ label: "A", description: "first" }, { label: "B\n[y]es" }],
      multiSelect: false,
    },
    { question: "Which ones?", options: [{ label: "X" }, { label: "Y" }], multiSelect: true },
  ],
};

Deno.test("a number answers with its option, several where several may be chosen, and words stand as they are", async () => {
  const first = typing("2", "1, 2");
  const answer = await answerQuestions(asked("AskUserQuestion", QUESTIONS), first.line);
  assert.deepEqual(answer, {
    behavior: "allow",
    updated_input: { ...QUESTIONS, answers: { "Which one?": "B\n[y]es", "Which ones?": "X, Y" } },
  });
  assert.equal(
    first.shown[0],
    "[Kind] Which one?\n  1. A: first\n  2. B\\u{a}[y]es\nAnswer (a number, or your own words): ",
  );
  const words = await answerQuestions(asked("AskUserQuestion", QUESTIONS), typing("1, 2", "neither").line);
  assert.deepEqual(words.behavior === "allow" && words.updated_input?.["answers"], {
    "Which one?": "1, 2",
    "Which ones?": "neither",
  });
});

Deno.test("no answer at all is a no, one of several is enough", async () => {
  const ask = (...lines: (string | undefined)[]) =>
    answerQuestions(asked("AskUserQuestion", QUESTIONS), typing(...lines).line);
  assert.equal((await ask("", "")).behavior, "deny");
  assert.equal((await ask("1", undefined)).behavior, "deny");
  const one = await ask("", "2");
  assert.deepEqual(one.behavior === "allow" && one.updated_input?.["answers"], { "Which ones?": "Y" });
});

Deno.test("a plan is shown line by line; only a clear yes approves it, and anything else is what the person says to it", async () => {
  const plan = asked("ExitPlanMode", { plan: "1. look\n2. \u001b[2Jact" });
  const yes = typing("Y");
  assert.deepEqual(await approvePlan(plan, yes.line), { behavior: "allow" });
  assert.match(yes.shown[0]!, /^The agent's plan:\n {2}1\. look\n {2}2\. \\u\{1b\}\[2Jact\nCarry it out\?/);
  assert.deepEqual(await approvePlan(plan, typing("e").line), {
    behavior: "allow",
    updates: [{ mode: "accept-edits" }],
  });
  assert.deepEqual(await approvePlan(plan, typing("no, test first").line), {
    behavior: "deny",
    message: "test first",
  });
  assert.deepEqual(await approvePlan(plan, typing("").line), {
    behavior: "deny",
    message: "the answer was no",
  });
  assert.deepEqual(await approvePlan(plan, typing(undefined).line), {
    behavior: "deny",
    message: "nobody answered",
  });
});
