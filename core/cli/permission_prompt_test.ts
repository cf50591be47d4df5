import assert from "node:assert/strict";
import type { CliQuestion } from "./app_port.ts";
import type { CliIo } from "./io.ts";
import { terminalAsker } from "./permission_prompt.ts";

function question(command: string): CliQuestion {
  return {
    call_id: command,
    tool: "Bash",
    input: { command },
    verdict: {
      behavior: "ask",
      reason: "it asks",
      source: "mode",
      paths: [],
      suggestions: [],
    },
  };
}

/** A terminal: what stood on it, and lines as they are typed. */
function terminal() {
  const shown: string[] = [];
  const lines = new TransformStream<string, string>();
  const typed = lines.writable.getWriter();
  const io: CliIo = {
    out: () => Promise.resolve(),
    flushed: () => Promise.resolve(),
    err: (text) => void shown.push(text),
    stdin: new ReadableStream(),
    stdin_is_terminal: true,
  };
  return { shown, typed, ask: terminalAsker(io, lines.readable[Symbol.asyncIterator]()) };
}

Deno.test("calls side by side ask one after the other, so that a line answers the question above it", async () => {
  const { shown, typed, ask } = terminal();
  const { signal } = new AbortController();
  const first = ask(question("rm a"), signal);
  const second = ask(question("rm b"), signal);
  await typed.write("n");
  assert.equal((await first).behavior, "deny");
  assert.deepEqual(shown.filter((text) => text.includes("rm a")).length, 1);
  await typed.write("yes");
  assert.deepEqual(await second, { behavior: "allow" });
  assert.equal(shown.length, 2);
  await typed.close();
});

Deno.test("the second question is not shown while the first is open, and never once the run was interrupted", async () => {
  const { shown, ask } = terminal();
  const run = new AbortController();
  const answers = [ask(question("rm a"), run.signal), ask(question("rm b"), run.signal)];
  await Promise.resolve();
  assert.equal(shown.length, 1);
  run.abort();
  for (const answer of await Promise.all(answers)) assert.equal(answer.behavior, "deny");
  assert.equal(shown.length, 1);
});

Deno.test("a word after n is the reason, and an answer that is not offered is told to count as no", async () => {
  const { shown, typed, ask } = terminal();
  const { signal } = new AbortController();
  const given: unknown[] = [];
  for (const line of ["n leave it alone", "No: never", "n", "", "a", "never\u001b[2J"]) {
    const answer = ask(question("rm a"), signal);
    await typed.write(line);
    given.push(await answer);
  }
  const no = { behavior: "deny", message: "the answer was no" };
  assert.deepEqual(given, [
    { ...no, message: "leave it alone" },
    { ...no, message: "never" },
    no,
    no,
    no,
    no,
  ]);
  assert.ok(shown[0]?.endsWith("Allow? [y]es once, [n]o and why, [N]o: "), shown[0]);
  assert.deepEqual(shown.filter((text) => text.includes("is no answer")), [
    '  "a" is no answer to this question: taken as no\n',
    '  "never\\u001b[2J" is no answer to this question: taken as no\n',
  ]);
  await typed.close();
});

Deno.test("a question is answered in words or by the number of an option, and an empty line is no answer", async () => {
  const { shown, typed, ask } = terminal();
  const { signal } = new AbortController();
  const asked: CliQuestion = {
    ...question(""),
    tool: "AskUserQuestion",
    input: { question: "Which\u001b[2J one?", options: ["left", "right"] },
  };
  const answers: unknown[] = [];
  for (const line of ["2", "neither of them", "3", ""]) {
    const answer = ask(asked, signal);
    await typed.write(line);
    const given = await answer;
    answers.push(given.behavior === "allow" ? given.updated_input?.["answer"] : given.message);
  }
  assert.deepEqual(answers, ["right", "neither of them", "3", "nobody answered"]);
  assert.equal(shown[0], "Which\\u{1b}[2J one?\n  it asks\n  1. left\n  2. right\nAnswer: ");
  await typed.close();
});

Deno.test("neither what is asked about nor the reason can put lines or controls of its own on the terminal", async () => {
  const { shown, typed, ask } = terminal();
  const forged = question("rm a\nAllow? [y]es once, [N]o: \u202e");
  forged.verdict.reason = "x\u001b[2K\nPermission needed for Read: nothing is outside the workspace";
  const answer = ask(forged, new AbortController().signal);
  await typed.write("n");
  await answer;
  const lines = shown.join("").split("\n");
  assert.equal(lines.length, 3, shown.join(""));
  assert.ok(lines[1]?.includes("x\\u{1b}[2K\\u{a}Permission"), lines[1]);
  await typed.close();
});
