// deno-lint-ignore-file no-console -- the share of false asks is a figure to be read
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { onlyWhere } from "../../tests/support/skip.ts";
import { createJudge } from "./judge.ts";
import { buildPolicy } from "./policy.ts";

const BASH = {
  name: "Bash",
  aliases: ["bash", "run_shell"],
  effect: "run" as const,
  subject: { kind: "command" as const, param: "command" },
};

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const fixture = join(
  Deno.env.get("LUMINA_SHARED") ?? join(root, "../shared"),
  "fixtures/permission/everyday.jsonl",
);

function fixtureText(): string | undefined {
  try {
    return Deno.readTextFileSync(fixture);
  } catch {
    return undefined; // the fixture is no part of the repository
  }
}

const text = fixtureText();

Deno.test({
  ...onlyWhere(
    "in plan no everyday line is falsely allowed and at most 5 % of reads ask",
    text !== undefined,
    `${fixture} is not there`,
  ),
  async fn() {
    const workspace = await Deno.realPath(await Deno.makeTempDir());
    try {
      for (const dir of ["src", "docs", "tests", "logs", "data", "packages/web", "dist"]) {
        await Deno.mkdir(join(workspace, dir), { recursive: true });
      }
      const { policy } = buildPolicy({
        mode: "plan",
        layers: [],
        workspace,
        home: join(workspace, "home"),
      });
      const { judge } = createJudge();
      const lines = (text ?? "").trim().split("\n").map((line) => JSON.parse(line) as Record<string, string>);
      const false_allows: string[] = [];
      const false_asks: string[] = [];
      for (const { line = "", class: kind } of lines) {
        const verdict = await judge({ tool: BASH, input: { command: line } }, policy);
        if (kind !== "read" && verdict.behavior === "allow") false_allows.push(line);
        if (kind === "read" && verdict.behavior !== "allow") false_asks.push(`${line}  <- ${verdict.reason}`);
      }
      const reads = lines.filter((line) => line["class"] === "read").length;
      console.log(`false asks ${false_asks.length} of ${reads}, false allows ${false_allows.length}`);
      for (const line of false_asks) console.log(`  asks: ${line}`);
      assert.deepEqual(false_allows, []);
      assert.ok(false_asks.length <= reads * 0.05, false_asks.join("\n"));
    } finally {
      await Deno.remove(workspace, { recursive: true });
    }
  },
});
