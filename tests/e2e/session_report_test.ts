import assert from "node:assert/strict";
import { appRootPaths } from "../../core/app_root/mod.ts";
import { AgentProject } from "../support/agent_project.ts";

Deno.test("session report tells versions, settings, the journal's state, warnings and events, but no text unless asked", async (t) => {
  await using project = await AgentProject.open({
    turns: [
      { text: "spoken-answer", tool_calls: [{ name: "Bash", input: { command: "echo spoken-command" } }] },
      { text: "done" },
    ],
  });
  const run = await project.stream("spoken-prompt", ["--allowed-tools", "Bash(echo *)"]);
  assert.equal(run.code, 0, run.stderr);
  const id = run.session_id;
  const report = async (...args: string[]) => {
    const result = await project.run(["session", "report", id, ...args], {
      settings: { API_KEY: "the-key-itself" },
    });
    assert.equal(result.code, 0, result.stderr);
    assert.match(
      result.stderr,
      /^lumina: masked \d+ secrets? and \d+ personal names? or paths?: read it before you send it\n$/,
    );
    assert.ok(!result.stdout.includes("the-key-itself"));
    return result.stdout;
  };

  await t.step("without texts", async () => {
    const text = await report();
    for (
      const part of [
        /^# Lumina bug report\n\n- Lumina \d/,
        /- Deno \d/,
        /## Settings\n\n- api_key = "\*\*\*"/,
        /## Journal\n\n- \d+ events, nothing is wrong/,
        /## Warnings\n\n- none/,
      ]
    ) {
      assert.match(text, part);
    }
    assert.ok(!/spoken/.test(text), text);
    const events = (/```json\n([^]*)\n```/.exec(text)?.[1] ?? "").split("\n").map((line) => JSON.parse(line));
    const stored = await project.journal(id);
    assert.deepEqual(
      events.map(({ seq, type, ts }) => ({ seq, type, ts })),
      stored.map(({ seq, type, ts }) => ({ seq, type, ts })),
    );
    assert.equal(events.find(({ type }) => type === "run.started").payload.prompt, "(13 characters)");
    assert.equal(events.find(({ type }) => type === "tool.finished").payload.name, "Bash");
  });

  await t.step("with texts", async () => {
    const text = await report("--with-text");
    for (const said of ["spoken-prompt", "spoken-answer", "spoken-command"]) {
      assert.ok(text.includes(said), said);
    }
  });

  await t.step("a damaged journal and broken settings are part of the report", async () => {
    const file = `${appRootPaths(project.app_root).sessionDir(id)}/runtime.sqlite`;
    const bytes = await Deno.readFile(file);
    bytes.fill(0x5a, 4096, bytes.length);
    await Deno.writeFile(file, bytes);
    await Deno.writeTextFile(appRootPaths(project.app_root).settingsFile, "{ broken");
    const result = await project.run(["session", "report", id]);
    assert.equal(result.code, 0, result.stderr);
    assert.match(result.stdout, /## Settings\n\n- They cannot be read: /);
    assert.match(result.stdout, /## Journal\n\n(?:- .*\n)*- .*(?:damaged|corrupt|malformed)/);
  });
});
