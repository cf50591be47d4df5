import assert from "node:assert/strict";
import { AgentProject, payload, readRun, resultOf } from "../support/agent_project.ts";

Deno.test("a conversation over the local window is named before anything is sent, and the session goes on with a wider one", async () => {
  await using project = await AgentProject.open({ turns: [{ text: "fits" }] });
  const args = ["-p", "好的，请总结".repeat(2000), "--output-format", "stream-json"];
  const small = readRun(await project.run([...args, "--max-tokens", "4000"]));
  assert.equal(small.code, 1, small.stderr);
  const result = resultOf(small.lines);
  assert.equal(result["error_code"], "model.window_overflow");
  assert.match(result["errors"][0], /about \d+ tokens.*4000.*--max-tokens/);
  assert.equal(project.provider.requests.length, 0);
  const wide = await project.run(["-p", "again", "--continue"]);
  assert.deepEqual([wide.code, wide.stdout], [0, "fits\n"], wide.stderr);
});

Deno.test("what was told before a run is in its journal", async () => {
  await using project = await AgentProject.open({ turns: [{ text: "a" }] });
  await project.dir.write(".Lumina/CONFIG/defaults.json", '{ "api_base_url": "http://127.0.0.1:1" }');
  const run = readRun(await project.run(["-p", "go", "--output-format", "stream-json"]));
  assert.equal(run.code, 0, run.stderr);
  const warnings = (await project.journal(run.session_id)).filter((event) => event.type === "warning.raised");
  assert.equal(warnings.length, 1);
  assert.match(payload(warnings[0])["text"], /defaults\.json.*api_base_url/);
});
