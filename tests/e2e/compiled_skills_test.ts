import assert from "node:assert/strict";
import { AgentProject } from "../support/agent_project.ts";
import type { Line } from "../support/agent_project.ts";
import { compiledProgram } from "../support/compiled_program.ts";
import { findDenort } from "../support/denort.ts";
import { testWith } from "../support/skip.ts";
import { tempDir } from "../support/temp_dir.ts";

const denort = await findDenort();

testWith(
  "the compiled program has its skills with it and reads those of a project",
  denort,
  async ({ env }) => {
    await using home = await tempDir();
    await using project = await AgentProject.open({ turns: [{ text: "one" }, { text: "two" }] });
    await project.dir.write(
      "skills/listed/SKILL.md",
      "---\nname: listed\ndescription: >-\n  Over two\n  lines\npaths: ['*.md']\n---\nFrom the project: !`echo $0`\n",
    );
    const run = await project.converse(["/explain a bridge", "/listed word"], ["--yolo"], {
      artifact: await compiledProgram(env),
      env: { HOME: home.path },
    });
    assert.equal(run.code, 0, run.stderr);
    const sent = project.provider.requests.map(({ body }) =>
      JSON.stringify((body as Line)["messages"].at(-1))
    );
    assert.match(sent[0] ?? "", /a good engineer who is new to it: a bridge/);
    assert.match(sent[0] ?? "", /- review: Review a change/);
    assert.match(sent[1] ?? "", /From the project: word/);
  },
);
