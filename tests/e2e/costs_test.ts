import assert from "node:assert/strict";
import { appRootPaths } from "../../core/app_root/mod.ts";
import { AgentProject, resultOf } from "../support/agent_project.ts";

/** A model that reads and reads: each answer costs 1000 tokens in and 100 out. */
const READS = {
  turns: [{
    tool_calls: [{ name: "List", input: { path: "." } }],
    usage: { input: 1000, output: 100 },
    repeat: true,
  }],
};

Deno.test("max_budget_usd ends a run before the request that it does not cover, at the prices of the setting prices", async () => {
  await using project = await AgentProject.open(READS);
  // a request: 1000 × $1 + 100 × $10 for a million = $0.002
  const settings = { PRICES: JSON.stringify({ "scripted-*": [1, 10] }) };
  const run = await project.converse(["go", "/cost"], ["--max-budget-usd", "0.005"], { settings });
  const [go, cost] = run.prompts.map((lines) => resultOf(lines));
  assert.deepEqual(
    [go?.["subtype"], go?.["error_code"], go?.["num_turns"]],
    ["error_max_budget_usd", "agent.budget", 3],
  );
  assert.match(go?.["errors"][0], /^The budget of \$0\.005 is used up: \$0\.0060 were spent/);
  assert.ok(Math.abs(go?.["total_cost_usd"] - 0.006) < 1e-9);
  assert.equal(project.provider.requests.length, 3);
  assert.match(
    cost?.["result"],
    /^This session: \$0\.0060\n {2}main +scripted-model: \$0\.0060, 3 requests, input 3000/,
  );
  assert.match(cost?.["result"], /Budget: \$0\.005$/);

  // as a setting, in text: exit 1 and one line; the session that goes on begins at nothing
  const text = await project.run(["-p", "more", "--continue"], {
    settings: { ...settings, MAX_BUDGET_USD: "0.001" },
  });
  assert.deepEqual([text.code, text.stdout], [1, ""]);
  assert.match(text.stderr, /^lumina: The budget of \$0\.001 is used up: \$0\.0020 were spent/m);
  assert.equal(project.provider.requests.length, 4);

  // what nobody knows the price of does not begin
  const unknown = await project.run(["-p", "go", "--max-budget-usd", "5"]);
  assert.equal(unknown.code, 2);
  assert.match(
    unknown.stderr,
    /^lumina: The budget of \$5 cannot be kept: the price of scripted-model is not known/,
  );
  assert.equal(project.provider.requests.length, 4);
});

Deno.test("output_style adds the style of the project, the user or the program to the system prompt; an unknown one is told", async () => {
  await using project = await AgentProject.open({ turns: [{ text: "ok", repeat: true }] });
  const styles = `${appRootPaths(project.app_root).configDir}/output-styles`;
  await Deno.mkdir(styles, { recursive: true });
  await Deno.writeTextFile(
    `${styles}/pirate.md`,
    "---\nname: Pirate\ndescription: Arr\n---\n\nTalk like a pirate.\n",
  );
  const system = () => JSON.stringify(project.provider.requests.at(-1)?.body["system"]);

  const own = await project.stream("hello", [], { settings: { OUTPUT_STYLE: "pirate" } });
  assert.equal(own.lines[0]?.["output_style"], "pirate");
  assert.match(system(), /# Output style: Pirate\\nTalk like a pirate\./);

  const unknown = await project.run(["-p", "hello"], { settings: { OUTPUT_STYLE: "pirat" } });
  assert.equal(unknown.code, 0);
  assert.match(unknown.stderr, /There is no output style "pirat"; did you mean Pirate\?/);
  assert.doesNotMatch(system(), /Output style/);
});
