import assert from "node:assert/strict";
import { AgentProject, toolResults } from "../support/agent_project.ts";
import { failed, processesWith, runCalls, succeeded } from "../support/run_calls.ts";
import { tempDir } from "../support/temp_dir.ts";
import type { TempDir } from "../support/temp_dir.ts";

const YOLO = { args: ["--yolo"] };

/** A number that no other command line holds. */
function mark(): string {
  return `7${crypto.getRandomValues(new Uint32Array(1))[0]!}`;
}

Deno.test("a command returns when its shell ends though a child keeps the pipe, and the child is told and can be ended", async () => {
  await using dir = await tempDir();
  const left = mark();
  const times: number[] = [];
  const alive: number[][] = [];
  const { results } = await runCalls(dir.path, [
    `(while :; do echo x; sleep .1; done; : ${left}) & echo done; sleep 0.06`,
    ["BashOutput", { shell_id: "sh_1" }],
    ["KillShell", { shell_id: "sh_1" }],
    `sleep ${left} & disown; setsid sleep ${left} > /dev/null 2>&1 < /dev/null & echo again; sleep 0.06`,
  ], {
    ...YOLO,
    before() {
      times.push(performance.now());
      alive.push(processesWith(left));
    },
  });
  const told =
    /^(?:x\n)*done\n[^]*\[still running after the shell ended: (\d+) .*KillShell ends it; output: .*\]$/
      .exec(
        succeeded(results[0]),
      );
  assert.ok(told !== null, results[0]?.content);
  assert.ok((times[1] ?? 0) - (times[0] ?? 0) < 20_000, "it does not wait for the child");
  assert.deepEqual(alive[1], [Number(told[1])], "the child lives on");
  assert.match(succeeded(results[1]), /^sh_1 ended after .*: Exit code 0; still running: \d+/);
  assert.match(succeeded(results[2]), /^sh_1 ended after .*: Killed/);
  assert.deepEqual(alive[3], [], "KillShell ends the child");
  assert.match(
    succeeded(results[3]),
    /\[still running after the shell ended: \d+ sleep 7\d+, \d+ sleep 7\d+/,
  );
  assert.equal(alive[4]?.length, 2);
  assert.deepEqual(processesWith(left), [], "nothing outlives the run");
});

Deno.test("a time limit ends the whole tree, whatever waits for whom, and keeps the output", async () => {
  await using dir = await tempDir();
  const doomed = mark();
  const times: number[] = [];
  const alive: number[][] = [];
  const { results } = await runCalls(dir.path, [
    ["Bash", {
      command:
        `mkfifo p; while :; do echo tick; sleep 0.1; done > p & sleep ${doomed} & setsid sleep ${doomed} &
        (trap '' TERM; sleep ${doomed}; sleep ${doomed}) & echo before; cat p`,
      timeout: 1000,
    }],
    "echo after",
  ], {
    ...YOLO,
    settings: { shell_on_timeout: "end" },
    before() {
      times.push(performance.now());
      alive.push(processesWith(doomed));
    },
  });
  assert.match(failed(results[0]), /^Timed out after 1 s; [^\n]* were ended\nbefore\ntick\n/);
  assert.deepEqual(alive[1], []);
  const ms = (times[1] ?? 0) - (times[0] ?? 0);
  assert.ok(ms >= 1000 && ms < 20_000, `${ms} ms`);
  assert.equal(succeeded(results[1]), "after");
});

Deno.test("a command without output gives its exit code, and a code that is an answer is no failure", async () => {
  await using dir = await tempDir();
  await dir.write("a.txt", "a\n");
  const { results } = await runCalls(dir.path, [
    "true",
    "false",
    "exec false",
    "(exit 7)",
    "lsof -i :1",
    "grep nothing a.txt",
    "no-such-program-here",
    "kill -9 $$",
    "false | true",
    "echo out; echo err >&2; exit 3",
  ], YOLO);
  const told = results.map(({ content, is_error }) => [content.replace(/\n[^]*/, ""), is_error]);
  assert.deepEqual(
    told,
    [
      ["(no output)", false],
      ["Exit code 1", true],
      ["Exit code 1", true],
      ["Exit code 7", true],
      ["Exit code 1", true],
      ["Exit code 1 (no match)", false],
      ["Exit code 127 (command not found)", true],
      ["Exit code 137 (killed by SIGKILL)", true],
      ["Exit code 1", true],
      ["Exit code 3", true],
    ].map((row, at) => at === 4 && !hasLsof() ? ["Exit code 127 (command not found)", true] : row),
  );
  for (const at of [1, 2, 3, 8]) assert.doesNotMatch(failed(results[at]), /\n/, "and nothing else");
  assert.equal(failed(results[9]), "Exit code 3\nout\nerr");
});

Deno.test("output that is no UTF-8 loses nothing: another code page is shown escaped, UTF-16 is read, raw bytes are kept", async () => {
  await using dir = await tempDir();
  await using root = await tempDir();
  const { results, lines } = await runCalls(dir.path, [
    "printf 'a\\xd6\\xd0b\\n'",
    "printf '\\x93\\xfa\\x96{\\n'",
    "printf 'ok \\xe4\\xb8\\xad\\n\\xff\\n'",
    "printf 'W\\0S\\0L\\0'",
    "printf '\\xff\\xfeW\\0S\\0L\\0\\x2d\\x4e\\n\\0'",
    "printf 'plain\\n'; printf 'W\\0S\\0L\\0\\n\\0'",
    "printf 'a\\0b\\033[2Jc'",
  ], { ...YOLO, app_root: root.path });
  const texts = results.map((result) => succeeded(result).replace(/\n\[not UTF-8[^]*/, ""));
  assert.deepEqual(texts.slice(0, 5), [
    "a\\xd6\\xd0b",
    "\\x93\\xfa\\x96{",
    "ok 中\n\\xff",
    "WSL",
    "WSL中",
  ]);
  assert.match(texts[5] ?? "", /^plain\nWSL/);
  assert.match(texts[6] ?? "", /^a.*b.*c$/);
  assert.doesNotMatch(JSON.stringify(lines), /\\u0000|\\u001b/, "neither NUL nor ESC gets out");
  const kept = /\[not UTF-8: bytes shown as \\xNN; raw bytes: (.*)\]$/.exec(succeeded(results[0]));
  assert.ok(kept !== null, results[0]?.content);
  assert.deepEqual([...await Deno.readFile(kept[1] ?? "")], [0x61, 0xd6, 0xd0, 0x62, 0x0a]);
  assert.match(succeeded(results[3]), /\[not UTF-8: utf-16le; raw bytes: /);
});

Deno.test("output in the code page that the locale declares is read in it", async () => {
  await using dir = await tempDir();
  const { results } = await runCalls(dir.path, ["printf '\\xd6\\xd0\\xce\\xc4\\n'; printf '中文\\n'"], {
    ...YOLO,
    env: { LANG: "zh_CN.GBK" },
  });
  assert.match(succeeded(results[0]), /^中文\n中文\n\[not UTF-8: gb18030; raw bytes: /);
});

Deno.test("heredocs of every kind reach the command as bash delivers them", async () => {
  await using dir = await tempDir();
  const heredocs: [string, string][] = [
    [
      "cat <<'E'\n$HOME `date` \\n $(touch owned)\n'quoted' \"too\"\nE",
      "$HOME `date` \\n $(touch owned)\n'quoted' \"too\"\n",
    ],
    ['cat <<"E"\n$HOME\nE', "$HOME\n"],
    ["cat <<\\E\n$HOME\nE", "$HOME\n"],
    ["x=5\ncat <<E\nx is $x, $((x + 1)), \\$x, $(echo sub)\nE", "x is 5, 6, $x, sub\n"],
    ["cat <<-E\n\tone\n\t\ttwo\n  three\n\tE", "one\ntwo\n  three\n"],
    ["cat <<-'E'\n\t$one\n\tE", "$one\n"],
    ["cat <<A - <<B\nfirst\nA\nsecond\nB", "second\n"],
    ["cat <<A; cat <<'B'\nfirst\nA\n$second\nB", "first\n$second\n"],
    ["cat <<A /dev/fd/3 3<<'B'\nfirst\nA\n$third\nB", "$third\n"],
    ["cat <<'END OF IT'\nEND\nEND OF IT", "END\n"],
    ["cat <<E | tr a-z A-Z\nlower\nE\necho next", "LOWER\nnext\n"],
    ["cat <<'E'\nE\n", ""],
    ['cat <<< "here  $((1 + 1))"', "here  2\n"],
    ["if true; then\n  cat <<'E'\nin a block\nE\nfi", "in a block\n"],
  ];
  const scripts = heredocs.map(([script], at) => `{ ${script}\n} > out${at}`);
  const { results, questions } = await runCalls(
    dir.path,
    [...scripts, ...heredocs.map(([script]) => script)],
    {
      ...YOLO,
      consent: () => true,
    },
  );
  // the grammar that lines are judged by knows one here-document a line: what it cannot take apart asks
  for (const { input, decision_reason } of questions) {
    assert.match(input["command"], /<<.*<</);
    assert.match(decision_reason, /cannot be judged/);
  }
  for (const [at, [script, wanted]] of heredocs.entries()) {
    succeeded(results[at]);
    assert.equal(await dir.read(`out${at}`), wanted, script);
    assert.equal(await plainBash(dir, script), wanted, `bash itself: ${script}`);
    assert.equal(succeeded(results[heredocs.length + at]), wanted.trimEnd() || "(no output)", script);
  }
  await assert.rejects(Deno.stat(dir.join("owned")), Deno.errors.NotFound);
});

/** A command that changes something without looking like it, and how to see that it ran. */
interface Hole {
  command: string;
  ran(dir: TempDir): Promise<boolean>;
}

function removes(command: string, path: string): Hole {
  return { command, ran: async (dir) => !await exists(dir.join(path)) };
}

function makes(command: string, path: string): Hole {
  return { command, ran: (dir) => exists(dir.join(path)) };
}

const HOLES: readonly Hole[] = [
  removes("env rm -rf v1", "v1"),
  removes("command rm -rf v2", "v2"),
  removes("echo `rm -rf v3`", "v3"),
  removes('echo "$(rm -rf v4)"', "v4"),
  removes("find . -name v5 -delete", "v5"),
  removes("find . -name v6 -exec rm {} \\;", "v6"),
  makes("awk 'BEGIN{system(\"touch m1\")}'", "m1"),
  makes("echo x>m2", "m2"),
  {
    command: "git config core.fsmonitor ./evil/ls",
    ran: async (dir) => (await dir.read(".git/config")).includes("fsmonitor"),
  },
  removes("git branch -D old", ".git/refs/heads/old"),
  removes("git stash drop", ".git/refs/stash"),
  makes("gh pr merge 1", "m_gh"),
  makes("npm audit fix", "m_npm"),
  makes("go test ./...", "m_go"),
  makes("cargo build", "m_cargo"),
  makes("PATH=$PWD/evil ls", "m_ls"),
  makes("NODE_OPTIONS=--require=./x.js node --version", "m_node"),
  makes("PYTHONPATH=evil python3 --version", "m_python3"),
  makes("echo one\ntouch m3\necho two", "m3"),
  makes("cat > m4 <<'E'\n$(touch never)\nE", "m4"),
  makes("cat > m5 <(echo x)", "m5"),
  makes("name=m6; touch ${name}", "m6"),
  makes('IFS=,; set -- a,b; touch "m7$1"', "m7a,b"),
  makes("sed -n 'w m8' seed", "m8"),
];

/** A repository with a branch and a stash to lose, and programs of its own in front of the machine's. */
async function holePlace(dir: TempDir, home: TempDir): Promise<Record<string, string>> {
  for (let at = 1; at <= 6; at++) await dir.write(`v${at}`, "");
  await dir.write("seed", "a\n");
  for (const name of ["gh", "npm", "go", "cargo", "node", "python3"]) {
    await program(dir, `bin/${name}`, `m_${name}`);
  }
  await program(dir, "evil/ls", "m_ls");
  const git = "git -c user.name=a -c user.email=a@b -c commit.gpgsign=false";
  await plainBash(
    dir,
    `git init -q -b main . && git add seed && ${git} commit -qm one && git branch old && echo b > seed &&
     ${git} stash -q && test -e .git/refs/stash`,
  );
  return {
    PATH: `${dir.join("bin")}:${Deno.env.get("PATH")}`,
    HOME: home.path,
    DENO_DIR: Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno`,
  };
}

async function program(dir: TempDir, path: string, makes: string): Promise<void> {
  await Deno.chmod(await dir.write(path, `#!/bin/bash\n: > '${dir.join(makes)}'\n`), 0o755);
}

Deno.test("commands that only look harmless are refused where nobody can be asked, and change nothing", async () => {
  await using dir = await tempDir();
  await using home = await tempDir();
  const env = await holePlace(dir, home);
  const { results, result } = await runCalls(dir.path, [
    ...HOLES.map(({ command }) => command),
    // and what is harmless runs without a question
    "sed 's/a/b/g' seed",
    "echo $(git rev-parse --abbrev-ref HEAD) ${UNSET:-none}",
    "cat <<E\none\ntwo\nE",
  ], { env });
  for (const [at, { command, ran }] of HOLES.entries()) {
    assert.match(
      failed(results[at]),
      /^Permission needed for Bash and nobody can be asked in this run: /,
      command,
    );
    assert.equal(await ran(dir), false, command);
  }
  const harmless = results.slice(HOLES.length).map((entry) => succeeded(entry));
  assert.deepEqual(harmless, ["b", "main none", "one\ntwo"]);
  const denied = result["permission_denials"].map((denial: { tool_input: { command: string } }) =>
    denial.tool_input.command
  );
  assert.deepEqual(denied, HOLES.map(({ command }) => command));
});

Deno.test("the same commands, several lines, substitutions and heredocs among them, run after consent", async () => {
  await using dir = await tempDir();
  await using home = await tempDir();
  const env = await holePlace(dir, home);
  const { results, questions, result } = await runCalls(dir.path, HOLES.map(({ command }) => command), {
    env,
    consent: () => true,
  });
  assert.deepEqual(questions.map(({ tool_name, input }) => [tool_name, input]), [
    ...HOLES.map(({ command }) => ["Bash", { command }]),
  ]);
  for (const [at, { command, ran }] of HOLES.entries()) {
    succeeded(results[at]);
    assert.equal(await ran(dir), true, command);
  }
  assert.equal(await dir.read("m4"), "$(touch never)\n");
  assert.equal(await exists(dir.join("never")), false);
  assert.equal(results[18]?.content, "one\ntwo");
  assert.deepEqual(result["permission_denials"], []);
});

Deno.test("a background command is read while it runs, and ended with all it started", async () => {
  await using dir = await tempDir();
  const tree = mark();
  const waiting =
    `echo first; until [ -e go ]; do sleep 0.02; done; echo second; sleep ${tree} & sleep ${tree}`;
  const look = { tool_calls: [{ name: "BashOutput", input: { shell_id: "sh_1" } }] };
  await using project = await AgentProject.open({
    turns: [
      { tool_calls: [{ name: "Bash", input: { command: waiting, run_in_background: true } }] },
      { ...look, match: "Started sh_1" },
      { tool_calls: [{ name: "Bash", input: { command: "touch go" } }], match: "first" },
      { ...look, match: "(no output)" },
      { tool_calls: [{ name: "KillShell", input: { shell_id: "sh_1" } }], match: "second" },
      { text: "ended", match: "Killed", hold: { name: "end" } },
      { ...look, match: "no new output", repeat: true },
    ],
  });
  await using run = await project.start(
    ["-p", "go", "--output-format", "stream-json", "--yolo"],
    { cwd: dir.path },
  );
  await run.closeInput();
  const told: string[] = [];
  for await (const line of run.lines()) {
    for (const { content } of toolResults([JSON.parse(line)])) {
      told.push(content);
      // two sleeps, and the shell whose command names them
      if (content.includes("\nsecond")) assert.ok(processesWith(tree).length >= 1);
      if (!content.includes("Killed")) continue;
      assert.deepEqual(processesWith(tree), []);
      project.provider.release("end");
    }
  }
  const { code, stderr } = await run.finished;
  assert.equal(code, 0, stderr + JSON.stringify(told));
  const first = told.find((text) => text.includes("\nfirst"));
  assert.match(first ?? "", /^sh_1 is running, .* so far\nfirst$/);
  const second = told.find((text) => text.includes("\nsecond"));
  assert.match(second ?? "", /^sh_1 is running, .* so far\nsecond$/, "only what is new");
  assert.match(told.at(-1) ?? "", /^sh_1 ended after .*: Killed; the command and all it started were ended/);
});

Deno.test("a background command has no time limit: it is still read after thirty seconds", async () => {
  await using dir = await tempDir();
  const { results } = await runCalls(dir.path, [
    ["Bash", {
      command: "echo begun; until [ -e go ]; do sleep 0.1; done; echo finished; : > over",
      run_in_background: true,
    }],
    ["Bash", { command: "until [ -e never ]; do sleep 0.2; done", timeout: 30_000 }],
    ["BashOutput", { shell_id: "sh_1" }],
    "touch go; until [ -e over ]; do sleep 0.02; done",
    ["BashOutput", { shell_id: "sh_1" }],
  ], { ...YOLO, settings: { shell_timeout_seconds: 10, shell_on_timeout: "end" } });
  assert.match(failed(results[1]), /^Timed out after 30 s/);
  assert.match(succeeded(results[2]), /^sh_1 is running, ([3-9]\d(\.\d)? s|\d+ min.*) so far\nbegun$/);
  assert.match(succeeded(results[4]), /\nfinished$/);
});

function hasLsof(): boolean {
  return new Deno.Command("bash", { args: ["-c", "command -v lsof"] }).outputSync().success;
}

async function exists(path: string): Promise<boolean> {
  try {
    await Deno.lstat(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** What bash prints for a script, without Lumina. */
async function plainBash(dir: TempDir, script: string): Promise<string> {
  const { stdout, stderr, success } = await new Deno.Command("bash", { args: ["-c", script], cwd: dir.path })
    .output();
  const decoder = new TextDecoder();
  assert.ok(success, decoder.decode(stderr));
  return decoder.decode(stdout);
}
