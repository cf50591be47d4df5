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
