import assert from "node:assert/strict";
import { appRootPaths } from "../../core/app_root/mod.ts";
import { AgentProject } from "../support/agent_project.ts";

const ID = "aaaa1111-0c1d-4e2f-8a3b-112233445566";
const SECRET = "hunter2-canary-7731";

/** True when any file of the app root holds the text. */
async function holds(folder: string, text: string): Promise<string[]> {
  const found: string[] = [];
  for await (const entry of Deno.readDir(folder)) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory) found.push(...await holds(path, text));
    else if (entry.isFile) {
      const bytes = await Deno.readFile(path);
      if (new TextDecoder("latin1").decode(bytes).includes(text)) found.push(path);
    }
  }
  return found;
}

Deno.test("session redact forgets what an attempt that died had said, which is shown where its run ended", async () => {
  await using project = await AgentProject.open({
    turns: [{
      text: [`half ${SECRET} `, "and", " more"],
      fault: { cut_after_frames: 5, cut: "reset" },
      repeat: true,
    }],
  });
  const run = await project.run(["-p", "go", "--session-id", ID], { settings: { API_MAX_ATTEMPTS: "1" } });
  assert.equal(run.code, 1, run.stderr);
  const show = async () => (await project.run(["session", "show", ID, "--json"])).stdout;
  const [, answer] = JSON.parse(await show()).messages;
  assert.match(answer.text, new RegExp(SECRET));
  const args = ["session", "redact", ID, String(answer.number), "--reason", "a password", "--yes"];
  const done = await project.run(args);
  assert.deepEqual([done.code, done.stderr], [0, ""]);
  assert.doesNotMatch(await show(), new RegExp(SECRET));
  assert.deepEqual(await holds(project.app_root, SECRET), []);
});

Deno.test("session redact takes a prompt, an answer and its tools' output out of every file; the session verifies and goes on", async () => {
  await using project = await AgentProject.open({
    turns: [
      { text: `I will use ${SECRET}`, tool_calls: [{ name: "Bash", input: { command: `echo ${SECRET}` } }] },
      { text: "done" },
      { text: "still here", match: "go on" },
    ],
  });
  const yolo = ["--permission-mode", "yolo"];
  const first = await project.run(["-p", `the password is ${SECRET}`, "--session-id", ID, ...yolo]);
  assert.equal(first.code, 0, first.stderr);
  assert.equal((await project.run(["session", "search", SECRET])).code, 0); // the index holds it now
  const shown = JSON.parse((await project.run(["session", "show", ID, "--json"])).stdout);
  const numbers: number[] = shown.messages.map((message: { number: number }) => message.number);

  const asked = await project.run(["session", "redact", ID, String(numbers[0]), "--reason", "a password"]);
  assert.equal(asked.code, 3, "nobody can be asked");
  assert.match(asked.stderr, /^lumina: Nothing was redacted: [^\n]*--yes[^\n]*\n$/);
  const wrong = await project.run(["session", "redact", ID, "999", "--reason", "x", "--yes"]);
  assert.equal(wrong.code, 4);
  assert.match(wrong.stderr, /^lumina: [^\n]*no message 999[^\n]*\n$/);

  const words = numbers.slice(0, 2).map(String);
  const done = await project.run(["session", "redact", ID, ...words, "--reason", "a password", "--yes"]);
  assert.equal(done.code, 0, done.stderr);
  assert.equal(done.stdout, `${ID}: 4 events redacted\n`);
  assert.equal((await project.run(["session", "search", SECRET])).stdout.includes(SECRET), false);
  assert.deepEqual(await holds(appRootPaths(project.app_root).dataDir, SECRET), []);
  assert.deepEqual(await holds(project.app_root, SECRET), []);
  const verified = await project.run(["session", "verify", ID]);
  assert.equal(verified.code, 0, verified.stdout + verified.stderr);

  const next = await project.run(["-p", "go on", "--resume", ID, ...yolo]);
  assert.equal(next.code, 0, next.stderr);
  assert.equal(next.stdout, "still here\n");
  assert.equal(JSON.stringify(project.provider.requests.at(-1)).includes(SECRET), false);
});
