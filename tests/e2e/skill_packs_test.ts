import assert from "node:assert/strict";
import { AgentProject } from "../support/agent_project.ts";
import type { Line } from "../support/agent_project.ts";
import { tempDir } from "../support/temp_dir.ts";

Deno.test("a pack of skills is installed, listed with its id and runs without widening anything", async () => {
  await using home = await tempDir();
  await using project = await AgentProject.open({
    turns: [{ tool_calls: [{ name: "Bash", input: { command: "touch made.txt" } }] }, { text: "tidied" }],
  });
  const { dir } = project;
  await home.write(
    "pack/manifest.json",
    JSON.stringify({
      id: "tidy-pack",
      version: "1.0.0",
      api: 1,
      title: "Tidying",
      kinds: ["skills"],
      capabilities: [],
      contributes: { tools: [], skills: ["skills/tidy"] },
    }),
  );
  await home.write(
    "pack/skills/tidy/SKILL.md",
    "---\nname: tidy\ndescription: Tidies up\nallowed-tools: Bash(touch *)\n---\nTidy $ARGUMENTS as words.md says.\n",
  );
  await home.write("pack/skills/tidy/words.md", "gently\n");
  const env = { HOME: home.path };
  const installed = await project.run(["plugin", "install", home.join("pack"), "--yes"], { env });
  assert.equal(installed.code, 0, installed.stderr);

  const listed = await project.run(["skills", "list"], { env });
  assert.match(listed.stdout, /^\/tidy: Tidies up\n {2}plugin tidy-pack, .*\/tidy-pack\/.*SKILL\.md$/m);

  const run = await project.stream("/tidy the desk", [], { env });
  assert.equal(run.code, 0, run.stderr);
  const sent = project.provider.requests.map(({ body }) => JSON.stringify((body as Line)["messages"].at(-1)));
  assert.match(sent[0] ?? "", /Tidy the desk as words\.md says/);
  assert.match(sent[0] ?? "", /- tidy: Tidies up/);
  assert.match(sent[1] ?? "", /Permission needed for Bash and nobody can be asked/);
  await assert.rejects(Deno.stat(dir.join("made.txt")), Deno.errors.NotFound);
});
