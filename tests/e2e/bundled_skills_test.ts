import assert from "node:assert/strict";
import { AgentProject, payload, resultOf, toolResults } from "../support/agent_project.ts";
import type { Line } from "../support/agent_project.ts";
import { tempDir } from "../support/temp_dir.ts";

const bash = (command: string) => ({ tool_calls: [{ name: "Bash", input: { command } }] });

async function git(cwd: string, ...args: string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command("git", { args, cwd }).output();
  assert(success, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

Deno.test("the seven skills of the program: each is loaded by its name, and what it is for is done", async () => {
  await using home = await tempDir();
  await using project = await AgentProject.open({
    turns: [
      // /review
      bash("git diff HEAD"),
      { text: "`sum.sh:1` **blocker**: it subtracts. Do not merge." },
      // /test
      bash("sh ./test.sh"),
      { text: "sh ./test.sh: 1 failed, sum.sh is wrong" },
      // /debug
      { tool_calls: [{ name: "Read", input: { file_path: "sum.sh" } }] },
      {
        tool_calls: [{
          name: "Edit",
          input: { file_path: "sum.sh", old_string: "- $2", new_string: "+ $2" },
        }],
      },
      bash("sh ./test.sh"),
      { text: "sum.sh subtracted; repaired, test.sh passes" },
      // /commit
      bash("git diff"),
      bash("git add sum.sh && git commit -q -m 'Add instead of subtracting'"),
      { text: "committed" },
      // what /commit allowed ended with its run
      bash("git commit -q --allow-empty -m again"),
      { text: "not allowed" },
      // /init
      {
        tool_calls: [{
          name: "Write",
          input: { file_path: "AGENTS.md", content: "# Sum\n\nTests: sh ./test.sh\n" },
        }],
      },
      { text: "AGENTS.md is written" },
      // /explain
      { tool_calls: [{ name: "Read", input: { file_path: "sum.sh" } }] },
      { text: "sum.sh:1 adds its two arguments" },
      // /plan
      { tool_calls: [{ name: "List", input: { path: "." } }] },
      { text: "**Goal** multiply" },
    ],
  });
  const { dir } = project;
  await dir.write("sum.sh", "expr $1 + $2\n");
  await dir.write(
    "test.sh",
    '[ "$(sh ./sum.sh 2 3)" = 5 ] && echo "1 passed" || { echo "1 failed"; exit 1; }\n',
  );
  await git(dir.path, "init", "-q", "-b", "main");
  await git(dir.path, "config", "user.email", "a@example.org");
  await git(dir.path, "config", "user.name", "A");
  await git(dir.path, "add", ".");
  await git(dir.path, "commit", "-q", "-m", "Start");
  await dir.write("sum.sh", "echo $(($1 - $2))\n");

  const prompts = [
    "/review",
    "/test sum",
    "/debug 2 and 3 make -1",
    "/commit the repair",
    "commit again",
    "/init commands",
    "/explain sum.sh",
    "/plan multiplication",
  ];
  const run = await project.converse(prompts, [
    "--permission-mode",
    "accept-edits",
    "--allowed-tools",
    "Bash(sh ./test.sh)",
  ], { env: { HOME: home.path } });
  assert.equal(run.code, 0, run.stderr);
  assert.equal(run.prompts.length, prompts.length);
  const [review, test, debug, commit, again, init, explain, plan] = run.prompts as [
    Line[],
    Line[],
    Line[],
    Line[],
    Line[],
    Line[],
    Line[],
    Line[],
  ];
  for (const lines of run.prompts) assert.equal(resultOf(lines)["subtype"], "success");

  assert.match(toolResults(review)[0]?.content ?? "", /^-expr \$1 \+ \$2$/m);
  assert.match(resultOf(review)["result"], /Do not merge/);
  assert.match(toolResults(test)[0]?.content ?? "", /Exit code 1[^]*1 failed/);
  assert.match(toolResults(debug)[2]?.content ?? "", /^1 passed/);
  assert.equal(await dir.read("sum.sh"), "echo $(($1 + $2))\n");
  assert.deepEqual(toolResults(commit).map(({ is_error }) => is_error), [false, false]);
  assert.match(toolResults(again)[0]?.content ?? "", /nobody can be asked/);
  assert.equal(await git(dir.path, "log", "--format=%s"), "Add instead of subtracting\nStart\n");
  assert.equal(await dir.read("AGENTS.md"), "# Sum\n\nTests: sh ./test.sh\n");
  assert.deepEqual(toolResults(init).map(({ is_error }) => is_error), [false]);
  assert.match(resultOf(explain)["result"], /adds/);
  assert.match(resultOf(plan)["result"], /Goal/);
  assert.equal(await git(dir.path, "status", "--short"), "?? AGENTS.md\n");

  const bodies = project.provider.requests.map(({ body }) =>
    JSON.stringify((body as Line)["messages"].at(-1))
  );
  const texts = [
    /Review a change as the engineer who will be woken when it breaks/,
    /What to test or run: sum/,
    /why this happens and repair the cause: 2 and 3 make -1/,
    /person says about it: the repair[^]*## main[^]* M sum\.sh[^]*1 file changed/,
    /in the root of this project[^]*The person adds: commands/,
    /a good engineer who is new to it: sum\.sh/,
    /carry it out without asking: multiplication/,
  ];
  for (const text of texts) assert.equal(bodies.filter((body) => text.test(body)).length, 1, `${text}`);
  assert.equal(bodies.filter((body) => body.includes("<skills>")).length, 1, "the skills are listed once");

  const events = await project.journal(run.session_id);
  const used = events.filter(({ type }) => type === "run.skill_used").map((event) => payload(event));
  assert.deepEqual(
    used.map(({ name, source, by }) => [name, source, by]),
    ["review", "test", "debug", "commit", "init", "explain", "plan"].map((
      name,
    ) => [name, "bundled", "person"]),
  );
  assert.deepEqual(
    events.filter(({ type }) => type.startsWith("session.skill_commands")).map((event) =>
      payload(event)["ok"]
    ),
    [undefined, true],
  );
});
