import assert from "node:assert/strict";
import { parseSkill } from "./parse_skill.ts";

const fieldsOf = async (front: string, body = "Body.") => {
  const { fields, problems } = await parseSkill(`---\n${front}\n---\n${body}`, "demo", "demo/SKILL.md");
  assert.deepEqual(problems, []);
  assert(fields !== undefined);
  return fields;
};

Deno.test("all fields of the public format and its extensions are read", async () => {
  assert.deepEqual(
    await fieldsOf([
      "name: demo",
      "description: Does things",
      "when_to_use: Always",
      "argument-hint: [file] [line]",
      "arguments: file line",
      "allowed-tools: Read, Bash(git log *) Bash(npm run:*)",
      "model: big-one",
      "effort: standard",
      "context: fork",
      "agent: explore",
      "shell: zsh",
      "paths: [src/**, '!src/old/']",
      "user-invocable: false",
      "disable-model-invocation: true",
      "license: MIT",
      "metadata: {a: b}",
    ].join("\n")),
    {
      description: "Does things",
      when_to_use: "Always",
      argument_hint: "[file] [line]",
      arguments: ["file", "line"],
      allowed_tools: ["Read", "Bash(git log *)", "Bash(npm run:*)"],
      model: "big-one",
      effort: "medium",
      fork: true,
      agent: "explore",
      shell: "zsh",
      paths: ["src/**", "!src/old/"],
      user_invocable: false,
      model_invocable: false,
    },
  );
});

Deno.test("what is left out has the published defaults; the description is then the first paragraph", async () => {
  assert.deepEqual(await fieldsOf("model: inherit", "# Title\n\nTidies the\ncode.\n\nMore."), {
    description: "Tidies the code.",
    argument_hint: "",
    arguments: [],
    fork: false,
    shell: "bash",
    user_invocable: true,
    model_invocable: true,
  });
});

Deno.test("a hint of one word in brackets stays the hint, and budgets of older skills are efforts", async () => {
  const fields = await fieldsOf("argument-hint: [file]\neffort: 4096\nallowed-tools: [Read, 'Bash(git:*)']");
  assert.equal(fields.argument_hint, "[file]");
  assert.equal(fields.effort, "medium");
  assert.deepEqual(fields.allowed_tools, ["Read", "Bash(git:*)"]);
});
