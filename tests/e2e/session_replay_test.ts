import assert from "node:assert/strict";
import { AgentProject, resultOf } from "../support/agent_project.ts";
import type { Line } from "../support/agent_project.ts";

const TURNS = [
  { match: "look", text: "I look.", tool_calls: [{ name: "Read", input: { file_path: "note.txt" } }] },
  { match: "first words", text: "It says first words." },
  { match: "write", tool_calls: [{ name: "Write", input: { file_path: "out.txt", content: "made" } }] },
  { match: "out.txt", text: "Written." },
];

/** What a live run and a replay must have in common: all but ids of lines, times, where a key came from, and what else there was. */
function comparable(lines: readonly Line[]): Line[] {
  return lines.map((line) => {
    const {
      uuid: _uuid,
      duration_ms: _duration,
      duration_api_ms: _api,
      ttft_ms: _ttft,
      apiKeySource: _source,
      plugins: _plugins,
      agents: _agents,
      skills: _skills,
      slash_commands: _commands,
      ...rest
    } = line;
    return rest;
  });
}

function parse(stdout: string): Line[] {
  return stdout.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
}

Deno.test("session replay prints what the live run printed; a recording answers in the model's place and is held against each request", async (t) => {
  await using project = await AgentProject.open({ turns: TURNS });
  await project.dir.write("note.txt", "first words\n");
  const yolo = ["--permission-mode", "yolo"];
  const live = await project.converse(["look at the note", "write the file"], yolo);
  assert.equal(live.code, 0, live.stderr);
  const id = live.session_id;
  assert.equal(await project.dir.read("out.txt"), "made");

  await t.step("stream-json gives the same lines", async () => {
    const played = await project.run([
      "session",
      "replay",
      id,
      "--instant",
      "--output-format",
      "stream-json",
    ]);
    assert.equal(played.code, 0, played.stderr);
    assert.deepEqual(comparable(parse(played.stdout)), comparable(live.lines));
  });

  await t.step(
    "text gives prompts and answers, --json the results; a beginning of the id is enough",
    async () => {
      const text = await project.run(["session", "replay", id.slice(0, 8), "--speed", "100000"]);
      assert.equal(text.stdout, "> look at the note\nIt says first words.\n> write the file\nWritten.\n");
      const json = parse((await project.run(["session", "replay", id, "--instant", "--json"])).stdout);
      assert.deepEqual(json.map((line) => line["result"]), ["It says first words.", "Written."]);
    },
  );

  await t.step("usage errors are one line", async () => {
    for (
      const [args, code, message] of [
        [["session", "replay", id, "--speed", "0"], 2, /above 0/],
        [["session", "replay", id, "--speed", "2", "--instant"], 2, /exclude each other/],
        [["session", "replay", "nothing-like-it"], 4, /There is no session/],
        [["session", "record", id, "-o", "missing/file"], 4, /there is no folder missing/],
        [["-p", "--provider", "replay", "--replay-file", "gone.jsonl"], 4, /there is no such file/],
        [["-p", "x", "--replay-file", "gone.jsonl"], 2, /--replay-file goes with --provider replay/],
      ] as const
    ) {
      const run = await project.run(args);
      assert.equal(run.code, code, `${args}: ${run.stderr}`);
      assert.match(run.stderr, message);
      assert.equal(run.stderr.trimEnd().split("\n").length, 1, run.stderr);
    }
  });

  const asked = project.provider.requests.length;
  await t.step(
    "the recording runs again without a model, in another folder; its tools act for real",
    async () => {
      const made = await project.run(["session", "record", id, "-o", "session.jsonl"]);
      assert.equal(made.code, 0, made.stderr);
      const again = await project.run(["session", "record", id, "-o", "session.jsonl"]);
      assert.equal(again.code, 5);
      assert.match(again.stderr, /session\.jsonl exists already: .*--force/);
      await project.dir.write("elsewhere/note.txt", "first words\n");
      const cwd = project.dir.join("elsewhere");
      const replayed = await project.run(
        ["-p", ...yolo, "--provider", "replay", "--replay-file", project.dir.join("session.jsonl")],
        { cwd },
      );
      assert.equal(replayed.code, 0, replayed.stderr);
      assert.equal(replayed.stdout, "It says first words.\nWritten.\n");
      assert.equal(await project.dir.read("elsewhere/out.txt"), "made");
      assert.equal(project.provider.requests.length, asked, "no model was asked");
    },
  );

  await t.step("the first request that differs ends the run with exit 1 and one line", async () => {
    await project.dir.write("elsewhere/note.txt", "other words\n");
    const cwd = project.dir.join("elsewhere");
    const differs = await project.run(["-p", ...yolo, "--provider", `replay:${id}`], { cwd });
    assert.equal(differs.code, 1);
    assert.match(
      differs.stderr,
      /^lumina: the recording of session \S+ was recorded with another request 2: they differ in message 3 \(user\), part 1, from character \d+: recorded ".*first words.*", now ".*other words/,
    );
    assert.equal(differs.stderr.trimEnd().split("\n").length, 1, differs.stderr);
    const prompt = await project.run(["-p", "look elsewhere", ...yolo, "--provider", `replay:${id}`], {
      cwd,
    });
    assert.equal(prompt.code, 1);
    assert.match(
      prompt.stderr,
      /request 1: they differ in message 1 \(user\), part 2, .*now "text: look elsewhere"/,
    );
  });

  await t.step("a replay under stricter permissions differs where the refusal shows", async () => {
    await project.dir.write("strict/note.txt", "first words\n");
    const refused = await project.run(["-p", "--provider", `replay:${id}`], {
      cwd: project.dir.join("strict"),
    });
    assert.equal(refused.code, 1);
    assert.match(
      refused.stderr,
      /request 4: they differ in message 7 .*now "failed result: Permission needed for Write/,
    );
  });
});

Deno.test("a recorded session goes on in the same place of its recording; failures fail again", async () => {
  await using project = await AgentProject.open({
    turns: [
      { match: "one", text: "first" },
      { match: "two", text: "cut", fault: { http: "bad_request" } },
      { match: "three", text: "third" },
    ],
  });
  const first = await project.stream("one");
  const id = first.session_id;
  const failed = await project.stream("two", ["--resume", id]);
  assert.equal(failed.code, 1);
  assert.equal((await project.stream("three", ["--resume", id])).code, 0);
  const recording = ["--provider", `replay:${id}`];

  const begun = await project.stream("one", recording);
  assert.equal(resultOf(begun.lines)["result"], "first");
  const again = await project.stream("two", ["--resume", begun.session_id, ...recording]);
  assert.equal(again.code, 1);
  assert.deepEqual(resultOf(again.lines)["errors"], resultOf(failed.lines)["errors"]);
  const third = await project.stream("three", ["--resume", begun.session_id, ...recording]);
  assert.equal(resultOf(third.lines)["result"], "third");

  const all = await project.run(["-p", "--output-format", "json", ...recording]);
  assert.equal(all.code, 0, all.stderr);
  assert.deepEqual(parse(all.stdout).map((line) => line["subtype"]), [
    "success",
    "error_during_execution",
    "success",
  ]);
});

Deno.test("a signal ends a replay at once with exit 130", async () => {
  await using project = await AgentProject.open({ turns: [{ text: "slow to come" }] });
  const { session_id } = await project.stream("wait for it");
  // one hundredth of the speed makes every pause one of two seconds
  await using replay = await project.start(["session", "replay", session_id, "--speed", "0.0001"]);
  for await (const line of replay.lines()) {
    assert.equal(line, "> wait for it");
    replay.kill("SIGINT");
    break;
  }
  assert.equal((await replay.finished).code, 130);
});

Deno.test("refusals, cut answers, retries, unknown tools and answers by a schema are replayed as the live run printed them", async () => {
  await using project = await AgentProject.open({
    turns: [
      {
        match: "refuse",
        text: "I write.",
        tool_calls: [{ name: "Write", input: { file_path: "a", content: "b" } }],
      },
      { match: "Permission needed", text: "It was refused." },
      { match: "long", text: "The first half", stop: "max_tokens" },
      { match: "cut off", text: " and the second." },
      {
        match: "both",
        tool_calls: [{ name: "Read", input: { file_path: "x" } }, { name: "Nonsense", input: {} }],
      },
      { match: "no tool", text: "One was there." },
      { match: "shaky", text: "This will be lost on the way", fault: { error_after_frames: 4 } },
      { match: "shaky", text: "This came through." },
      { match: "in form", text: "not so" },
      { match: "does not fit", text: '```json\n{"n": 1}\n```' },
    ],
  });
  await project.dir.write("x", "content\n");
  const live = await project.converse(["refuse this", "a long one", "both", "a shaky one"]);
  assert.equal(live.code, 0, live.stderr);
  const args = ["session", "replay", live.session_id, "--instant", "--output-format", "stream-json"];
  const played = await project.run(args);
  const steady = (lines: Line[]) =>
    comparable(lines).map((line) => {
      // an attempt that died has no id in the journal
      if (line["aborted"] === true) line["message"] = { ...line["message"], id: "" };
      return line;
    });
  assert.deepEqual(steady(parse(played.stdout)), steady(live.lines));
  assert.ok(live.lines.some((line) => line["aborted"] === true), "one attempt died visibly");

  const schema = JSON.stringify({ type: "object", required: ["n"] });
  const structured = await project.stream("in form", ["--json-schema", schema]);
  const again = await project.run(["session", "replay", structured.session_id, ...args.slice(3)]);
  assert.deepEqual(comparable(parse(again.stdout)), comparable(structured.lines));
  assert.deepEqual(resultOf(structured.lines)["structured_output"], { n: 1 });
});
