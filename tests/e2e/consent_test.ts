import assert from "node:assert/strict";
import { startScriptedProvider } from "../../core/model/scripted/mod.ts";
import { runLumina, startLumina } from "../support/run_lumina.ts";
import { tempDir } from "../support/temp_dir.ts";
import type { TempDir } from "../support/temp_dir.ts";

interface Line {
  type: string;
  request_id?: string;
  request?: { subtype: string; permission_suggestions: unknown[] };
  message?: { content: { type: string; content?: string; is_error?: boolean }[] };
}
type Answer = (request: NonNullable<Line["request"]>) => Record<string, unknown>;

const FLAGS = ["--model", "m", "--api-key", "k"];

/** Makes the calls one a turn, answers each question by the next answer, and gives the tool results. */
async function converse(
  place: { ws: TempDir; app: TempDir },
  commands: readonly string[],
  answers: readonly Answer[],
): Promise<{ results: { content: string; is_error: boolean }[]; asked: number; code: number }> {
  await using provider = await startScriptedProvider({
    turns: [
      ...commands.map((command) => ({ tool_calls: [{ name: "Bash", input: { command } }] })),
      { text: "done" },
    ],
  });
  const args = ["-p", "--input-format", "stream-json", "--output-format", "stream-json"];
  args.push("--permission-prompt", "stdio", ...FLAGS, "--base-url", provider.url);
  await using run = await startLumina(args, { cwd: place.ws.path, app_root: place.app.path });
  await run.write(`${JSON.stringify({ type: "user", message: { role: "user", content: "go" } })}\n`);
  const results: { content: string; is_error: boolean }[] = [];
  let asked = 0;
  for await (const text of run.lines()) {
    const line: Line = JSON.parse(text);
    if (line.type === "control_request" && line.request !== undefined) {
      const response = answers[asked++]?.(line.request);
      assert.ok(response !== undefined, `an unexpected question: ${text}`);
      const envelope = { subtype: "success", request_id: line.request_id, response };
      await run.write(`${JSON.stringify({ type: "control_response", response: envelope })}\n`);
    }
    const block = line.type === "user" ? line.message?.content[0] : undefined;
    if (block?.type === "tool_result") {
      results.push({ content: block.content ?? "", is_error: block.is_error ?? false });
    }
    if (line.type === "result") await run.closeInput();
  }
  return { results, asked, code: (await run.finished).code };
}

const once: Answer = () => ({ behavior: "allow" });
const always: Answer = (request) => ({
  behavior: "allow",
  updatedPermissions: request.permission_suggestions,
});
const forSession: Answer = () => ({
  behavior: "allow",
  updatedPermissions: [{
    type: "addRules",
    behavior: "allow",
    destination: "session",
    rules: [{ toolName: "Bash", ruleContent: "touch *" }, { toolName: "Edit" }],
  }],
});
const no: Answer = () => ({ behavior: "deny" });
const noBecause: Answer = () => ({ behavior: "deny", message: "use make instead" });

Deno.test("allow once asks again, always does not and holds in the next session, deny and its reason reach the model", async () => {
  await using ws = await tempDir();
  await using app = await tempDir();
  const first = await converse(
    { ws, app },
    ["make a", "make a", "npm run x", "npm run x -- --all", "make b", "npm run x; make c"],
    [once, no, always, noBecause, noBecause],
  );
  assert.equal(first.code, 0);
  assert.equal(first.asked, 5);
  const [made, refused, , kept, because, both] = first.results;
  assert.doesNotMatch(made?.content ?? "", /did not allow/);
  assert.match(refused?.content ?? "", /did not allow.*the client refused/);
  assert.doesNotMatch(kept?.content ?? "", /did not allow/, "npm run was allowed for good");
  assert.match(because?.content ?? "", /did not allow.*use make instead/);
  assert.match(both?.content ?? "", /use make instead/, "every part must be allowed");
  const projects = await Array.fromAsync(Deno.readDir(app.join("data/projects")), (entry) => entry.name);
  const file = JSON.parse(await app.read(`data/projects/${projects[0]}/permissions.json`));
  assert.deepEqual(file, { allow: ["Bash(npm run x *)"] });

  const second = await converse({ ws, app }, ["npm run x again"], []);
  assert.deepEqual([second.code, second.asked], [0, 0]);

  const third = await converse({ ws, app }, ["touch made", "touch made", "touch other"], [always, no]);
  assert.equal(third.asked, 2, "what was kept covers that file, not every other one");
});

Deno.test("a rule for the session holds while it runs and is not written anywhere", async () => {
  await using ws = await tempDir();
  await using app = await tempDir();
  const run = await converse({ ws, app }, ["touch a", "touch b"], [forSession]);
  assert.deepEqual([run.code, run.asked], [0, 1]);
  assert.ok((await Deno.stat(ws.join("b"))).isFile);
  const again = await converse({ ws, app }, ["touch c"], [no]);
  assert.equal(again.asked, 1);
});

Deno.test("on the terminal, a keeps the rule that was shown, and what follows n is the reason", async () => {
  await using ws = await tempDir();
  await using app = await tempDir();
  const call = (command: string) => ({ tool_calls: [{ name: "Bash", input: { command } }] });
  await using provider = await startScriptedProvider({
    turns: [call("npm run x"), call("npm run x y"), call("make z"), { text: "done" }],
  });
  const run = await runLumina(
    ["-p", "go", "--permission-prompt", "stdio", ...FLAGS, "--base-url", provider.url],
    { cwd: ws.path, app_root: app.path, stdin: "a\nno, not today\n" },
  );
  assert.equal(run.code, 0, run.stderr);
  assert.equal(run.stdout, "done\n");
  assert.match(run.stderr, /session and always would keep: Bash\(npm run x \*\)/);
  assert.equal(run.stderr.match(/Permission needed/g)?.length, 2);
  assert.match(provider.requests.at(-1)?.raw ?? "", /not today/);
});
