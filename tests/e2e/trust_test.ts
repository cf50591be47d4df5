import assert from "node:assert/strict";
import { appRootPaths, projectIdentity } from "../../core/app_root/mod.ts";
import { AgentProject, resultOf } from "../support/agent_project.ts";

const SETTINGS = ".Lumina/CONFIG/defaults.json";

/** A pack in a project as a repository would bring it. */
async function bringPack(project: AgentProject, id = "weather", code = "export default { tools: {} };") {
  const manifest = {
    id,
    version: "1.0.0",
    api: 1,
    title: "The weather",
    kinds: ["tools"],
    entry: "mod.js",
    capabilities: [{ kind: "net", hosts: ["api.example.com"] }, "run"],
    contributes: {
      tools: [{ name: "Weather", description: "Looks", input_schema: { type: "object" }, effect: "net" }],
    },
  };
  await project.dir.write(`.Lumina/plugins/${id}/manifest.json`, JSON.stringify(manifest));
  await project.dir.write(`.Lumina/plugins/${id}/mod.js`, code);
}

/** A model that reads on and on, so that a limit of turns shows. */
const READING = {
  turns: Array.from({ length: 4 }, () => ({ tool_calls: [{ name: "List", input: { path: "." } }] })),
};

Deno.test("headless, what a project brings is refused with the list and exit 3 before anything is asked or kept", async () => {
  await using project = await AgentProject.open({ turns: [{ text: "done" }] });
  await bringPack(project);
  await project.dir.write(SETTINGS, '{ "project_doc_filenames": [".env"], "effort": "low" }');
  await project.dir.write(".Lumina/trust.json", '{ "version": 1, "decision": "trusted" }');
  const run = await project.run(["-p", "x"]);
  assert.equal(run.code, 3);
  assert.equal(run.stdout, "");
  assert.match(
    run.stderr,
    /^lumina: This project brings what nobody has trusted yet: plugin weather \(version 1\.0\.0: The weather; may reach api\.example\.com; may start programs: [^\n]*\), setting project_doc_filenames \(\["\.env"\]\); [^\n]*--trust-project[^\n]*--bare\n$/,
  );
  assert.equal(project.provider.requests.length, 0);
  assert.deepEqual((await project.run(["--list", "--json"])).stdout.trim(), "[]");

  const bare = await project.run(["-p", "x", "--bare"]);
  assert.equal(bare.code, 0, bare.stderr);
});

Deno.test("--trust-project trusts what is there, and the answer holds until a value changes", async () => {
  await using project = await AgentProject.open({ turns: [...READING.turns, ...READING.turns] });
  await project.dir.write(SETTINGS, '{ "max_parent_turns": 1 }');
  for (const args of [["--trust-project"], []]) {
    const run = await project.stream("x", args);
    assert.equal(resultOf(run.lines)["terminal_reason"], "max_turns", run.stderr);
  }
  await project.dir.write(SETTINGS, '{ "max_parent_turns": 100000 }');
  const changed = await project.run(["-p", "x"]);
  assert.equal(changed.code, 3);
  assert.match(changed.stderr, /setting max_parent_turns, changed \(100000\)/);
});

Deno.test("asked on the terminal, a no goes on without what the project brings, a yes with it", async () => {
  await using project = await AgentProject.open({
    turns: [...READING.turns.slice(0, 1), { text: "done" }, ...READING.turns],
  });
  await bringPack(project);
  await project.dir.write(SETTINGS, '{ "max_parent_turns": 1 }');
  const asking = ["-p", "x", "--permission-prompt", "stdio"];
  const no = await project.run(asking, { stdin: "n\n" });
  assert.equal(no.code, 0, no.stderr);
  assert.match(
    no.stderr,
    /plugin weather\n {4}version 1\.0\.0: The weather\n {4}may reach api\.example\.com\n/,
  );
  assert.match(no.stderr, /setting max_parent_turns\n {4}1\n/);
  assert.match(no.stderr, /Trust it as it is now\? \[y\]es, \[N\]o: lumina: The session goes on without/);
  assert.match(no.stderr, /"max_parent_turns" is ignored: nobody has trusted this value yet/);

  const yes = await project.run(asking, { stdin: "y\n" });
  assert.equal(yes.code, 1, "one turn is all that the project allows");
  const again = await project.run(["-p", "x"]);
  assert.equal(again.code, 1, again.stderr);
  assert.doesNotMatch(again.stderr, /trust/i);
});

Deno.test("lumina trust shows, trusts and takes back; each answer is bound to what was shown", async () => {
  await using project = await AgentProject.open({ turns: [{ text: "one" }] });
  const nothing = await project.run(["trust"]);
  assert.equal(nothing.code, 0);
  assert.match(nothing.stdout, /^Nothing has to be asked/);

  await bringPack(project);
  const shown = await project.run(["trust", "--json"]);
  assert.equal(shown.code, 3);
  const report = JSON.parse(shown.stdout);
  assert.deepEqual(report.items.map(({ name, state }: Record<string, string>) => [name, state]), [[
    "weather",
    "new",
  ]]);
  assert.equal(report.project, project.dir.path);
  const unasked = await project.run(["trust"]);
  assert.equal(unasked.code, 3);
  assert.match(unasked.stderr, /plugin weather[^]*nobody can be asked here \(--yes trusts it as shown\)\n$/);

  const trusted = await project.run(["trust", "--yes", "--cwd", project.dir.path], { cwd: "/" });
  assert.deepEqual([trusted.code, trusted.stdout], [0, "Trusted\n"]);
  const file = `${
    appRootPaths(project.app_root).projectDir(projectIdentity(project.dir.path).id)
  }/trust.json`;
  const kept = JSON.parse(await Deno.readTextFile(file));
  assert.deepEqual([kept.decision, kept.items.length, kept.hash], ["trusted", 1, report.hash]);
  assert.equal((await project.run(["-p", "x"])).code, 0);

  assert.equal((await project.run(["trust", "--revoke"])).stdout, "The trust is taken back\n");
  assert.equal((await project.run(["-p", "x"])).code, 3);
  assert.equal((await project.run(["trust", "--revoke", "--yes"])).code, 2);
  assert.equal((await project.run(["trust", "--show", "--yes"])).code, 2);
});
