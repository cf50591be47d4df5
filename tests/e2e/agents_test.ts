import assert from "node:assert/strict";
import { AgentProject, payload, readRun, resultOf, sentResults } from "../support/agent_project.ts";
import type { Line } from "../support/agent_project.ts";
import { processesWith } from "../support/run_calls.ts";
import type { LuminaProcess } from "../support/run_lumina.ts";

const agent = (input: Line) => ({ name: "Agent", input: { description: "look around", ...input } });

/** The tools that a request offers. */
function offered(project: AgentProject, request: number): string[] {
  return (project.provider.requests[request]?.body["tools"] as Line[]).map(({ name }) => name);
}

Deno.test("a sub-agent works on its own context with narrowed tools; its answer and what it used are the parent's", async () => {
  await using project = await AgentProject.open({
    turns: [
      { match: "delegate", tool_calls: [agent({ prompt: "find the needle", subagent_type: "Explore" })] },
      {
        match: "find the needle",
        tool_calls: [{ name: "Read", input: { file_path: "hay.txt" } }],
        usage: { input: 100 },
      },
      {
        match: "needle here",
        tool_calls: [{ name: "Write", input: { file_path: "x", content: "y" } }],
        usage: { input: 100 },
      },
      { match: 'no tool "Write"', text: "it is on line 1", usage: { input: 100 } },
      { match: "it is on line 1", text: "found", usage: { input: 7 } },
    ],
  });
  await Deno.writeTextFile(`${project.dir.path}/hay.txt`, "needle here\n");
  await Deno.writeTextFile(`${project.dir.path}/AGENTS.md`, "Mind the pitchfork.\n");
  const run = await project.stream("delegate");
  const result = resultOf(run.lines);
  assert.equal(result["result"], "found", JSON.stringify(run.lines));
  assert.equal(project.provider.requests.length, 5);
  // its own context
  const asked = JSON.stringify(project.provider.requests[1]?.body);
  assert.match(asked, /You are a sub-agent/);
  assert.match(asked, /Mind the pitchfork/);
  assert.doesNotMatch(asked, /delegate/);
  assert.ok(offered(project, 0).includes("Agent") && offered(project, 0).includes("Write"));
  for (const tool of ["Agent", "Write", "Edit", "Bash"]) assert.ok(!offered(project, 1).includes(tool), tool);
  // its result
  const [told] = sentResults(project.provider.requests[4]);
  assert.match(told?.content ?? "", /^it is on line 1\n\n\[agent_id: agent-[0-9a-f]{8}\]$/);
  assert.equal(told?.is_error, false);
  // what it did is told under its call, and what it used is counted
  const call = run.lines.find(({ type }) => type === "assistant")?.["message"].content[0].id;
  const of_agent = run.lines.filter((line) => line["parent_tool_use_id"] === call);
  assert.deepEqual(of_agent.map(({ type }) => type), ["assistant", "user", "assistant", "user", "assistant"]);
  assert.ok(result["usage"].input_tokens >= 307);
  assert.equal(result["num_turns"], 2);
  const events = await project.journal(run.session_id);
  const [started, finished] = events.filter(({ type }) => type.startsWith("subagent."));
  assert.deepEqual([payload(started)["agent_type"], payload(started)["call_id"]], ["explore", call]);
  assert.deepEqual([payload(finished)["status"], payload(finished)["turns"]], ["success", 3]);
  const chains = events.filter(({ type }) => type === "usage.recorded").map((event) =>
    payload(event)["chain"]
  );
  assert.deepEqual(chains, [undefined, "subagent", "subagent", "subagent", undefined]);
  // the session is the parent's conversation alone
  const shown = await project.run(["session", "show", run.session_id]);
  assert.match(shown.stdout, /delegate/);
  assert.doesNotMatch(shown.stdout, /find the needle\n|no tool/);
  const verified = await project.run(["session", "verify", run.session_id]);
  assert.equal(verified.code, 0, verified.stdout);
  // a replay asks nobody: what the sub-agent had answered is a part of the recording
  const asked_before = project.provider.requests.length;
  const replay = await project.run(["-p", "--provider", `replay:${run.session_id}`]);
  assert.equal(replay.stdout.trim(), "found", replay.stderr);
  assert.equal(project.provider.requests.length, asked_before);
});

Deno.test("a sub-agent's question reaches the person and says who asks, a deny rule holds for it, its failure is one", async () => {
  await using project = await AgentProject.open({
    turns: [
      { match: "delegate", tool_calls: [agent({ prompt: "make it", description: "make a file" })] },
      { match: "make it", tool_calls: [{ name: "Bash", input: { command: "touch made" } }] },
      { tool_calls: [{ name: "Read", input: { file_path: "secret.txt" } }] },
      { match: "Permission denied", text: "", fault: { http: "bad_request" } },
      { match: "make a file", text: "it failed" },
    ],
  });
  await Deno.writeTextFile(`${project.dir.path}/secret.txt`, "plugh42\n");
  const args = ["-p", "--input-format", "stream-json", "--output-format", "stream-json"];
  await using run = await project.start([
    ...args,
    "--permission-prompt",
    "stdio",
    "--disallowed-tools",
    "Read(./secret.txt)",
  ]);
  const send = (line: Line) => run.write(`${JSON.stringify(line)}\n`);
  await send({ type: "user", message: { role: "user", content: "delegate" } });
  const questions: Line[] = [];
  for await (const text of run.lines()) {
    const line: Line = JSON.parse(text);
    if (line["type"] === "control_request") {
      questions.push(line["request"]);
      const response = { behavior: "allow", updatedInput: line["request"].input };
      const envelope = { subtype: "success", request_id: line["request_id"], response };
      await send({ type: "control_response", response: envelope });
    }
    if (line["type"] === "result") await run.closeInput();
  }
  const { lines } = readRun(await run.finished);
  assert.equal(resultOf(lines)["result"], "it failed", JSON.stringify(lines));
  assert.equal(questions.length, 1);
  assert.equal(questions[0]?.["tool_name"], "Bash");
  assert.deepEqual([questions[0]?.["agent_type"], questions[0]?.["description"]], [
    "general-purpose",
    "make a file",
  ]);
  assert.ok((await Deno.stat(`${project.dir.path}/made`)).isFile);
  assert.doesNotMatch(JSON.stringify(project.provider.requests), /plugh42/);
  assert.deepEqual(resultOf(lines)["permission_denials"].map((one: Line) => one["tool_name"]), ["Read"]);
  const [told] = sentResults(project.provider.requests.at(-1));
  assert.equal(told?.is_error, true);
  assert.match(told?.content ?? "", /Sub-agent general-purpose "make a file" failed .*\[model\.\w+\]/);
  assert.match(told?.content ?? "", /Model answers: 2; tools called: Bash, Read\./);
  assert.match(told?.content ?? "", /resume "agent-/);
});

/** Waits until that many paths fit; throws when the run ends before. */
async function appear(run: LuminaProcess, count: number, paths: () => string[]): Promise<void> {
  let ended = false;
  void run.finished.then(() => ended = true);
  while (paths().length < count) {
    if (ended) throw new Error(`the run ended: ${JSON.stringify(await run.finished)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** The paths of what is in a folder; none where there is no folder. */
function entries(folder: string): string[] {
  try {
    return [...Deno.readDirSync(folder)].map(({ name }) => `${folder}/${name}`);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

/** Waits until no process has the mark in its command line; what stays is found by the runner's limit. */
async function gone(mark: string): Promise<void> {
  if (Deno.build.os !== "linux") return; // nothing tells it there
  while (processesWith(mark).length > 0) await new Promise((resolve) => setTimeout(resolve, 50));
}

async function git(cwd: string, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await new Deno.Command("git", {
    args: ["-c", "user.name=t", "-c", "user.email=t@example.org", ...args],
    cwd,
  }).output();
  assert.equal(code, 0, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

Deno.test("sub-agents end with their parent, whether it is interrupted or, with ten of them, killed; what became of each is known, and one goes on", async () => {
  const mark = `mark-${crypto.randomUUID()}`;
  const in_tree = [1, 3, 5];
  const several = (length: number, name: string, more: (n: number) => Line) =>
    Array.from({ length }, (_, n) => agent({ prompt: `${name}-${n}`, description: `part ${n}`, ...more(n) }));
  const works = (name: string) => ({
    match: `${name}-`,
    repeat: true,
    capture: { n: `${name}-(\\d)` },
    tool_calls: [{ name: "Bash", input: { command: `touch '${name}'-{{n}}; sleep 600 # ${mark}` } }],
  });
  await using project = await AgentProject.open({
    turns: [
      { match: "begin", tool_calls: several(3, "first", () => ({})) },
      works("first"),
      {
        match: "again",
        tool_calls: several(10, "second", (n) => in_tree.includes(n) ? { isolation: "worktree" } : {}),
      },
      works("second"),
      {
        match: "what became",
        capture: { id: '(agent-[0-9a-f]{8}) \\(general-purpose\\) "part 3"' },
        tool_calls: [{
          name: "Agent",
          input: { description: "go on", prompt: "carry on", resume: "{{id}}" },
        }],
      },
      { match: "carry on", text: "carried on" },
      { match: "carried on", text: "all told" },
    ],
  });
  const dir = project.dir.path;
  await git(dir, "init", "-q");
  await Deno.writeTextFile(`${dir}/a.txt`, "a\n");
  await git(dir, "add", "a.txt");
  await git(dir, "commit", "-q", "-m", "one");
  // what captures do is tested elsewhere
  const uncaptured = { settings: { REWIND: "false" } };
  const stream = ["--yolo", "--output-format", "stream-json"];

  let run = await project.start(["-p", "begin", ...stream], uncaptured);
  await run.closeInput();
  await appear(run, 3, () => entries(dir).filter((path) => path.includes("/first-")));
  run.kill("SIGINT");
  const interrupted = readRun(await run.finished);
  assert.equal(interrupted.code, 130);
  await gone(mark);
  const { session_id } = interrupted;
  const ended = (await project.journal(session_id)).filter(({ type }) => type === "subagent.finished");
  assert.deepEqual(ended.map((event) => payload(event)["status"]), Array(3).fill("interrupted"));

  run = await project.start(["-p", "again", "--continue", ...stream], uncaptured);
  await run.closeInput();
  const trees = () => entries(`${dir}/.Lumina/worktrees`);
  await appear(run, 10, () => [dir, ...trees()].flatMap(entries).filter((path) => path.includes("/second-")));
  run.kill("SIGKILL");
  await run.finished;
  await gone(mark);

  const told = await project.stream("what became", ["--continue", ...stream.slice(0, 1)]);
  assert.equal(resultOf(told.lines)["result"], "all told", JSON.stringify(told.lines));
  const asked = project.provider.requests.at(-3);
  const said = JSON.stringify(asked?.body["messages"]);
  for (let n = 0; n < 10; n++) {
    assert.match(
      said,
      new RegExp(
        `agent-[0-9a-f]{8} \\(general-purpose\\) \\\\"part ${n}\\\\": Model answers: 1; tools called: Bash`,
      ),
    );
  }
  assert.equal(said.match(/Its worktree is kept: [^ ]+ \(branch lumina\/agent-[0-9a-f]{8}\)/g)?.length, 3);
  // its context is the one it had, in its worktree
  const resumed = JSON.stringify(project.provider.requests.at(-2)?.body["messages"]);
  assert.match(resumed, /second-3.*carry on/);
  assert.match(resumed, /\.Lumina\/worktrees\/agent-/);
  const branches = await git(dir, "branch", "--list", "lumina/*");
  assert.equal(branches.trim().split("\n").length, 3);
  const listed = await project.run(["agents", "worktrees", "--prune", "--json"]);
  const { removed, kept } = JSON.parse(listed.stdout);
  assert.deepEqual([removed.length, kept.length], [0, 3], "work is never thrown away");
  // the worktrees are no change of the repository
  assert.doesNotMatch(await git(dir, "status", "--porcelain"), /Lumina/);
  const events = await project.journal(session_id);
  assert.equal(events.filter(({ type }) => type === "subagent.interrupted").length, 10);
  assert.equal((await project.run(["session", "verify", session_id])).code, 0);
});

Deno.test("a background sub-agent of a file's type is waited for, told when it ends and stopped on demand; hooks hear of it", async () => {
  const background = (prompt: string) =>
    agent({ prompt, subagent_type: "reviewer", run_in_background: true });
  await using project = await AgentProject.open({
    turns: [
      { match: "delegate", tool_calls: [background("look slowly"), background("never ends")] },
      {
        match: "works in the background",
        text: "waiting",
      },
      { match: "look slowly", hold: { name: "slow" }, text: "three faults" },
      { match: "never ends", hold: { name: "never" }, text: "" },
      { match: "three faults", tool_calls: [{ name: "AgentOutput", input: {} }] },
      {
        match: "reviewer: look around",
        capture: { working: "(agent-[0-9a-f]{8})  running" },
        tool_calls: [{ name: "AgentStop", input: { agent_id: "{{working}}" } }],
      },
      { match: "was interrupted", text: "all reported" },
      { match: "it was stopped", text: "all reported" },
    ],
  });
  const dir = project.dir.path;
  await Deno.mkdir(`${dir}/.claude/agents`, { recursive: true });
  await Deno.writeTextFile(
    `${dir}/.claude/agents/reviewer.md`,
    "\uFEFF---\nname: reviewer\ndescription: Reviews code.\ntools: Read, Bash\nmaxTurns: 3\n---\nFind faults.\n",
  );
  await Deno.writeTextFile(
    `${dir}/.claude/agents/broken.md`,
    "---\nname: broken\nmaxTurns: many\ndescription: d\n---\nx\n",
  );
  const log = `${dir}/hooks.log`;
  const hook = [{ hooks: [{ type: "command", command: `cat >> '${log}'; echo >> '${log}'` }] }];
  await Deno.mkdir(`${project.app_root}/config`, { recursive: true });
  await Deno.writeTextFile(
    `${project.app_root}/config/settings.json`,
    JSON.stringify({ hooks: { SubagentStart: hook, SubagentStop: hook } }),
  );
  await using run = await project.start(["-p", "delegate", "--output-format", "stream-json"]);
  await run.closeInput();
  const lines: Line[] = [];
  for await (const text of run.lines()) {
    const line: Line = JSON.parse(text);
    lines.push(line);
    const said = line["type"] === "assistant" ? line["message"].content[0].text : undefined;
    if (said === "waiting") project.provider.release("slow");
  }
  const { stderr } = await run.finished;
  assert.equal(resultOf(lines)["result"], "all reported", JSON.stringify(lines));
  const asked = JSON.stringify(project.provider.requests[0]?.body["messages"]);
  assert.match(asked, /<agent_types>.*- reviewer: Reviews code\./);
  assert.match(stderr, /broken\.md:3: maxTurns must be a whole number/);
  const child = project.provider.requests.findIndex(({ body }) =>
    JSON.stringify(body["system"]).includes("Find faults")
  );
  assert.deepEqual(offered(project, child), ["Bash", "Read"]);
  const listing = await project.run(["agents", "list"]);
  assert.match(
    listing.stdout,
    /^reviewer: Reviews code\.\n {2}.*reviewer\.md; tools Read, Bash; at most 3 turns$/m,
  );
  assert.match(listing.stdout, /^explore: .*\n {2}builtin; at most 30 turns; mode plan at most$/m);
  assert.match(listing.stdout, /^problem: .*broken\.md:3: maxTurns/m);
  const heard = (await Deno.readTextFile(log)).split("\n").filter((line) => line !== "").map((line) =>
    JSON.parse(line)
  );
  assert.deepEqual(
    heard.map(({ hook_event_name, agent_type }) => `${hook_event_name} ${agent_type}`).sort(),
    ["SubagentStart reviewer", "SubagentStart reviewer", "SubagentStop reviewer"],
  );
  assert.ok(heard.every(({ agent_id }) => /^agent-[0-9a-f]{8}$/.test(agent_id)));
});

Deno.test("agent_max_depth, agent_max_turns, agent_max_tokens and agent_max_budget_usd bound what sub-agents may do", async () => {
  const glob = { tool_calls: [{ name: "Glob", input: { pattern: "*" } }], usage: { input: 600, output: 10 } };
  await using project = await AgentProject.open({
    turns: [
      { match: "alone", text: "nobody to ask" },
      {
        match: "delegate",
        repeat: true,
        tool_calls: [agent({ prompt: "work" })],
        usage: { input: 1, output: 1 },
      },
      { match: "Done so far", repeat: true, text: "it ended" },
      { repeat: true, ...glob },
    ],
  });
  await Deno.mkdir(`${project.app_root}/config`, { recursive: true });
  await Deno.writeTextFile(
    `${project.app_root}/config/settings.json`,
    JSON.stringify({ prices: { "scripted-model": [1000, 0] } }),
  );
  await project.stream("alone", [], { settings: { AGENT_MAX_DEPTH: "0" } });
  assert.ok(!offered(project, 0).includes("Agent"));
  // each request of the sub-agent takes 610 tokens and $0.60
  const cases: [string, string, string][] = [
    ["AGENT_MAX_TURNS", "2", "agent.max_turns"],
    ["AGENT_MAX_TOKENS", "1000", "agent.budget"],
    ["AGENT_MAX_BUDGET_USD", "1.1", "agent.budget"],
  ];
  for (const [name, value, code] of cases) {
    const before = project.provider.requests.length;
    const run = await project.stream("delegate", [], { settings: { [name]: value } });
    assert.equal(resultOf(run.lines)["result"], "it ended", JSON.stringify(run.lines));
    assert.equal(project.provider.requests.length - before, 4, name);
    assert.ok(sentResults(project.provider.requests.at(-1))[0]?.content.includes(`[${code}]`), name);
  }
});
