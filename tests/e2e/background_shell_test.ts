import assert from "node:assert/strict";
import { join } from "node:path";
import { AgentProject, readRun, toolResults, userLine } from "../support/agent_project.ts";
import type { Line } from "../support/agent_project.ts";
import { pidsWith } from "../fault/shell_harness.ts";

const STREAM = ["-p", "--yolo", "--input-format", "stream-json", "--output-format", "stream-json"];
const call = (name: string, input: Line) => ({ tool_calls: [{ name, input }] });
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** The conversation of a request as text. */
function asked(project: AgentProject, request: number): string {
  return JSON.stringify(project.provider.requests[request]?.body["messages"]);
}

Deno.test("a command that passes its limit goes on in the background, and the model is told when it ends, in a later run too", async () => {
  const command = "echo begun; until [ -e go ]; do sleep 0.05; done; echo finished; exit 3";
  await using project = await AgentProject.open({
    turns: [
      call("Bash", { command, timeout: 300 }),
      call("BashOutput", {}),
      { text: "it goes on" },
      // prompts follow until the end has been told
      ...Array.from({ length: 400 }, () => ({ text: "tick" })),
    ],
  });
  await using run = await project.start(STREAM);
  const lines: Line[] = [];
  const next = run.lines()[Symbol.asyncIterator]();
  const prompt = async (text: string) => {
    await run.write(`${JSON.stringify(userLine(text))}\n`);
    for (;;) {
      const { done, value } = await next.next();
      if (done) throw new Error(`it ended: ${JSON.stringify(lines)}`);
      lines.push(JSON.parse(value));
      if (lines.at(-1)?.["type"] === "result") return;
    }
  };
  await prompt("build");
  const [moved, list] = toolResults(lines);
  assert.match(
    moved?.content ?? "",
    /^Still running after 300 ms: it goes on in the background as sh_1 \(pid \d+\)[^\n]*\n[^]*\[output: /,
  );
  assert.ok(!moved?.is_error);
  assert.match(list?.content ?? "", /^sh_1: running: echo begun/);
  await Deno.writeTextFile(project.dir.join("go"), "");
  const told = () => asked(project, project.provider.requests.length - 1);
  for (let tick = 0; tick < 400 && !told().includes("sh_1 has ended"); tick++) {
    await pause(25);
    await prompt("and now?");
  }
  assert.match(
    told(),
    /Background shell sh_1 has ended \(exit code 3\): echo begun;.*It wrote last:\\nbegun\\nfinished/,
  );
  await run.closeInput();
  const { code, stderr, session_id } = readRun(await run.finished);
  assert.equal(code, 0, stderr);
  assert.doesNotMatch(stderr, /Ended with the session/);
  const events = (await project.journal(session_id)).filter(({ type }) => type.startsWith("tool.shell_"));
  assert.deepEqual(events.map(({ type, payload }) => [type, (payload as Line)["exit_code"]]), [
    ["tool.shell_started", undefined],
    ["tool.shell_ended", 3],
  ]);
});

Deno.test("background shells end with the session, which says so; a resumed one tells the model once that they are gone", async () => {
  await using project = await AgentProject.open({
    turns: [
      call("Bash", { command: "exec sleep 38217364", run_in_background: true }),
      { text: "started" },
      { text: "resumed" },
      call("Bash", { command: "true; sleep 0", run_in_background: true }),
      { text: "again" },
    ],
  });
  const first = await project.stream("serve", ["--yolo"]);
  assert.equal(first.code, 0, first.stderr);
  assert.match(first.stderr, /^lumina: Ended with the session: sh_1 \(exec sleep 38217364\)$/m);
  assert.deepEqual(await pidsWith("38217364"), []);
  await project.stream("and?", ["--yolo", "--continue"]);
  const gone = /Background shells of this session ended with the process[^"]*: sh_1 \(exec sleep 38217364\)/g;
  assert.equal(asked(project, 2).match(gone)?.length, 1);
  const third = await project.stream("and?", ["--yolo", "--continue"]);
  assert.equal(asked(project, 3).match(gone)?.length, 1, "what was told stays, and is not told again");
  assert.match(toolResults(third.lines)[0]?.content ?? "", /^Started sh_2 in the background/);
});

/** Programs that commands need, without a sandbox among them. */
async function pathWithoutSandbox(folder: string): Promise<string> {
  await Deno.mkdir(folder);
  for (const name of ["bash", "sleep", "setsid", "touch", "env"]) {
    await Deno.symlink(await Deno.realPath(`/usr/bin/${name}`), join(folder, name));
  }
  return folder;
}

const LEVELS = [
  { level: "guarded", args: ["--yolo"] },
  { level: "closed", args: ["--permission-mode", "auto"] },
  { level: "none", args: ["--yolo"] },
];
for (const { level, args } of LEVELS) {
  Deno.test({
    name: `kill -9 of the program ends every command with all it started: confinement ${level}`,
    ignore: Deno.build.os !== "linux",
    fn: async () => {
      const mark = `3${crypto.getRandomValues(new Uint32Array(1))[0]!}`;
      const tree = `sleep ${mark} & setsid sleep ${mark} & (setsid sleep ${mark} >/dev/null 2>&1 &); ` +
        `env -i /usr/bin/setsid /usr/bin/sleep ${mark} & `;
      await using project = await AgentProject.open({
        turns: [
          call("Bash", { command: `${tree} sleep ${mark}`, run_in_background: true }),
          call("Bash", { command: `${tree} trap '' TERM HUP; touch ready; sleep ${mark}; sleep ${mark}` }),
        ],
      });
      const env = level === "none" ? { PATH: await pathWithoutSandbox(`${project.app_root}-bin`) } : {};
      try {
        await using run = await project.start(["-p", "go", ...args], { env });
        const ended = run.finished.then(({ stdout, stderr }) => stdout + stderr);
        let over: string | undefined;
        void ended.then((text) => over = text);
        while ((await pidsWith(mark)).length < 10 || !await exists(project.dir.join("ready"))) {
          assert.equal(over, undefined, `the program ended by itself: ${over}`);
          await pause(20);
        }
        run.kill("SIGKILL");
        await ended;
        // bounded by the runner: what is not gone then is an orphan
        while ((await pidsWith(mark)).length > 0) await pause(20);
      } finally {
        if (level === "none") await Deno.remove(`${project.app_root}-bin`, { recursive: true });
      }
    },
  });
}

Deno.test({
  name:
    "a resume ends what is left of a session whose program and watcher were killed together, and nothing of another",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    const mark = `4${crypto.getRandomValues(new Uint32Array(1))[0]!}`;
    const command = `(setsid sleep ${mark} >/dev/null 2>&1 &); touch ready; sleep ${mark}; sleep ${mark}`;
    await using project = await AgentProject.open({
      turns: [call("Bash", { command }), { text: "again" }],
    });
    const env = { PATH: await pathWithoutSandbox(`${project.app_root}-bin`) };
    // of a session with the same id in another place
    const elsewhere = `LUMINA_SHELL=${crypto.randomUUID()}.1.session-${"0".repeat(32)}.`;
    const other = new Deno.Command("env", { args: [elsewhere, "sleep", "600"], stdin: "null" }).spawn();
    try {
      await using run = await project.start(["-p", "go", "--yolo"], { env });
      const ended = run.finished.then(({ stdout, stderr }) => stdout + stderr);
      let over: string | undefined;
      void ended.then((text) => over = text);
      const watchers = async () => {
        const scripts = await pidsWith("mark=$value");
        const parents = await Promise.all(scripts.map((pid) => parentOf(pid)));
        return scripts.filter((_, index) => parents[index] === run.pid);
      };
      while (
        (await pidsWith(mark)).length < 3 || !await exists(project.dir.join("ready")) ||
        (await watchers()).length === 0
      ) {
        assert.equal(over, undefined, `the program ended by itself: ${over}`);
        await pause(20);
      }
      for (const pid of await watchers()) Deno.kill(pid, "SIGKILL");
      run.kill("SIGKILL");
      await ended;
      assert.ok((await pidsWith(mark)).length > 0, "nobody is there to end it");
      const resumed = await project.run(["-p", "and?", "--yolo", "--continue"], { env });
      assert.equal(resumed.code, 0, resumed.stderr);
      assert.deepEqual(await pidsWith(mark), []);
      other.kill("SIGTERM");
      assert.equal((await other.status).signal, "SIGTERM", "it had been left alone");
    } finally {
      for (const pid of await pidsWith(mark)) Deno.kill(pid, "SIGKILL");
      await Deno.remove(`${project.app_root}-bin`, { recursive: true });
    }
  },
});

/** 0 for a process that is gone. */
async function parentOf(pid: number): Promise<number> {
  try {
    const stat = await Deno.readTextFile(`/proc/${pid}/stat`);
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return 0; // it has just ended
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await Deno.stat(path);
    return true;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    return false;
  }
}
