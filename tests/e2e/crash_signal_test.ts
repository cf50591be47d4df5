import assert from "node:assert/strict";
import type { StoredEvent } from "../../core/types/mod.ts";
import { AgentProject, payload, readRun, resultOf } from "../support/agent_project.ts";
import type { Line } from "../support/agent_project.ts";
import type { LuminaProcess } from "../support/run_lumina.ts";
import { onlyWhere } from "../support/skip.ts";

const STREAM = ["--output-format", "stream-json", "--permission-mode", "yolo"];
const SIGNALS = [["SIGINT", 130], ["SIGTERM", 143], ["SIGHUP", 143]] as const;

/** Milliseconds from a signal to the end of the process. */
async function endAfter(run: LuminaProcess, signal: Deno.Signal): Promise<number> {
  const sent = performance.now();
  run.kill(signal);
  await run.finished;
  return performance.now() - sent;
}

/** Waits for the first line that fits. */
async function until(lines: AsyncIterable<string>, fits: (line: Line) => boolean): Promise<void> {
  for await (const text of lines) if (fits(JSON.parse(text))) return;
  throw new Error("the run ended before that line");
}

/** True while a process with this id runs; one that waits for its parent to look at its end does not count. */
function alive(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(Deno.readTextFileSync(`/proc/${pid}/status`));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

const interruptions = (events: readonly StoredEvent[]) =>
  events.map((event) => event.type).filter((type) => type.includes("interrupted"));

for (const [signal, exit] of SIGNALS) {
  Deno.test(`${signal} during a stream: exit ${exit}, the partial message is kept, the next prompt continues`, async () => {
    await using project = await AgentProject.open({
      turns: [{ text: ["half an", " answer"], hold: { name: "never", after_frames: 4 } }, { text: "after" }],
    });
    const run = await project.start(["-p", "go", ...STREAM, "--include-partial-messages"]);
    await using _run = run;
    await run.closeInput();
    await until(run.lines(), (line) => line["event"]?.delta?.text === "half an");
    const took = await endAfter(run, signal);
    const ended = readRun(await run.finished);
    assert.equal(ended.code, exit);
    assert.ok(took < 1000, `${took} ms`);
    const [partial] = ended.lines.filter((line) => line["type"] === "assistant");
    assert.deepEqual([partial?.["aborted"], partial?.["message"].content[0].text], [true, "half an"]);
    const result = resultOf(ended.lines);
    assert.deepEqual([result["is_error"], result["terminal_reason"]], [true, "interrupted"]);
    assert.match(result["errors"][0], new RegExp(signal));

    const events = await project.journal(ended.session_id);
    assert.deepEqual(interruptions(events), ["run.step_interrupted", "run.interrupted"]);
    const failed = events.find((event) => event.type === "model.failed");
    assert.equal(payload(failed)["partial"].content[0].text, "half an");
    await project.provider.waitForEnd(1);
    assert.equal(project.provider.requests[0]?.outcome, "gone", "the request was given up");

    const again = await project.run(["-p", "and now?", "--continue"]);
    assert.deepEqual([again.code, again.stdout], [0, "after\n"], again.stderr);
    assert.match(JSON.stringify(project.provider.requests[1]?.body), /half an.*No complete answer/);
  });

  Deno.test({
    ...onlyWhere(
      `${signal} during sleep 300: the tree is gone within a second, exit ${exit}, and the next prompt continues`,
      Deno.build.os === "linux",
      "only Linux shows processes in /proc",
    ),
    async fn() {
      const command =
        "sh -c 'echo $$ > inner.pid; trap \"\" INT HUP; sleep 300' & echo $$ > outer.pid; sleep 300";
      await using project = await AgentProject.open({
        turns: [
          {
            text: "I wait",
            tool_calls: [
              { name: "List", input: {} },
              { name: "Bash", input: { command } },
              { name: "Bash", input: { command: "touch never" } },
            ],
          },
          { text: "after" },
        ],
      });
      const run = await project.start(["-p", "go", ...STREAM]);
      await using _run = run;
      await run.closeInput();
      const pids = await Promise.all(["inner.pid", "outer.pid"].map((name) => pidIn(project.dir.join(name))));
      for (const pid of pids) assert.ok(alive(pid));
      const took = await endAfter(run, signal);
      for (const pid of pids) assert.equal(alive(pid), false, "nothing of the tree is left");
      assert.ok(took < 1000, `${took} ms`);
      const ended = readRun(await run.finished);
      assert.equal(ended.code, exit, ended.stderr);
      await assert.rejects(Deno.stat(project.dir.join("never")), Deno.errors.NotFound);

      const events = await project.journal(ended.session_id);
      const kinds = interruptions(events);
      assert.equal(kinds.at(-1), "run.interrupted");
      const outcomes = events.filter((event) => /^tool\.(finished|interrupted)$/.test(event.type));
      assert.equal(outcomes.length, 3, "each call has one outcome");
      const skipped = outcomes.at(-1);
      assert.deepEqual([skipped?.type, payload(skipped)["unknown_outcome"]], ["tool.interrupted", false]);

      const again = await project.run(["-p", "and now?", "--continue"]);
      assert.deepEqual([again.code, again.stdout], [0, "after\n"], again.stderr);
      const request = project.provider.requests[1];
      assert.match(JSON.stringify(request?.body), /interrupted/i, "the model is told");
    },
  });
}

Deno.test("a second signal ends a run at once that still cleans up, and the session opens afterwards", async () => {
  await using project = await AgentProject.open({
    turns: [{ text: ["a", "b"], hold: { name: "never", after_frames: 4 } }, { text: "after" }],
  });
  const run = await project.start(["-p", "go", ...STREAM]);
  await using _run = run;
  await run.closeInput();
  await project.provider.waitForRequest(1);
  run.kill("SIGINT");
  run.kill("SIGINT");
  assert.equal((await run.finished).code, 130);
  const again = await project.run(["-p", "and now?", "--continue"]);
  assert.deepEqual([again.code, again.stdout], [0, "after\n"], again.stderr);
});

Deno.test("SIGINT while a retry waits ends the run at once", async () => {
  await using project = await AgentProject.open({
    turns: [{ fault: { http: "overloaded", retry_after: "100" } }],
  });
  const run = await project.start(["-p", "go", ...STREAM]);
  await using _run = run;
  await run.closeInput();
  await until(run.lines(), (line) => line["subtype"] === "api_retry");
  const took = await endAfter(run, "SIGINT");
  assert.equal((await run.finished).code, 130);
  assert.ok(took < 1000, `${took} ms`);
  assert.equal(project.provider.requests.length, 1);
});

Deno.test("SIGTERM ends a process that waits for prompts, and the prompts that wait behind a run never start", async () => {
  const formats = ["-p", "--input-format", "stream-json", ...STREAM];
  const message = `${JSON.stringify({ type: "user", message: { role: "user", content: "go" } })}\n`;
  await using project = await AgentProject.open({
    turns: [{ text: "one" }, { text: ["a", "b"], hold: { name: "never", after_frames: 4 } }, {
      text: "never",
    }],
  });
  const idle = await project.start(formats);
  await using _idle = idle;
  await idle.write(message);
  await until(idle.lines(), (line) => line["type"] === "result");
  idle.kill("SIGTERM");
  assert.equal((await idle.finished).code, 143);

  const busy = await project.start(formats);
  await using _busy = busy;
  await busy.write(message + message);
  await project.provider.waitForRequest(2);
  busy.kill("SIGTERM");
  const { code, stdout } = await busy.finished;
  assert.equal(code, 143);
  assert.equal(stdout.split("\n").filter((line) => line.includes('"type":"result"')).length, 1);
  assert.equal(project.provider.requests.length, 2);
});

/** The number in a file, as soon as it is there. */
async function pidIn(path: string): Promise<number> {
  while (true) {
    const text = await Deno.readTextFile(path).catch(() => ""); // not there yet
    if (text.endsWith("\n")) return Number(text);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
