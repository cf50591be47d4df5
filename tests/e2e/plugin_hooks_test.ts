import assert from "node:assert/strict";
import { AgentProject, payload, resultOf, sentResults } from "../support/agent_project.ts";
import { compiledProgram } from "../support/compiled_program.ts";
import { findDenort } from "../support/denort.ts";
import { startLumina } from "../support/run_lumina.ts";
import { tempDir } from "../support/temp_dir.ts";

const SOURCE = `import type { HookHandler, PluginModule } from "../lumina.d.ts";

const say = (event: "PreToolUse", more: object) => ({ hookSpecificOutput: { hookEventName: event, ...more } });

export const guard: HookHandler = async ({ tool_name, tool_input }, { services, config }) => {
  const { command, content, file_path } = tool_input as Record<string, string>;
  if (tool_name === "Bash" && command?.includes("push")) {
    await services.journal.emit("refused", { command });
    await Deno.writeTextFile(config.data_dir + "/last.txt", command);
    return say("PreToolUse", { permissionDecision: "deny", permissionDecisionReason: "no pushes today" });
  }
  if (tool_name !== "Write") return undefined;
  return say("PreToolUse", {
    permissionDecision: "allow",
    permissionDecisionReason: "notes are fine",
    updatedInput: { file_path: file_path!, content: content!.toUpperCase() },
  });
};
export const remind: HookHandler = ({ prompt }) => ({
  hookSpecificOutput: { hookEventName: "UserPromptSubmit", additionalContext: "a rule for: " + prompt },
});
export const ends: HookHandler = () => Deno.exit(3);

const pack: PluginModule = { tools: { Counted: async () => ({ content: "42" }) } };
export default pack;
`;

const HOOKS = {
  PreToolUse: [
    { matcher: "Bash|Write", handler: "guard", capabilities: ["journal.emit", "fs.write"] },
    { matcher: "Grep", handler: "ends" },
  ],
  UserPromptSubmit: [{ handler: "remind" }],
};
const TOOL = {
  name: "Counted",
  description: "Counts.",
  input_schema: { type: "object", properties: {}, additionalProperties: false },
  effect: "none",
};
const CALLS = [
  { name: "Bash", input: { command: "git push origin main" } },
  { name: "Write", input: { file_path: "note.txt", content: "buy milk\n" } },
  { name: "Write", input: { file_path: "secret.txt", content: "no\n" } },
  { name: "Counted", input: {} },
  { name: "Grep", input: { pattern: "milk" } },
];

Deno.test("a hook pack is made, checked, installed and guards: it refuses, changes, adds, and never loosens a rule", async () => {
  const denort = await findDenort();
  const program = "skip" in denort ? {} : { artifact: await compiledProgram(denort.env) };
  await using author = await tempDir("lumina-author-");
  await using project = await AgentProject.open({
    turns: [{ tool_calls: CALLS }, { text: "done" }, { tool_calls: CALLS.slice(0, 2) }, { text: "done" }],
  });
  const plugin = async (args: string[], code = 0) => {
    await using run = await startLumina(["plugin", ...args], {
      app_root: project.app_root,
      cwd: author.path,
      ...program,
    });
    await run.writeAll("");
    const { stdout, stderr, code: got } = await run.finished;
    assert.equal(got, code, `plugin ${args.join(" ")}: ${stderr}${stdout}`);
    return stdout + stderr;
  };

  await plugin(["new", "hooks", "guard"]);
  const manifest = JSON.parse(await author.read("guard/manifest.json"));
  manifest.kinds = ["tools", "hooks"];
  manifest.capabilities = ["journal.emit", { kind: "fs.write", paths: ["data"] }];
  manifest.contributes = { tools: [TOOL], hooks: HOOKS };
  await author.write("guard/manifest.json", JSON.stringify(manifest));
  await author.write("guard/src/mod.ts", SOURCE);
  await plugin(["build", "guard"]);
  const checked = await plugin(["check", "guard"], 1);
  assert.match(
    checked,
    /^FAILED +ends \(PreToolUse\): answers +Pack "guard": it has broken: it called Deno\.exit/m,
  );
  assert.match(checked, /^ok +remind \(UserPromptSubmit\): answer is understood/m);
  const sees =
    'sees every tool call that fits "Bash|Write" before it runs and may refuse it, change it, or allow what';
  const asked = await plugin(["install", "guard/dist"], 3);
  assert.ok(asked.includes(`Its hooks, at each such moment:\n`) && asked.includes(`  ${sees}`), asked);
  assert.match(asked, /sees every prompt before the model does and may refuse it or add to it\n/);
  await plugin(["install", "guard/dist", "--yes"]);
  assert.match(
    await plugin(["list"]),
    /^guard +0\.1\.0 +user +on +Counted; hooks of UserPromptSubmit, PreToolUse$/m,
  );
  assert.ok((await plugin(["permissions", "guard"])).includes(`  guard ${sees}`));

  const run = await project.stream("go", ["--disallowed-tools", "Write(secret.txt)"], program);
  assert.equal(resultOf(run.lines)["result"], "done", run.stderr);
  const [push, note, secret, counted, grep] = sentResults(project.provider.requests[1]);
  assert.deepEqual([push?.is_error, note?.is_error, secret?.is_error], [true, false, true]);
  assert.match(String(push?.content), /no pushes today/);
  assert.match(String(secret?.content), /secret\.txt/);
  assert.equal(await project.dir.read("note.txt"), "BUY MILK\n");
  assert.deepEqual(counted, { content: "42", is_error: false });
  // its process ended: the call goes on, and the person is told with the pack's name
  assert.equal(grep?.is_error, false);
  assert.match(run.stdout + run.stderr, /Hook guard: it has broken: it called Deno\.exit/);
  assert.match(JSON.stringify(project.provider.requests[0]), /a rule for: go/);
  assert.equal(
    await Deno.readTextFile(`${project.app_root}/data/plugins/guard/data/last.txt`),
    "git push origin main",
  );
  const events = await project.journal(run.session_id);
  const decided = events.filter(({ type }) => type === "permission.decided").map(payload);
  assert.deepEqual(
    decided.filter(({ by }) => by === "hook").map(({ tool, behavior, hook }) => [tool, behavior, hook]),
    [["Bash", "deny", "guard"], ["Write", "allow", "guard"]],
  );
  assert.ok(events.some((event) => event.type === "plugin.emitted" && payload(event)["pack"] === "guard"));

  // the same pack out of a repository: asked about first, it refuses and never allows
  await plugin(["remove", "guard", "--yes"]);
  await Deno.mkdir(project.dir.join(".Lumina/plugins"), { recursive: true });
  await Deno.rename(author.join("guard/dist"), project.dir.join(".Lumina/plugins/guard"));
  const unasked = await project.run(["-p", "go"], program);
  assert.equal(unasked.code, 3);
  assert.match(unasked.stderr, /hook: sees every tool call that fits/);
  await Deno.remove(project.dir.join("note.txt"));
  const again = await project.stream("go", ["--trust-project"], program);
  const [refused, kept] = sentResults(project.provider.requests.at(-1));
  assert.match(String(refused?.content), /no pushes today/);
  assert.equal(kept?.is_error, true);
  await assert.rejects(project.dir.read("note.txt"));
  assert.match(again.stdout, /guard: it would allow the call, which a hook of a repository never does/);
});
