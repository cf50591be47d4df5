// Reports of other agents' session stores, by their row in the list of known bugs: 52 to 57 and 60. Rows 58 and 59 are
// about compaction, and so is half of 56: known_context_test.ts has them.
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { appRootPaths } from "../../core/app_root/mod.ts";
import { systemWorld } from "../../core/base/mod.ts";
import { openJournal } from "../../core/journal/mod.ts";
import { sessionEvents } from "../../core/session/mod.ts";
import { AgentProject, payload, resultOf } from "../support/agent_project.ts";
import type { Line } from "../support/agent_project.ts";
import { tempDir } from "../support/temp_dir.ts";

const ID = "0d9f6d1e-3b7a-4c58-8f21-99aabbccddee";
const YOLO = ["--permission-mode", "yolo"];
const RESUME = ["--resume", ID, ...YOLO];

function sessionDir(project: AgentProject): string {
  return appRootPaths(project.app_root).sessionDir(ID);
}

/** Changes the journal behind Lumina's back; gives the changed events. */
function tamper(project: AgentProject, sql: string): number {
  const db = new DatabaseSync(`${sessionDir(project)}/runtime.sqlite`);
  try {
    return Number(db.prepare(sql).run().changes);
  } finally {
    db.close();
  }
}

/** The messages of a request. */
function sent(project: AgentProject, n: number): Line[] {
  const request = project.provider.requests.at(n);
  assert.ok(request !== undefined, `request ${n}`);
  return request.body["messages"] as Line[];
}

/** The results in a request, in order. */
function results(project: AgentProject, n: number): Line[] {
  return sent(project, n).flatMap(({ content }) =>
    (content as Line[]).filter?.((block) => block["type"] === "tool_result") ?? []
  );
}

const three = {
  text: "three at once",
  tool_calls: ["a", "b", "c"].map((name) => ({ name: "Bash", input: { command: `echo ${name}` }, id: name })),
};

Deno.test("row 52: results whose call is lost are left out and named, and the session goes on", async () => {
  await using project = await AgentProject.open({ turns: [three, { text: "done" }, { text: "on" }] });
  await project.run(["-p", "go", "--session-id", ID, ...YOLO]);
  const first = "(SELECT min(seq) FROM events WHERE type = 'model.answered')";
  assert.equal(tamper(project, `UPDATE events SET payload = '{}' WHERE seq = ${first}`), 1);
  const run = await project.run(["-p", "go on", ...RESUME]);
  assert.deepEqual([run.code, run.stdout], [0, "on\n"], run.stderr);
  assert.match(run.stderr, /^lumina: The session goes on without \d+ events? that cannot be read, .*\n$/);
  assert.deepEqual(results(project, -1), []);
  assert.match(JSON.stringify(sent(project, -1)), /"done".*"go on"/);
});

Deno.test("rows 53 and 57: killed while it streams and cut at the end of its log, a session keeps what was committed", async () => {
  await using project = await AgentProject.open({
    turns: [
      { text: "kept answer" },
      { text: ["half of an ", "answer"], hold: { name: "never", after_frames: 4 } },
      { text: "on", repeat: true },
    ],
  });
  await project.run(["-p", "first", "--session-id", ID]);
  const run = await project.start(["-p", "second", "--output-format", "stream-json", ...RESUME]);
  await using _run = run;
  await run.closeInput();
  for await (const line of run.lines()) if (line.includes('"init"')) break;
  await project.provider.waitForRequest(2);
  run.kill("SIGKILL");
  await run.finished;

  const log = `${sessionDir(project)}/runtime.sqlite-wal`;
  const whole = await Deno.readFile(log);
  assert.ok(whole.length > 0, "what was committed last is in the log alone");
  await using copy = await tempDir();
  for (const name of ["runtime.sqlite", "runtime.sqlite-wal", "meta.json"]) {
    await Deno.copyFile(`${sessionDir(project)}/${name}`, copy.join(name));
  }
  for (const cut of [0, 1, 5_000]) {
    for (const name of ["runtime.sqlite", "runtime.sqlite-wal", "meta.json"]) {
      await Deno.copyFile(copy.join(name), `${sessionDir(project)}/${name}`);
    }
    await Deno.remove(`${sessionDir(project)}/runtime.sqlite-shm`).catch(() => {});
    await Deno.truncate(log, whole.length - cut);
    const resumed = await project.run(["-p", "third", ...RESUME]);
    if (resumed.code === 1) {
      assert.match(resumed.stderr, /^lumina: [^\n]* is damaged \([^\n]*lumina session repair[^\n]*\n$/);
      assert.ok(cut > 0, "nothing was missing");
      continue;
    }
    assert.deepEqual([resumed.code, resumed.stdout, resumed.stderr], [0, "on\n", ""], `cut ${cut}`);
    const messages = sent(project, -1);
    assert.deepEqual(messages.map(({ role }) => role).slice(0, 2), ["user", "assistant"]);
    const words = JSON.stringify(messages);
    assert.match(words, /"first".*"kept answer".*"third"/);
    if (cut === 0) assert.match(words, /\[No complete answer: the process ended before the run did\]/);
    assert.doesNotMatch(words, /half of an/, "what was only streamed is no answer");
  }
});

Deno.test("rows 54 and 55: line ends, NUL and escapes in an output are one record, and glued records are named", async () => {
  const command = String.raw`printf 'a\nb\r\nc\rd\0e\033[31mf\xe2\x80\xa8g\\n'`;
  await using project = await AgentProject.open({
    turns: [
      { tool_calls: [{ name: "Bash", input: { command } }] },
      { text: "done" },
      { text: "on" },
      { text: "on without" },
    ],
  });
  await project.run(["-p", "go", "--session-id", ID, ...YOLO]);
  const [output] = results(project, 1);
  assert.match(output?.["content"], /^a\nb\n.*d\\x00e/);
  assert.match(output?.["content"], /\u2028g\\n/);
  const resumed = await project.run(["-p", "on", ...RESUME]);
  assert.deepEqual([resumed.code, resumed.stdout, resumed.stderr], [0, "on\n", ""]);
  assert.deepEqual(results(project, -1), [output]);

  assert.equal(
    tamper(project, "UPDATE events SET payload = payload || payload WHERE type = 'tool.finished'"),
    1,
  );
  const run = await project.run(["-p", "on", ...RESUME]);
  assert.deepEqual([run.code, run.stdout], [0, "on without\n"], run.stderr);
  assert.match(run.stderr, /goes on without 1 event .* event \d+ "tool\.finished": the payload is damaged/);
  const [missing, ...more] = results(project, -1);
  assert.deepEqual([missing?.["is_error"], more], [true, []], "the call keeps one result");
  assert.match(missing?.["content"], /its result is missing from the journal.*outcome is unknown/);
});

Deno.test("row 56: a conversation is cut between pairs alone, and a result that comes later stays out of it", async () => {
  await using project = await AgentProject.open({
    turns: [three, { text: "done" }, { text: "on", repeat: true }],
  });
  await project.run(["-p", "go", "--session-id", ID, ...YOLO]);
  const events = await project.journal(ID);
  const asked = events.find((event) => event.type === "model.answered")!;
  const fork = await project.run(["session", "fork", ID, "--at", String(asked.seq)]);
  assert.equal(fork.code, 0, fork.stderr);
  const forked = await project.run(["-p", "on", "--resume", fork.stdout.trim(), ...YOLO]);
  assert.deepEqual([forked.code, forked.stdout], [0, "on\n"], forked.stderr);
  assert.deepEqual(
    results(project, -1).map((result) => result["tool_use_id"]),
    ["a", "b", "c"],
    "the calls keep their results",
  );

  const late = events.find((event) => event.type === "tool.finished")!;
  const known = sessionEvents.decode(late);
  assert.ok(known.known && known.event.type === "tool.finished");
  const journal = await openJournal(`${sessionDir(project)}/runtime.sqlite`, { world: systemWorld });
  const event = sessionEvents.encode("tool.finished", { ...known.event.payload, content: "too late" }, {
    run_id: late.run_id!,
  });
  await journal.append(late.stream_id, "any", [event]);
  await journal.close();
  const run = await project.run(["-p", "on", ...RESUME]);
  assert.deepEqual([run.code, run.stdout], [0, "on\n"], run.stderr);
  assert.match(run.stderr, /"tool\.finished": the call .* is not open/);
  assert.equal(results(project, -1).length, 3);
  assert.doesNotMatch(JSON.stringify(sent(project, -1)), /too late/);
});

Deno.test("row 60: --continue takes the session of this very directory, whatever its name shares with others", async () => {
  await using project = await AgentProject.open({ turns: ["A", "B", "C"].map((text) => ({ text })) });
  const [dot, underscore] = [project.dir.join("b.c"), project.dir.join("b_c")];
  await Deno.mkdir(dot);
  await Deno.mkdir(underscore);
  await project.run(["-p", "in b.c"], { cwd: dot });
  await project.run(["-p", "in b_c"], { cwd: underscore });
  const run = await project.run(["-p", "more", "-c"], { cwd: dot });
  assert.equal(run.stdout, "C\n", run.stderr);
  assert.match(JSON.stringify(sent(project, 2)), /in b\.c.*more/);
  assert.doesNotMatch(JSON.stringify(sent(project, 2)), /in b_c/);
});

Deno.test("a message with U+2028, NUL, half a character and 2 MB in one line is stored and resumed byte for byte", async () => {
  const odd = `a\u2028b\u2029c\u0000d\ud800e\u001b[31mf\u0085g\ufeff${"wide 字 ".repeat(250_000)}end`;
  assert.ok(new TextEncoder().encode(odd).length > 2_000_000);
  await using project = await AgentProject.open({
    turns: [
      { tool_calls: [{ name: "Bash", raw_arguments: String.raw`{"command":"echo '\ud800 \u2028'"}` }] },
      { text: "one" },
      { text: "two" },
    ],
  });
  const settings = { CONTEXT_WINDOW: "4000000" };
  const line = { type: "user", message: { role: "user", content: odd } };
  const first = await project.converse([line], ["--session-id", ID, ...YOLO], { settings });
  assert.equal(resultOf(first.lines)["result"], "one", first.stderr);
  const started = (await project.journal(ID)).find((event) => event.type === "run.started")!;
  assert.ok(payload(started)["prompt"] === odd, "every code unit is in the journal");
  const second = await project.run(["-p", "go on", ...RESUME], { settings });
  assert.deepEqual([second.code, second.stdout, second.stderr], [0, "two\n", ""]);
  const before = JSON.stringify(sent(project, 1));
  assert.ok(
    before.includes("a\u2028b\u2029c\\u0000d\ufffde"),
    "what is no Unicode goes to the model as U+FFFD",
  );
  const after = JSON.stringify(sent(project, 2));
  assert.ok(after.startsWith(before.slice(0, -1)), "the request extends the one before byte for byte");
});
