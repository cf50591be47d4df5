import assert from "node:assert/strict";
import { AgentProject, payload, resultOf } from "../support/agent_project.ts";
import type { Line } from "../support/agent_project.ts";

const ID = "5f3b8f4e-0c1d-4e2f-8a3b-112233445566";
const YOLO = ["--permission-mode", "yolo"];

/** The messages of a request, as they stood on the wire. */
function messages(project: AgentProject, n: number): Line[] {
  return project.provider.requests[n]?.body["messages"] as Line[];
}

/** The numbers of the messages of a session, by role. */
async function shown(project: AgentProject, id: string): Promise<Line> {
  const run = await project.run(["session", "show", id, "--json"]);
  assert.equal(run.code, 0, run.stderr);
  return JSON.parse(run.stdout);
}

async function fork(project: AgentProject, ...args: string[]): Promise<string> {
  const run = await project.run(["session", "fork", ...args]);
  assert.equal(run.code, 0, run.stderr);
  assert.match(run.stdout, /^[0-9a-f-]{36}\n$/);
  return run.stdout.trim();
}

Deno.test("a fork at any message sends exactly the beginning of the parent's requests, byte for byte, on both wires", async () => {
  for (const wire of ["anthropic", "openai_compatible"] as const) {
    await using project = await AgentProject.open({
      turns: [
        { text: "I look.", tool_calls: [{ name: "Bash", input: { command: "echo out; exit 3" } }] },
        { text: "first answer" },
        { text: `second answer ${"long ".repeat(8_000)}` }, // over the size of a blob
        { text: "third answer" },
        { text: "in the fork", repeat: true },
      ],
    });
    const options = { wire };
    const parent = await project.converse(["one", "two", "three"], ["--session-id", ID, ...YOLO], options);
    assert.equal(parent.code, 0, parent.stderr);
    const before = await project.journal(ID);
    const { messages: own } = await shown(project, ID);
    assert.deepEqual(own.map((message: Line) => [message["role"], message["text"].slice(0, 14)]), [
      ["user", "one"],
      ["assistant", "I look."],
      ["assistant", "first answer"],
      ["user", "two"],
      ["assistant", "second answer "],
      ["user", "three"],
      ["assistant", "third answer"],
    ]);
    const whole = messages(project, 3);
    const sent = async (...args: string[]) => {
      const id = await fork(project, ID, ...args);
      const run = await project.run(["-p", "on", "--resume", id, ...YOLO], options);
      assert.deepEqual([run.code, run.stdout], [0, "in the fork\n"], run.stderr);
      const request = project.provider.requests.at(-1)!;
      const { system, tools } = request.body;
      assert.deepEqual({ system, tools }, {
        system: project.provider.requests[3]?.body["system"],
        tools: project.provider.requests[3]?.body["tools"],
      });
      return { id, messages: request.body["messages"] as Line[] };
    };
    const bytes = (list: Line[]) => JSON.stringify(list).replaceAll(/,?"cache_control":\{[^}]*\}/g, "");
    // everything: the third answer is the only message that the parent's last request did not have
    const all = await sent();
    assert.equal(bytes(all.messages.slice(0, whole.length)), bytes(whole));
    assert.match(bytes(all.messages.slice(whole.length)), /third answer/);
    // an answer that called a tool stays with the result, and the open run is closed by an interrupted event
    const call = await sent("--at", String(own[1].number));
    const kept = messages(project, 1);
    assert.equal(bytes(call.messages.slice(0, kept.length)), bytes(kept));
    assert.match(bytes(call.messages.slice(kept.length)), /the session was forked here/);
    const types = (await project.journal(call.id)).map(({ type }) => type);
    assert.ok(types.indexOf("run.interrupted") > types.indexOf("tool.finished"));
    if (wire !== "anthropic") continue; // where a fork is cut has nothing to do with the wire
    // a prompt is taken back: the fork goes on with what was there before it
    const prompt = await sent("--at", String(own[5].number));
    assert.equal(bytes(prompt.messages.slice(0, -1)), bytes(whole.slice(0, -1)));
    // an answer stays
    const answer = await sent("--at", String(own[4].number));
    assert.equal(bytes(answer.messages.slice(0, -1)), bytes(whole.slice(0, -1)));
    const nothing = await sent("--at", String(own[0].number));
    assert.equal(nothing.messages.filter((message) => message["role"] === "user").length, 1);
    assert.deepEqual(await project.journal(ID), before, "the parent is as it was");
  }
});

Deno.test("a fork's journal begins with its own creation and the parent's events with their times; it verifies and forks again", async () => {
  await using project = await AgentProject.open({ turns: [{ text: "A" }, { text: "B" }] });
  await project.run(["-p", "first", "--session-id", ID]);
  const parent = await project.journal(ID);
  const made = await project.run(["session", "fork", ID, "--title", "another way", "--json"]);
  const told = JSON.parse(made.stdout) as Line;
  assert.deepEqual([told["parent_id"], told["parent_seq"], told["messages"], told["skipped"]], [
    ID,
    parent.at(-1)?.seq,
    2,
    [],
  ]);
  const id = told["session_id"] as string;
  const events = await project.journal(id);
  assert.deepEqual(events.slice(0, 2).map(({ type }) => type), ["session.created", "session.forked"]);
  assert.equal(payload(events[0])["session_id"], id);
  assert.deepEqual(payload(events[1]), { parent_id: ID, parent_seq: parent.at(-1)?.seq, message: null });
  const copied = parent.slice(1).map(({ type, ts, stream_id, payload }) => ({
    type,
    ts,
    stream_id,
    payload,
  }));
  assert.deepEqual(
    events.slice(2, -1).map(({ type, ts, stream_id, payload }) => ({ type, ts, stream_id, payload })),
    copied,
  );
  assert.equal(payload(events.at(-1))["title"], "another way");

  const second = await fork(
    project,
    id.slice(0, 8),
    "--at",
    `#${events.find(({ type }) => type === "model.answered")?.seq}`,
  );
  const tree = await project.run(["session", "tree", second]);
  assert.match(
    tree.stdout,
    new RegExp(
      `^${ID}  .* first\n\`-- ${id}  at event \\d+  .* another way\n    \`-- ${second}  at event \\d+  .*\n$`,
    ),
  );
  const [root] = JSON.parse((await project.run(["session", "tree", "--json"])).stdout) as Line[];
  assert.deepEqual([root?.["session_id"], root?.["forks"][0]["forks"][0]["session_id"]], [ID, second]);
  const list = await project.run(["session", "list"]);
  assert.match(list.stdout, new RegExp(`${id} .*fork of ${ID}`));
  assert.equal((await project.run(["-p", "on", "--resume", second])).stdout, "B\n");
});

Deno.test("--resume ID --fork-session goes on in a new session and leaves the old one as it was", async () => {
  await using project = await AgentProject.open({ turns: ["A", "B", "C"].map((text) => ({ text })) });
  await project.run(["-p", "first", "--session-id", ID]);
  const before = await project.journal(ID);
  const forked = await project.stream("second", ["--resume", ID, "--fork-session"]);
  assert.equal(resultOf(forked.lines)["result"], "B", forked.stderr);
  assert.notEqual(forked.session_id, ID);
  assert.match(JSON.stringify(messages(project, 1)), /first.*A.*second/);
  assert.deepEqual(await project.journal(ID), before);
  const named = "5f3b8f4e-0c1d-4e2f-8a3b-aaaaaaaaaaaa";
  const again = await project.stream("third", ["--continue", "--fork-session", "--session-id", named]);
  assert.deepEqual([again.session_id, resultOf(again.lines)["result"]], [named, "C"]);
  assert.match(JSON.stringify(messages(project, 2)), /second.*B.*third/, "the newest session was forked");
  const taken = await project.run(["-p", "x", "--resume", ID, "--fork-session", "--session-id", named]);
  assert.equal(taken.code, 5);
  const alone = await project.run(["-p", "x", "--fork-session"]);
  assert.deepEqual([alone.code, /--fork-session needs --resume/.test(alone.stderr)], [2, true]);
  const broken = await project.run(["-p", "x", "--resume", ID, "--fork-session", "--allowed-tools", "Bash("]);
  assert.equal(broken.code, 2, broken.stderr);
  const rows = JSON.parse((await project.run(["session", "list", "--json"])).stdout) as Line[];
  assert.equal(rows.length, 3, "a refused start leaves no fork");
});

Deno.test("a fork has its own copy of output that was too long for a result, and keeps it when the parent is deleted", async () => {
  await using project = await AgentProject.open({
    turns: [
      { tool_calls: [{ name: "Bash", input: { command: "seq 1 30000" } }] },
      { text: "ok" },
      { text: "goes on" },
    ],
  });
  await project.run(["-p", "go", "--session-id", ID, ...YOLO]);
  const results = async (id: string) =>
    (await project.journal(id)).filter(({ type }) => type === "tool.finished").map(payload);
  const [own] = await results(ID);
  const place = (own?.["data"] as Line)["output_file"] as string;
  const text = await Deno.readTextFile(place);
  const forked = await fork(project, ID);
  assert.deepEqual(await results(ID), [own], "the parent is only read");
  assert.equal((await project.run(["session", "delete", ID, "--yes"])).code, 0);
  const [copied] = await results(forked);
  const moved = place.replace(ID, forked);
  assert.deepEqual(copied, JSON.parse(JSON.stringify(own).replaceAll(place, moved)));
  assert.ok(String(copied?.["content"]).includes(moved));
  assert.equal(await Deno.readTextFile(moved), text);
  assert.equal((await project.run(["-p", "on", "--resume", forked])).stdout, "goes on\n");
  assert.ok(JSON.stringify(messages(project, 2)).includes(moved));
  assert.equal((await project.run(["session", "verify", forked])).code, 0);
});
