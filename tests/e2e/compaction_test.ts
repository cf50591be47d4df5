import assert from "node:assert/strict";
import { AgentProject, payload } from "../support/agent_project.ts";

const SUMMARY = { match: "one JSON object a line", text: "THE SUMMARY", repeat: true } as const;

Deno.test("compaction_threshold and compaction_model: a conversation at its limit is summed up by that model before the next request", async () => {
  await using project = await AgentProject.open({
    turns: [SUMMARY, { text: "first answer", usage: { input: 45_000, output: 10 } }, {
      text: "second answer",
    }],
  });
  const settings = { CONTEXT_WINDOW: "100000", COMPACTION_THRESHOLD: "0.4", COMPACTION_MODEL: "sum-model" };
  const first = await project.stream("the first request", [], { settings });
  assert.equal(first.code, 0, first.stderr);
  const second = await project.stream("the second request", ["--continue"], { settings });
  assert.equal(second.code, 0, second.stderr);
  const bodies = project.provider.requests.map(({ body }) => body);
  assert.deepEqual(bodies.map(({ model }) => model), ["scripted-model", "sum-model", "scripted-model"]);
  const asked = JSON.stringify(bodies[2]?.["messages"]);
  for (const kept of ["the first request", "THE SUMMARY", "the second request"]) {
    assert.ok(asked.includes(kept), kept);
  }
  assert.equal(asked.includes("first answer"), false);
  const boundary = second.lines.find(({ subtype }) => subtype === "compact_boundary");
  assert.equal(boundary?.["compact_metadata"].trigger, "auto");
  const events = await project.journal(first.session_id);
  const used = events.filter((event) =>
    event.type === "usage.recorded" && payload(event)["chain"] === "compaction"
  );
  assert.equal(used.length, 1);
  const shown = await project.run(["session", "show", first.session_id]);
  assert.match(shown.stdout, /first answer/, "the conversation itself stays whole");
});

Deno.test("a request that the provider finds too long is compacted and made again; a rate limit that speaks of tokens is only tried again; /compact works at any size", async () => {
  await using project = await AgentProject.open({
    turns: [
      SUMMARY,
      { text: "first answer" },
      {
        fault: {
          http: {
            status: 429,
            body: {
              type: "error",
              error: { type: "rate_limit_error", message: "too many tokens per minute" },
            },
          },
          retry_after: "0",
        },
      },
      { fault: { http: "overflow" } },
      { text: "second answer" },
    ],
  });
  const first = await project.stream("the first request");
  assert.equal(first.code, 0, first.stderr);
  const second = await project.stream("the second request", ["--continue"]);
  assert.equal(second.code, 0, second.stdout);
  const { requests } = project.provider;
  const summaries = () => requests.filter(({ raw }) => raw.includes(SUMMARY.match)).map(({ n }) => n);
  assert.deepEqual(summaries(), [4], "asked, limited, too long, summed up");
  assert.equal(requests.length, 5);
  const compact = await project.run(["-p", "/compact focus on the names of files", "--continue"]);
  assert.equal(compact.code, 0, compact.stderr);
  assert.deepEqual(summaries(), [4, 6]);
  assert.match(requests[5]?.raw ?? "", /focus on the names of files/);
  const events = await project.journal(first.session_id);
  const triggers = events.filter(({ type }) => type === "session.compacted").map((event) =>
    payload(event)["trigger"]
  );
  assert.deepEqual(triggers, ["overflow", "manual"]);
});
