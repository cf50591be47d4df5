import assert from "node:assert/strict";
import { secretsText } from "./confinement.ts";
import { createJudge } from "./judge.ts";
import { buildPolicy } from "./policy.ts";

Deno.test("in the root folder as workspace or home, rules and places keep their slash", async () => {
  const { policy } = buildPolicy({ workspace: "/", home: "/", layers: [] });
  const tool = {
    name: "Edit",
    aliases: [],
    effect: "write" as const,
    subject: { kind: "path" as const, param: "path" },
  };
  const path = "/srv/lumina-suggestion/x.txt";
  const { suggestions } = await createJudge().judge({ tool, input: { path } }, policy);
  assert.deepEqual(suggestions, [`Edit(/${path})`]);
  assert.equal(secretsText(["/.ssh"], "/"), "reads /.ssh");
  assert.equal(secretsText(["/h/u/.ssh"], "/h/u"), "reads ~/.ssh");
});

Deno.test("a call that asks to leave its sandbox offers no rule: none would spare the next question", async () => {
  const workspace = await Deno.realPath(await Deno.makeTempDir());
  try {
    const { policy } = buildPolicy({ workspace, home: "/h", layers: [], sandbox: { available: true } });
    const tool = {
      name: "Bash",
      aliases: [],
      effect: "run" as const,
      subject: { kind: "command" as const, param: "command" },
    };
    const judged = (input: { command: string; escalate?: string }) =>
      createJudge().judge({ tool, input }, policy);
    const command = "touch ../beside";
    assert.notDeepEqual((await judged({ command })).suggestions, []);
    for (const escalate of ["network", "outside"]) {
      const { behavior, suggestions, folder_suggestions } = await judged({ command, escalate });
      assert.deepEqual([behavior, suggestions, folder_suggestions], ["ask", [], undefined]);
    }
  } finally {
    await Deno.remove(workspace, { recursive: true });
  }
});
