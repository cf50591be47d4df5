import assert from "node:assert/strict";
import { AgentProject, payload, resultOf, toolResults } from "../support/agent_project.ts";
import type { Line } from "../support/agent_project.ts";
import { converse } from "../support/converse.ts";
import { tempDir } from "../support/temp_dir.ts";

const skill = (name: string, fields: string[], body: string) =>
  ["---", `name: ${name}`, "description: For a test", ...fields, "---", body, ""].join("\n");

Deno.test("commands of a repository's skill are all asked about before any runs, and one no stops them all", async () => {
  await using work = await tempDir();
  await using root = await tempDir();
  await work.write(
    "skills/twice/SKILL.md",
    skill("twice", [], "!`echo a >> ran.txt` then !`echo b >> ran.txt && cat ran.txt`"),
  );
  await work.write("skills/fails/SKILL.md", skill("fails", ["shell: sh"], "!`echo why >&2; false`"));
  const call = (name: string) => ({ name: "Skill", input: { skill: name } });
  const asked: string[] = [];
  const allow = (question: { input: Line; decision_reason: string }) => {
    asked.push(`${question.input["command"]}: ${question.decision_reason}`);
    return { behavior: "allow", updatedInput: question.input };
  };
  const { results, code, stderr } = await converse(
    { cwd: work.path, app_root: root.path, env: { HOME: root.path } },
    [call("twice"), call("twice"), call("fails")],
    [allow, allow, allow, () => ({ behavior: "deny", message: "not that" }), allow],
  );
  assert.equal(code, 0, stderr);
  assert.equal(asked.length, 4, asked.join("\n"));
  assert.match(results[0]?.content ?? "", /\n\nthen a\nb$/);
  assert.deepEqual(results.map(({ is_error }) => is_error), [false, true, true]);
  assert.match(results[1]?.content ?? "", /`echo b >> ran\.txt && cat ran\.txt` may not run: not that/);
  assert.match(results[2]?.content ?? "", /`echo why >&2; false` failed: Exit code 1; why/);
  assert.equal(await work.read("ran.txt"), "a\nb\n");
});

Deno.test("a skill with context fork is done by a sub-agent that sees its text alone; only a person's call opens one that is for people", async () => {
  await using home = await tempDir();
  await using project = await AgentProject.open({
    turns: [
      { text: "first" },
      { tool_calls: [{ name: "Skill", input: { skill: "deep", args: "the sea" } }] },
      { text: "forty fathoms" },
      { text: "It is forty fathoms." },
      { tool_calls: [{ name: "Skill", input: { skill: "deep" } }] },
      { text: "refused" },
    ],
  });
  await project.dir.write(
    "skills/deep/SKILL.md",
    skill(
      "deep",
      ["context: fork", "allowed-tools: Read", "disable-model-invocation: true"],
      "Sound $ARGUMENTS.",
    ),
  );
  const run = await project.converse(["hello there", "/deep the sea", "again"], [], {
    env: { HOME: home.path },
  });
  assert.equal(run.code, 0, run.stderr);
  const [, forked = [], again = []] = run.prompts;
  assert.equal(resultOf(forked)["result"], "It is forty fathoms.");
  assert.match(toolResults(forked).at(-1)?.content ?? "", /forty fathoms/);
  assert.match(toolResults(again)[0]?.content ?? "", /is for people alone/);
  const child = project.provider.requests[2]?.body as Line;
  const text = JSON.stringify(child["messages"]);
  assert.match(text, /Sound the sea\./);
  assert.doesNotMatch(text, /hello there/);
  const names: string[] = child["tools"].map(({ name }: Line) => name);
  assert(names.includes("Read") && !names.includes("Write"), names.join());
  const events = await project.journal(run.session_id);
  assert.equal(
    events.filter(({ type }) => type === "run.skill_used").length,
    0,
    "its text is not the session's",
  );
  assert.equal(payload(events.find(({ type }) => type === "subagent.finished"))["status"], "success");
});
