import assert from "node:assert/strict";
import type { PermissionAnswer, PermissionQuestion, ToolRun } from "../../../agent/mod.ts";
import type { JsonObject, PermissionMode } from "../../../types/mod.ts";
import type { FeatureScope } from "../session_feature.ts";
import { personFeature } from "./person_feature.ts";

const RUN = { call_id: "c1", signal: new AbortController().signal } as ToolRun;
const QUESTIONS = { questions: [{ question: "Which?", options: [{ label: "A" }, { label: "B" }] }] };

/** A session in which a person answers what `answer` says; undefined: nobody is there. */
function person(
  mode: PermissionMode,
  answer: ((question: PermissionQuestion) => PermissionAnswer) | undefined,
  depth = 0,
) {
  const noted: unknown[] = [];
  const asked: PermissionQuestion[] = [];
  const at = { mode };
  const scope = {
    depth,
    parts: {
      flags: { ask: answer },
      session: { execute: (command: unknown) => Promise.resolve(void noted.push(command)) },
    },
    session: {
      mode: () => Promise.resolve(at.mode),
      setMode: (next: PermissionMode) => Promise.resolve(void (at.mode = next)),
      ground: {
        asker: {
          ask(question: PermissionQuestion) {
            asked.push(question);
            return Promise.resolve(answer?.(question) ?? { behavior: "deny", by: "headless" });
          },
        },
      },
    },
  } as unknown as FeatureScope;
  const tools = personFeature(scope)?.tools ?? [];
  const call = (name: string, input: JsonObject = {}) =>
    tools.find((tool) => tool.name === name)!.call(input, RUN);
  return { asked, at, call, noted, names: tools.map(({ name }) => name) };
}

Deno.test("answers come from the person alone, by the text of each question", async () => {
  const here = person("ask", () => ({
    behavior: "allow",
    by: "user",
    updated_input: { answers: { "Which?": ["A", "B"], "Never asked": "x" } },
  }));
  const faked = { ...QUESTIONS, answers: { "Which?": "whatever I like" } };
  const { content, data } = await here.call("AskUserQuestion", faked);
  assert.equal(content, "Which?: A, B");
  assert.deepEqual(data, { questions: QUESTIONS.questions, answers: { "Which?": "A, B" } });
  assert.deepEqual(here.asked[0]!.input, QUESTIONS);
  const silent = person("ask", () => ({ behavior: "allow", by: "user" }));
  assert.equal((await silent.call("AskUserQuestion", faked)).content, "Which?: (no answer)");
});

Deno.test("where nobody can be asked the agent decides by itself, and has no plan to hand in", async () => {
  const alone = person("plan", undefined);
  assert.deepEqual(alone.names, ["AskUserQuestion"]);
  const { content, is_error } = await alone.call("AskUserQuestion", QUESTIONS);
  assert.equal(is_error, true);
  assert.match(content, /^Nobody can be asked in this run: decide by yourself/);
  assert.deepEqual(person("ask", () => ({ behavior: "allow", by: "user" }), 1).names, []);
});

Deno.test("an approved plan leads back to the mode before, a refused one stays in mode plan with the person's words", async () => {
  let said: PermissionAnswer = { behavior: "allow", by: "user" };
  const here = person("auto", () => said);
  assert.match((await here.call("EnterPlanMode")).content, /^Mode plan from here on/);
  assert.equal(here.at.mode, "plan");
  said = { behavior: "deny", by: "user", message: "test first" };
  const refused = await here.call("ExitPlanMode", { plan: "1. act" });
  assert.match(refused.content, /did not approve the plan: test first\nThe mode is still plan/);
  assert.equal(here.at.mode, "plan");
  said = { behavior: "allow", by: "user", updated_input: { plan: "1. test" } };
  const approved = await here.call("ExitPlanMode", { plan: "1. act" });
  assert.match(
    approved.content,
    /The mode is auto from here on: carry it out\. They changed it to:\n1\. test$/,
  );
  assert.equal(here.at.mode, "auto");
  assert.deepEqual(here.noted, [
    { type: "note_mode", from: "auto", to: "plan", by: "EnterPlanMode" },
    { type: "note_mode", from: "plan", to: "auto", by: "ExitPlanMode" },
  ]);
  assert.match((await here.call("ExitPlanMode", { plan: "x" })).content, /nothing to approve/);
});

Deno.test("who says no to mode plan keeps the mode, and an answer may name another mode to go on in", async () => {
  const no = person("ask", () => ({ behavior: "deny", by: "user", message: "just do it" }));
  assert.match((await no.call("EnterPlanMode")).content, /does not want a plan: just do it/);
  assert.equal(no.at.mode, "ask");
  const begun = person("plan", () => {
    begun.at.mode = "accept-edits"; // the update that came with the answer
    return { behavior: "allow", by: "user" };
  });
  assert.match(
    (await begun.call("ExitPlanMode", { plan: "p" })).content,
    /The mode is accept-edits from here on/,
  );
  assert.deepEqual(begun.noted, [{
    type: "note_mode",
    from: "plan",
    to: "accept-edits",
    by: "ExitPlanMode",
  }]);
});
