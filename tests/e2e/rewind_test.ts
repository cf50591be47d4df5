import assert from "node:assert/strict";
import { AgentProject } from "../support/agent_project.ts";
import type { AgentRun, Line } from "../support/agent_project.ts";
import type { JsonObject } from "../../core/types/mod.ts";

const bash = (command: string) => ({ tool_calls: [{ name: "Bash", input: { command } }] });
const write = (file_path: string, content: string) => ({
  tool_calls: [{ name: "Write", input: { file_path, content } }],
});
const edit = (old_string: string, new_string: string) => ({
  tool_calls: [{ name: "Edit", input: { file_path: "kept.txt", old_string, new_string } }],
});
const read = { tool_calls: [{ name: "Read", input: { file_path: "kept.txt" } }] };
const say = (text: string) => ({ text });

/** Changes of every kind by a command. */
const SHELL = "rm -r old; mkdir -p new/empty; mv moved.txt new/; chmod 700 tool.sh; ln -sfn tool.sh link; " +
  "rm kind; mkdir kind; echo inside > kind/file; printf x > $'bytes\\xff'; truncate -s 3 long.txt; rm .env";

async function prepare(project: AgentProject, git: boolean): Promise<void> {
  const script =
    "echo one > kept.txt; mkdir -p old/deep; echo gone > old/deep/a; echo m > moved.txt; echo t > tool.sh; " +
    "chmod 755 tool.sh; ln -s kept.txt link; echo k > kind; seq 1000 > long.txt; mkdir hollow; echo SECRET=1 > .env; " +
    (git
      ? "git init -q; printf '.env\\nnode_modules/\\n' > .gitignore; mkdir node_modules; echo dep > node_modules/d; " +
        "git add .; git -c user.name=n -c user.email=e commit -qm first; echo staged > staged; git add staged; " +
        "echo stashed >> kept.txt; git -c user.name=n -c user.email=e stash -q; git reset -q --soft HEAD"
      : "true");
  await shell(project, script);
}

async function shell(project: AgentProject, script: string): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command("bash", {
    args: ["-euc", script],
    cwd: project.dir.path,
    env: { GIT_CONFIG_GLOBAL: "/dev/null" },
  }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

/** The tree with types, modes, targets and contents, and what git has, byte for byte. */
async function tree(project: AgentProject): Promise<string> {
  return await shell(
    project,
    "find . -name .git -prune -o -printf '%p %y %m %l\\n' | LC_ALL=C sort; " +
      "find . -name .git -prune -o -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum; " +
      "test ! -d .git || find .git -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum",
  );
}

async function prompt(project: AgentProject, text: string, args: string[] = []): Promise<AgentRun> {
  const run = await project.stream(text, ["--permission-mode", "yolo", ...args]);
  assert.equal(run.code, 0, run.stderr);
  return run;
}

/** The numbers of the messages that a person sees, by role. */
async function messages(project: AgentProject, id: string): Promise<{ number: number; role: string }[]> {
  const { stdout, stderr, code } = await project.run(["session", "show", id, "--json"]);
  assert.equal(code, 0, stderr);
  const shown: Line = JSON.parse(stdout);
  return shown["messages"];
}

const rewind = (project: AgentProject, id: string, ...args: string[]) =>
  project.run(["session", "rewind", id, ...args], { cwd: project.app_root });

async function rewound(project: AgentProject, id: string, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await rewind(project, id, ...args);
  assert.equal(code, 0, stderr + stdout);
  return stdout;
}

function wireTexts(body: JsonObject): string {
  return JSON.stringify(body["messages"]);
}

for (const git of [true, false]) {
  Deno.test(`a rewind ${git ? "in" : "outside"} git gives back the files of any message, and the next request is cut`, async () => {
    await using project = await AgentProject.open({
      turns: [
        ...[read, edit("one", "two"), bash("ls; cat kept.txt"), say("edited")],
        ...[bash(SHELL), write("new/later.txt", "later"), say("moved")],
        ...[say("goes on")],
      ],
    });
    await prepare(project, git);
    const before = await tree(project);
    const first = await prompt(project, "first prompt");
    const middle = await tree(project);
    const id = first.session_id;
    await prompt(project, "second prompt", ["--resume", id]);
    const after = await tree(project);
    assert.notEqual(after, middle);

    const captures = (await project.journal(id)).filter(({ type }) => type === "checkpoint.captured");
    assert.deepEqual(
      captures.map(({ payload }) => (payload as JsonObject)["moment"]),
      ["write", "end", "command", "write", "end"],
      "the command that only reads was not captured for",
    );
    const [one, , , , answer, two] = await messages(project, id);
    assert.ok(one !== undefined && answer !== undefined && two !== undefined);

    const dry = await rewound(project, id, "--to", String(two.number), "--dry-run");
    assert.match(dry, /create {2}old\/deep\/a\n/);
    assert.match(dry, /To be taken back: \d+ paths in .*, 6 messages of the conversation\n$/);
    assert.equal(await tree(project), after, "a dry run changes nothing");

    await rewound(project, id, "--to", String(two.number), "--files");
    assert.equal(await tree(project), middle);
    await rewound(project, id, "--undo");
    assert.equal(await tree(project), after, "a rewind can be undone");
    await rewound(project, id, "--to", String(one.number), "--files");
    assert.equal(await tree(project), before);
    await rewound(project, id, "--to", String(answer.number), "--files");
    assert.equal(await tree(project), middle, "and a later message be gone to");
    await rewound(project, id, "--to", String(two.number), "--conversation");
    assert.equal(await tree(project), middle, "the conversation alone leaves the files");
    await prompt(project, "third prompt", ["--resume", id]);
    const sent = wireTexts(project.provider.requests.at(-1)!.body);
    assert.match(sent, /first prompt.*edited.*third prompt/);
    assert.doesNotMatch(sent, /second prompt|moved\.txt new|"moved"/);

    assert.match(await rewound(project, id, "--to", String(one.number)), /Taken back: /);
    assert.equal(await tree(project), before);
    assert.deepEqual(await messages(project, id), []);
    if (git) assert.match(await shell(project, "git stash list"), /stash@/);
  });
}

Deno.test("what a person changed is shown, and overwritten or kept only when somebody says so", async () => {
  await using project = await AgentProject.open({
    turns: [
      bash("echo agent > a.txt; echo agent > b.txt; rm c.txt"),
      say("one"),
      bash("echo more >> b.txt"),
      say("two"),
    ],
  });
  await shell(project, "echo start > a.txt; echo start > b.txt; echo start > c.txt");
  const { session_id: id } = await prompt(project, "first");
  await project.dir.write("a.txt", "between\n"); // between two runs
  await prompt(project, "second", ["--resume", id]);
  await project.dir.write("mine.txt", "mine\n"); // after the last
  const to = String((await messages(project, id))[0]!.number);

  const blocked = await rewind(project, id, "--to", to);
  assert.equal(blocked.code, 3, blocked.stderr);
  assert.match(
    blocked.stderr,
    /^lumina: Nothing was changed: 2 paths changed by something other .*--force.*--keep/,
  );
  assert.deepEqual(blocked.stdout.split("\n").filter((line) => line.startsWith("!")), [
    "! write   a.txt",
    "! delete  mine.txt",
  ]);
  assert.equal(await project.dir.read("b.txt"), "agent\nmore\n");

  const kept = JSON.parse(await rewound(project, id, "--to", to, "--files", "--keep", "--json"));
  assert.deepEqual(kept.kept.sort(), ["a.txt", "mine.txt"]);
  assert.equal(await project.dir.read("a.txt"), "between\n");
  assert.equal(await project.dir.read("b.txt"), "start\n");
  assert.equal(await project.dir.read("c.txt"), "start\n");
  assert.equal(await project.dir.read("mine.txt"), "mine\n");

  await rewound(project, id, "--to", to, "--force");
  assert.equal(await project.dir.read("a.txt"), "start\n");
  await assert.rejects(project.dir.read("mine.txt"), Deno.errors.NotFound);
  await rewound(project, id, "--undo");
  assert.equal(await project.dir.read("mine.txt"), "mine\n");
});

Deno.test("what cannot be rewound is one line that says why", async () => {
  await using project = await AgentProject.open({
    turns: [bash("echo x > a.txt"), say("one"), bash("echo y > a.txt"), say("two")],
  });
  const { session_id: id } = await prompt(project, "first");
  const to = String((await messages(project, id))[0]!.number);
  const fails = async (code: number, message: RegExp, ...args: string[]) => {
    const run = await project.run(["session", "rewind", ...args], { cwd: project.app_root });
    assert.equal(run.code, code, run.stderr + run.stdout);
    assert.match(run.stderr, message);
    assert.equal(run.stderr.trimEnd().split("\n").length, 1);
  };
  await fails(2, /Where to\? Give --to/, id);
  await fails(2, /must be the number of a message/, id, "--to", "first");
  await fails(4, /no message 99999/, id, "--to", "99999");
  await fails(4, /There is no session nobody/, "nobody", "--to", "1");
  await fails(4, /never taken back/, id, "--undo");
  await fails(2, /cannot be used with option '--keep'/, id, "--to", to, "--force", "--keep");

  const off = await prompt(project, "second", ["--resume", id]);
  assert.equal(off.stderr, "");
  await Deno.rename(project.dir.path, `${project.dir.path}-away`);
  try {
    await fails(4, /The folder .* no longer exists/, id, "--to", to);
    await rewound(project, id, "--to", to, "--conversation");
  } finally {
    await Deno.rename(`${project.dir.path}-away`, project.dir.path);
  }
});

Deno.test("rewind, rewind_max_file_bytes and rewind_max_store_bytes decide what is captured", async () => {
  await using project = await AgentProject.open({
    turns: [
      ...[bash("echo 1 > a.txt"), say("off")],
      ...[bash("echo 2 > a.txt; echo 2 > large.txt"), say("small")],
      ...[bash("echo 3 > a.txt"), say("full")],
    ],
  });
  await shell(project, "echo 0 > a.txt; seq 100000 > large.txt; head -c 3000000 /dev/urandom > noise.bin");
  const run = async (text: string, settings: Record<string, string>, args: string[] = []) => {
    const done = await project.stream(text, ["--permission-mode", "yolo", ...args], { settings });
    assert.equal(done.code, 0, done.stderr);
    return done;
  };
  const { session_id: id } = await run("one", { REWIND: "false" });
  await run("two", { REWIND_MAX_FILE_BYTES: "100000" }, ["--resume", id]);
  const full = await run("three", { REWIND_MAX_STORE_BYTES: "1000000" }, ["--resume", id]);
  assert.match(full.stderr, /cannot be rewound to: .* more than the 1000000 bytes .*rewind_max_store_bytes/);
  const events = (await project.journal(id)).filter(({ type }) => type === "checkpoint.captured")
    .map(({ payload }) => payload as JsonObject);
  assert.deepEqual(events.map(({ snapshot }) => snapshot === ""), [true, true, false, false, true, true]);
  assert.deepEqual(events[2]!["skipped"], ["large.txt", "noise.bin"].sort());
  const [one, , , two, , , three] = await messages(project, id);
  const off = await rewind(project, id, "--to", String(one!.number), "--force");
  assert.equal(off.code, 4, off.stderr);
  assert.match(off.stderr, /The files at message \d+ were not captured/);
  assert.equal((await rewind(project, id, "--to", String(three!.number), "--force")).code, 4);
  await rewound(project, id, "--to", String(two!.number), "--force");
  assert.equal(await project.dir.read("a.txt"), "1\n");
  assert.equal(await project.dir.read("large.txt"), "2\n", "what was too large is left alone");
});

Deno.test("an interrupted run is captured as it was left, and an open session is not rewound", async () => {
  await using project = await AgentProject.open({
    turns: [bash("echo done > a.txt"), bash("echo half > b.txt; echo started; sleep 100"), say("never")],
  });
  await shell(project, "echo start > a.txt");
  const args = ["-p", "first", "--permission-mode", "yolo", "--output-format", "stream-json"];
  await using run = await project.start(args);
  await run.closeInput();
  let id = "";
  for await (const text of run.lines()) {
    const line: Line = JSON.parse(text);
    id ||= line["session_id"] ?? "";
    if (line["type"] === "assistant" && text.includes("echo half")) break;
  }
  const half = () => Deno.stat(project.dir.join("b.txt")).then(() => true, () => false);
  while (!(await half())) await new Promise((resolve) => setTimeout(resolve, 5));
  const busy = await rewind(project, id, "--to", "1");
  assert.equal(busy.code, 5, busy.stderr);
  assert.equal(busy.stderr.trimEnd().split("\n").length, 1);
  run.kill("SIGINT");
  assert.equal((await run.finished).code, 130);
  const moments = (await project.journal(id)).filter(({ type }) => type === "checkpoint.captured")
    .map(({ payload }) => (payload as JsonObject)["moment"]);
  assert.deepEqual(moments, ["command", "command", "end"]);
  await rewound(project, id, "--to", String((await messages(project, id))[0]!.number));
  assert.equal(await project.dir.read("a.txt"), "start\n");
  assert.equal(await half(), false);
});
