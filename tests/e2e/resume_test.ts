import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { appRootPaths } from "../../core/app_root/mod.ts";
import { AgentProject, payload, resultOf } from "../support/agent_project.ts";
import type { Line } from "../support/agent_project.ts";
import { tempDir } from "../support/temp_dir.ts";

const ID = "5f3b8f4e-0c1d-4e2f-8a3b-112233445566";

/** The texts of a request's user messages that people wrote. */
function said(project: AgentProject, n: number): string[] {
  const messages = project.provider.requests[n]?.body["messages"] as Line[];
  return messages.filter((message) => message["role"] === "user").map((message) =>
    (message["content"] as Line[]).at(-1)?.["text"]
  );
}

Deno.test("--session-id names the session, --resume and --continue go on with it, --list shows it", async () => {
  await using project = await AgentProject.open({
    turns: [{ text: "A" }, { text: "B" }, { text: "C" }, { text: "other" }, { text: "D" }],
  });
  const first = await project.run(["-p", "first prompt\nwith a second line", "--session-id", ID]);
  assert.deepEqual([first.code, first.stdout], [0, "A\n"]);
  const resumed = await project.run(["-p", "second", "--resume", ID]);
  assert.deepEqual([resumed.code, resumed.stdout], [0, "B\n"], resumed.stderr);
  assert.deepEqual(said(project, 1), ["first prompt\nwith a second line", "second"]);
  const continued = await project.run(["-p", "third", "--continue"]);
  assert.deepEqual([continued.code, continued.stdout], [0, "C\n"]);
  assert.deepEqual(said(project, 2).slice(1), ["second", "third"]);

  await project.run(["-p", "elsewhere"]);
  const short = await project.run(["-c", "-p", "fourth"]);
  assert.equal(short.stdout, "D\n");
  assert.deepEqual(said(project, 4), ["elsewhere", "fourth"], "the newest session is the one that goes on");

  const list = await project.run(["--list", "--json"]);
  const rows = JSON.parse(list.stdout) as Line[];
  assert.deepEqual(
    rows.map((row) => [row["title"], row["runs"], row["turns"], row["messages"], row["status"]]),
    [
      ["elsewhere", 2, 2, 4, "success"],
      ["first prompt", 3, 3, 6, "success"],
    ],
  );
  assert.equal(rows[1]?.["session_id"], ID);
  assert.deepEqual([rows[1]?.["cwd"], rows[1]?.["model"]], [project.dir.path, "scripted-model"]);
  assert.ok(rows[1]?.["tokens"] > 0);
  const table = await project.run(["--list"]);
  assert.equal(table.code, 0);
  for (const part of [ID, "first prompt", "3 turns", project.dir.path]) {
    assert.ok(table.stdout.includes(part), part);
  }

  const events = await project.journal(ID);
  assert.deepEqual(
    events.filter((event) => event.type === "run.started").map((event) =>
      payload(event)["prompt"].slice(0, 6)
    ),
    ["first ", "second", "third"],
  );
});

Deno.test("what cannot be resumed is one line with the right exit code, and nothing is asked of a model", async () => {
  await using project = await AgentProject.open({ turns: [{ text: "A" }, { text: "never" }] });
  await using elsewhere = await tempDir();
  await project.run(["-p", "first", "--session-id", ID]);
  const cases: [number, RegExp, string[], string?][] = [
    [4, /no session 00000000-/, ["--resume", "00000000-0000-4000-8000-000000000000"]],
    [5, /exists already.*--resume/, ["--session-id", ID]],
    [5, /works in .*, not in .*: add --cwd /, ["--resume", ID, "--cwd", elsewhere.path]],
    [5, /works in .*, not in .*: add --cwd /, ["--resume", ID], elsewhere.path],
    [4, /No session was run in /, ["--continue"], elsewhere.path],
    [2, /exclude each other/, ["--resume", ID, "--continue"]],
    [2, /Not a session id/, ["--resume", "../../etc"]],
    [2, /Not a session id/, ["--session-id", "a/b"]],
    [2, /Cannot start in .*--cwd/, ["--cwd", `${elsewhere.path}/missing`]],
  ];
  for (const [code, words, args, cwd] of cases) {
    const run = await project.run(["-p", "x", ...args], cwd === undefined ? {} : { cwd });
    assert.equal(run.code, code, `${args.join(" ")}: ${run.stderr}`);
    assert.match(run.stderr, words);
    assert.match(run.stderr, /^lumina: [^\n]+\n$/);
    assert.equal(run.stdout, "");
  }
  assert.equal(project.provider.requests.length, 1);
  const rows = JSON.parse((await project.run(["--list", "--json"])).stdout);
  assert.equal(rows.length, 1, "a refused start leaves no session");
});

Deno.test("a session resumed from another directory with --cwd works in its own", async () => {
  await using project = await AgentProject.open({
    turns: [{ text: "A" }, { tool_calls: [{ name: "Read", input: { file_path: "here.txt" } }] }, {
      text: "B",
    }],
  });
  await using elsewhere = await tempDir();
  await project.dir.write("here.txt", "right place\n");
  await project.run(["-p", "first", "--session-id", ID]);
  const run = await project.stream("second", ["--resume", ID, "--cwd", project.dir.path], {
    cwd: elsewhere.path,
  });
  assert.equal(resultOf(run.lines)["result"], "B");
  assert.equal(run.lines[0]?.["cwd"], project.dir.path);
  assert.match(JSON.stringify(project.provider.requests[2]?.body), /right place/);
});

Deno.test("--continue keeps folders apart whose names differ in one character only", async () => {
  await using project = await AgentProject.open({
    turns: ["underscore", "dash", "on with underscore", "on with dash"].map((text) => ({ text })),
  });
  const [underscore, dash] = [project.dir.join("b_c"), project.dir.join("b-c")];
  await Deno.mkdir(underscore);
  await Deno.mkdir(dash);
  await project.run(["-p", "in b_c"], { cwd: underscore });
  await project.run(["-p", "in b-c"], { cwd: dash });
  await project.run(["-p", "more", "--continue"], { cwd: underscore });
  await project.run(["-p", "more", "--continue"], { cwd: dash });
  assert.deepEqual(said(project, 2), ["in b_c", "more"]);
  assert.deepEqual(said(project, 3), ["in b-c", "more"]);
});

Deno.test("a second process on a session that runs is refused with one line, and the first one finishes", async () => {
  await using project = await AgentProject.open({
    turns: [{ text: ["a", "b"], hold: { name: "go", after_frames: 4 } }, { text: "after" }],
  });
  const first = await project.start(["-p", "long", "--session-id", ID]);
  await using _first = first;
  await first.closeInput();
  await project.provider.waitForRequest(1);
  for (const args of [["--resume", ID], ["--continue"], ["--session-id", ID]]) {
    const second = await project.run(["-p", "x", ...args]);
    assert.equal(second.code, 5, `${args.join(" ")}: ${second.stderr}`);
    assert.match(second.stderr, new RegExp(`^lumina: [^\n]* process ${first.pid} on [^\n]*\n$`));
  }
  const list = JSON.parse((await project.run(["--list", "--json"])).stdout) as Line[];
  assert.deepEqual(list.map((row) => [row["session_id"], row["status"]]), [[ID, "running"]]);
  project.provider.release("go");
  const { code, stdout } = await first.finished;
  assert.deepEqual([code, stdout], [0, "ab\n"]);
  assert.equal((await project.run(["-p", "y", "--resume", ID])).stdout, "after\n");
  assert.equal(project.provider.requests.length, 2);
});

Deno.test("a user message sent twice under one uuid runs once and gets its stored result, in one process and after a resume", async () => {
  await using project = await AgentProject.open({
    turns: [
      { tool_calls: [{ name: "Bash", input: { command: "echo x >> log" } }] },
      { text: "did it" },
      { text: "another" },
    ],
  });
  const once = { type: "user", uuid: "u-1", message: { role: "user", content: "do it" } };
  const mode = ["--permission-mode", "yolo"];
  const run = await project.converse([once, once, { ...once, uuid: "u-2" }], mode);
  assert.equal(await project.dir.read("log"), "x\n");
  const [did, repeated, other] = run.prompts.map((lines) => resultOf(lines));
  assert.deepEqual([did?.["result"], other?.["result"]], ["did it", "another"]);
  const told = ["result", "subtype", "is_error", "num_turns", "usage", "total_cost_usd", "stop_reason"];
  const of = (line: Line | undefined) => told.map((name) => line?.[name]);
  assert.deepEqual(of(repeated), of(did), "the result of the first run, with what it used");
  const again = await project.converse([once], ["--resume", run.session_id, ...mode]);
  assert.equal(again.code, 0);
  assert.deepEqual(of(resultOf(again.lines)), of(did));
  assert.match(again.lines.map((line) => line["content"]).join(), /already been run .* stored result/);
  assert.equal(project.provider.requests.length, 3);
  const changed = { ...once, message: { role: "user", content: "do something else" } };
  const conflict = await project.converse([changed], ["--resume", run.session_id, ...mode]);
  assert.equal(conflict.code, 5);
  assert.equal(resultOf(conflict.lines)["error_code"], "journal.conflict");
  assert.equal(project.provider.requests.length, 3, "another text under the same uuid does not run either");
});

Deno.test("a session with damaged events goes on and says what it goes on without", async () => {
  await using project = await AgentProject.open({
    turns: [{ text: "A" }, { text: `B ${"long ".repeat(10_000)}` }, { text: "C" }],
  });
  for (const args of [["--session-id", ID], ["--resume", ID]]) await project.run(["-p", "go", ...args]);
  const file = `${appRootPaths(project.app_root).sessionDir(ID)}/runtime.sqlite`;
  const db = new DatabaseSync(file);
  const answers = db.prepare("SELECT seq FROM events WHERE type = 'model.answered' ORDER BY seq").all();
  db.prepare("UPDATE events SET payload = '{}' WHERE seq = ?").run(answers[0]?.["seq"] ?? 0);
  db.prepare("DELETE FROM blobs").run();
  db.close();
  const run = await project.run(["-p", "go on", "--resume", ID]);
  assert.deepEqual([run.code, run.stdout], [0, "C\n"], run.stderr);
  assert.match(
    run.stderr,
    /^lumina: The session goes on without 2 events .* event \d+ "model\.answered": .*\n$/,
  );
  assert.deepEqual(said(project, 2).at(-1), "go on");
});
