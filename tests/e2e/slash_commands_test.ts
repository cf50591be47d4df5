import assert from "node:assert/strict";
import { AgentProject, payload, userLine } from "../support/agent_project.ts";
import type { Line } from "../support/agent_project.ts";
import { runLumina } from "../support/run_lumina.ts";
import { tempDir } from "../support/temp_dir.ts";

const FIRST = "0d6f3a30-0000-4000-8000-000000000001";

/** Each command as it is typed, and what its answer says, in the order in which they run in one session. */
const TYPED: readonly [typed: string, answer: RegExp][] = [
  ["/status", /^session +0d6f3a30[\s\S]*mode +ask[\s\S]*messages +2/],
  ["/tokens", /^\d+ tokens in 1 answer:/],
  ["/model", /^Model: scripted-model, window \d+ tokens/],
  ["/model other-model", /^Model: other-model \(was scripted-model\)/],
  ["/effort high", /^Effort: high/],
  ["/EFFORT", /^Effort: high; there are low/],
  ["/mode accept-edits", /^Mode: accept-edits \(was ask\)/],
  ["/mode", /^Mode: accept-edits\./],
  ["/yolo", /^Mode: yolo/],
  ["/yolo", /^Mode: ask \(was yolo\)/],
  ["/plan", /^Mode: plan/],
  ["/mode default", /^Mode: ask/],
  ["/permissions allow Bash(ls *) --session", /^Kept for this session: allow Bash\(ls \*\)/],
  ["/permissions add deny Read(secret/**)", /^Kept for this project: deny Read\(secret/],
  ["/permissions", /^mode ask[\s\S]*deny +Read\(secret[\s\S]*allow +Bash\(ls \*\) +\(this session\)/],
  ["/permissions remove allow Bash(ls *)", /^Removed from this session/],
  ["/permissions remove deny Read(secret/**)", /^Removed from .*permissions\.json/],
  ["/config max_parent_turns", /^max_parent_turns = 100 +\(default\)/],
  ["/config max_parent_turns 90", /^max_parent_turns is set in /],
  ["/config", /max_parent_turns = 90/],
  ["/context", /^other-model: about \d+ of \d+ tokens[\s\S]*system prompt/],
  [
    "/cost",
    /^This session: [\s\S]*main +scripted-model: price unknown, 1 request[\s\S]*Today: .* in 1 session/,
  ],
  ["/output-style", /^\* default[\s\S]*concise[\s\S]*explanatory/],
  ["/output-style concise", /begins with the next session/],
  ["/skills", /\/review/],
  ["/tasks", /^There are no tasks/],
  ["/agents", /general-purpose/],
  ["/bashes", /^No command runs in the background/],
  ["/rename First of two", /called "First of two"/],
  ["/pin", /is pinned/],
  ["/unpin", /no longer pinned/],
  ["/save", /Everything up to event \d+ is saved/],
  ["/export", /^# First of two[\s\S]*hello/],
  ["/export kept.md --format md", /was written into .*\/kept\.md\.$/],
  ["/hooks", /^No hooks/],
  ["/plugins", /tools_fs/],
  ["/plugins show tools_fs", /Read/],
  ["/doctor", /app root/],
  ["/storage", /sessions/],
  ["/cleanup", /./],
  ["/history", /./],
  ["/rewind", /^ +\d+ +hello/],
  ["/compact what matters", /^(Nothing was compacted|Compacted)/],
  ["/clear", /2 messages were put aside/],
  ["/rewind", /no message to go back to/],
  ["/fork Second", /^Forked: /],
  ["/status", /title +Second/],
  ["/resume", new RegExp(FIRST)],
  [`/resume ${FIRST}`, /^Session 0d6f3a30.*First of two/],
  ["/status", /title +First of two/],
  ["/help", /^Commands\n/],
  ["/help model", /^\/model \[name\]\n/],
  ["/quit", /ends here/],
];

/** What is refused, with what is said and the exit code. */
const REFUSED: readonly [typed: string, error: RegExp][] = [
  ["/halp", /^Unknown command \/halp: did you mean \/help\?$/],
  ["/effort enormous", /there are|give one of low/],
  ["/mode mad", /^There is no mode "mad": give one of plan, ask/],
  ["/permissions perhaps", /^Not understood: \/permissions/],
  ["/permissions remove deny Edit(x)", /^No such rule/],
  ["/config max_parent_turn", /did you mean max_parent_turns\?/],
  ["/output-style concis", /did you mean concise\?/],
  ["/rewind here", /needs the number of a message/],
  ["/rewind 99999", /no message 99999/],
  ["/resume ffffffff", /There is no session/],
  ["/rename", /needs a title/],
  ["/bashes end", /^Not understood: \/bashes/],
  ["/bashes kill sh-9", /No command sh-9 runs/],
  ["/plugins show none-such", /none-such/],
];

Deno.test("every slash command answers without a request to the model, and /help lists exactly what there is", async () => {
  await using project = await AgentProject.open({
    turns: [{ text: "hi" }, { text: "a summary of it", repeat: true }],
  });
  const prompts: (string | Line)[] = [
    { type: "control_request", request_id: "init", request: { subtype: "initialize" } },
    "hello",
    ...TYPED.slice(0, -1).map(([typed]) => typed),
    ...REFUSED.map(([typed]) => typed),
    ...TYPED.slice(-1).map(([typed]) => typed),
    "never read",
  ].map((prompt) => typeof prompt === "string" ? userLine(prompt) : prompt);
  const run = await project.converse(prompts, ["--session-id", FIRST]);
  assert.equal(run.code, 0, run.stderr);
  const results = run.lines.filter((line) => line["type"] === "result");
  assert.equal(results.length, 1 + TYPED.length + REFUSED.length, run.stderr);
  const [hello, ...answers] = results;
  assert.equal(hello?.["result"], "hi");

  const good = [...answers.slice(0, TYPED.length - 1), ...answers.slice(-1)];
  for (const [index, [typed, answer]] of TYPED.entries()) {
    const result = good[index] ?? {};
    assert.deepEqual(
      [result["subtype"], result["is_error"], result["num_turns"]],
      ["success", false, 0],
      `${typed}: ${JSON.stringify(result)}`,
    );
    assert.match(result["result"], answer, typed);
  }
  for (const [index, [typed, error]] of REFUSED.entries()) {
    const result = answers[TYPED.length - 1 + index] ?? {};
    assert.deepEqual([result["subtype"], result["is_error"]], ["error_during_execution", true], typed);
    assert.match(result["errors"][0], error, typed);
    assert.doesNotMatch(result["errors"][0], /\n/, typed);
  }
  // nothing but the first prompt, and what /compact asked, reached the model
  assert.ok(project.provider.requests.length <= 2);

  // the initialize reply, /help, the first line and the table above name the same commands
  const reply = run.lines.find((line) => line["type"] === "control_response")?.["response"].response;
  const names: string[] = reply.commands.map(({ name }: Line) => name);
  const help = good[TYPED.findIndex(([typed]) => typed === "/help")]?.["result"] as string;
  assert.deepEqual([...help.matchAll(/^ {2}\/([\w:-]+)/gm)].map(([, name]) => name), names);
  const init = run.lines.find((line) => line["subtype"] === "init");
  assert.deepEqual(init?.["slash_commands"], names);
  assert.deepEqual([init?.["output_style"], reply.output_style], ["default", "default"]);
  assert.ok(init?.["skills"].includes("review"));
  assert.ok(init?.["agents"].includes("general-purpose"));
  const builtins: string[] = reply.commands.filter(({ source }: Line) => source === "builtin")
    .map(({ name }: Line) => name);
  const tried = new Set(TYPED.map(([typed]) => typed.slice(1).split(" ")[0]?.toLowerCase()));
  assert.deepEqual(builtins.filter((name) => !tried.has(name)), []);

  // what was told, what was kept, and what was not
  const outputs = run.lines.filter((line) => line["subtype"] === "local_command_output");
  assert.deepEqual(outputs.map(({ content }) => content), good.map((result) => result["result"]));
  assert.match(await Deno.readTextFile(project.dir.join("kept.md")), /hello/);
  const ran = (await project.journal(FIRST)).filter(({ type }) => type === "session.command_run").map(
    payload,
  );
  assert.ok(ran.some(({ name, args }) => name === "effort" && args === "high"));
  assert.ok(
    ran.some(({ name, args }) => name === "config" && args === ""),
    "the arguments of /config are secret",
  );
});

Deno.test("a slash command needs no model; what is piped in changes nothing; a path is a prompt", async () => {
  await using root = await tempDir();
  await using workspace = await tempDir();
  const options = { app_root: root.path, cwd: workspace.path };
  const [help, unknown, piped, path] = [
    await runLumina(["-p", "/help"], options),
    await runLumina(["-p", "/tokenz", "--output-format", "json"], options),
    await runLumina(["-p"], { ...options, stdin: "/permissions allow Bash(*)\n" }),
    await runLumina(["-p", "/tmp is what?"], options),
  ];
  assert.deepEqual([help.code, help.stderr], [0, ""]);
  assert.match(help.stdout, /^Commands\n[\s\S]*\/quit/);
  assert.equal(unknown.code, 2);
  assert.match(JSON.parse(unknown.stdout).errors[0], /did you mean \/tokens\?/);
  assert.equal(piped.code, 3);
  assert.match(piped.stderr, /^lumina: \/permissions changes something and came through a pipe/);
  assert.equal(path.code, 2);
  assert.match(path.stderr, /^lumina: No model is configured/);
});
