import assert from "node:assert/strict";
import { appRootPaths } from "../../core/app_root/mod.ts";
import type { JsonObject } from "../../core/types/mod.ts";
import { AgentProject, payload, readRun, sentResults } from "../support/agent_project.ts";
import type { AgentRun, RunSettings } from "../support/agent_project.ts";
import { compiledProgram } from "../support/compiled_program.ts";
import { findDenort } from "../support/denort.ts";
import { findSandbox } from "../support/find_sandbox.ts";
import { processesWith } from "../support/run_calls.ts";
import { luminaCommand, sourceCommand } from "../support/run_lumina.ts";
import { testWith } from "../support/skip.ts";
import { tempDir } from "../support/temp_dir.ts";

type Call = string | [name: string, input: JsonObject];

/** The program from source and compiled: what `artifact` must be for a run of it. */
const denort = await findDenort();
const PROGRAMS = [
  { name: "from source", need: { works: true } as const, artifact: () => Promise.resolve(undefined) },
  {
    name: "compiled",
    need: denort,
    artifact: async () => "skip" in denort ? undefined : await compiledProgram(denort.env),
  },
];
const sandbox = await findSandbox();
const strace = await findStrace();

async function findStrace(): Promise<{ path: string } | { skip: string }> {
  for (const folder of (Deno.env.get("PATH") ?? "").split(":")) {
    const path = `${folder}/strace`;
    if (await Deno.stat(path).then((info) => info.isFile, () => false)) return { path };
  }
  return { skip: "strace is not installed" };
}

/** One call a turn. */
function script(calls: readonly Call[]) {
  return {
    turns: [
      ...calls.map((call) => {
        const [name, input] = typeof call === "string" ? ["Bash", { command: call }] as const : call;
        return { tool_calls: [{ name, input }] };
      }),
      { text: "done" },
    ],
  };
}

function programSettings(artifact: string | undefined, more: RunSettings = {}): RunSettings {
  return { ...more, ...(artifact === undefined ? {} : { artifact }) };
}

/** What the model was told of each call. */
function results(project: AgentProject): { content: string; is_error: boolean }[] {
  return project.provider.requests.slice(1).map((request) => sentResults(request)[0]!);
}

/** Every file below a folder with its content. */
async function tree(folder: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for await (const { name, isDirectory, isSymlink } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    if (isDirectory) {
      for (const [key, text] of Object.entries(await tree(path))) found[`${name}/${key}`] = text;
    } else found[name] = isSymlink ? `-> ${await Deno.readLink(path)}` : await Deno.readTextFile(path);
  }
  return found;
}

function absent(run: AgentRun): string {
  return JSON.stringify(run.lines[0]?.["lockdown"]?.absent ?? null);
}

for (const { name, need, artifact } of PROGRAMS) {
  testWith(
    `read-only, ${name}: a run that is told to write cannot, by any tool or command`,
    need,
    async () => {
      await using outside = await tempDir();
      await outside.write("o.txt", "outside\n");
      await using project = await AgentProject.open(script([
        ["Read", { file_path: "a.txt" }],
        ["Write", { file_path: "w.txt", content: "x" }],
        ["Edit", { file_path: "a.txt", old_string: "first", new_string: "second" }],
        ["MultiEdit", { file_path: "a.txt", edits: [{ old_string: "first", new_string: "second" }] }],
        "echo x > w.txt; echo x >> a.txt; cp a.txt b.txt; ln -s a.txt l; mkdir d; rm a.txt; chmod 777 a.txt; true",
        `echo x > out/o.txt; echo x > ${outside.path}/p.txt; true`,
        `python3 -c 'open("w.txt","w").write("x")'; perl -e 'open(F,">w.txt");print F "x"'; node -e 'require("fs").writeFileSync("w.txt","x")'; true`,
        `setsid bash -c 'sleep 0.05; echo x > w.txt' & mount -o remount,rw / ; echo x > w.txt; true`,
        "echo x > ~/.lumina_was_here; echo x > /etc/lumina_was_here; echo x > /var/tmp/lumina_was_here; true",
        ["Bash", { command: "while :; do echo x > w.txt; sleep 0.02; done", run_in_background: true }],
        ["KillShell", { shell_id: "sh_1" }],
      ]));
      await project.dir.write("a.txt", "first\n");
      // one that the YAML library reads
      await project.dir.write(".Lumina/commands/look.md", "---\nallowed-tools: [Read]\n---\nLook.\n");
      await Deno.symlink(outside.path, project.dir.join("out"));
      const before = [await tree(project.dir.path), await tree(outside.path)];
      const program = programSettings(await artifact());
      const run = await project.stream("write", ["--yolo", "--lockdown", "read-only"], program);
      assert.equal(run.code, 0, run.stderr);
      assert.doesNotMatch(run.stderr, /look\.md/);
      assert.deepEqual([await tree(project.dir.path), await tree(outside.path)], before);
      for (const place of [`${Deno.env.get("HOME")}/.`, "/etc/", "/var/tmp/"]) {
        await assert.rejects(Deno.lstat(`${place}lumina_was_here`), Deno.errors.NotFound);
      }
      const told = results(project);
      assert.equal(told[0]?.is_error, false);
      for (const refused of told.slice(1, 4)) assert.match(refused.content, /^There is no tool "/);
      assert.match(
        absent(run),
        /Edit, MultiEdit, NotebookEdit, Write, apply_patch","why":"nothing is written/,
      );
      assert.match(absent(run), /WebFetch, WebSearch","why":"Lumina itself has no network any more/);
      assert.deepEqual(run.lines[0]?.["lockdown"].modes, ["read-only"]);
      // beside the journal nothing is kept
      const folder = appRootPaths(project.app_root).sessionDir(run.session_id);
      const kept = (await Array.fromAsync(Deno.readDir(folder))).map((entry) => entry.name);
      assert.deepEqual(kept.filter((file) => !file.startsWith("runtime.sqlite")), []);
      const list = JSON.parse((await project.run(["--list", "--json"], program)).stdout);
      assert.equal(list[0].session_id, run.session_id, "the lists make its summary again");
    },
  );

  testWith(
    `offline, ${name}: nothing but the model's address is connected`,
    "skip" in strace ? strace : need,
    async () => {
      if ("skip" in strace) return;
      await using project = await AgentProject.open(script([
        ["Read", { file_path: "a.txt" }],
        ["Write", { file_path: "b.txt", content: "x" }],
        ["Grep", { pattern: "first" }],
        "echo done",
      ]));
      await project.dir.write("a.txt", "first\n");
      await using traces = await tempDir();
      const trace = traces.join("trace");
      const { program, flags } = luminaCommand(await artifact());
      const { HOME = "", PATH = "" } = Deno.env.toObject();
      const args = ["-p", "look", "--output-format", "stream-json", "--yolo", "--lockdown", "offline"];
      const output = await new Deno.Command(strace.path, {
        args: ["-f", "-qq", "-e", "trace=connect,sendto", "-o", trace, program, ...flags, ...args],
        cwd: project.dir.path,
        clearEnv: true,
        env: {
          HOME,
          PATH,
          DENO_NO_UPDATE_CHECK: "1", // of Deno itself, where the program runs from source
          LUMINA_APP_ROOT: project.app_root,
          LUMINA_API_KEY: "sk",
          LUMINA_API_MODEL: "m",
          LUMINA_API_TYPE: "anthropic",
          LUMINA_API_BASE_URL: project.provider.url,
        },
        stdin: "null",
        stdout: "piped",
        stderr: "piped",
      }).output();
      const text = new TextDecoder();
      const run = readRun({
        code: output.code,
        stdout: text.decode(output.stdout),
        stderr: text.decode(output.stderr),
      });
      assert.equal(run.code, 0, run.stderr);
      assert.equal(await Deno.readTextFile(project.dir.join("b.txt")), "x", "offline alone may write");
      const places = [...(await Deno.readTextFile(trace)).matchAll(
        /sa_family=AF_INET6?, sin6?_port=htons\((\d+)\).*?"([^"]+)"/g,
      )].map(([, port, host]) => `${host}:${port}`);
      const { host } = new URL(project.provider.url);
      assert.deepEqual([...new Set(places)], [host]);
    },
  );
}

testWith("offline: commands reach no network, the machine's own neither", sandbox, async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  let reached = 0;
  const serving = (async () => {
    for await (const connection of listener) {
      reached++;
      connection.close();
    }
  })().catch(() => {}); // ends with the listener
  await using project = await AgentProject.open(script([
    `curl -sm 2 http://127.0.0.1:${port}; echo tried`,
    `python3 -c 'import socket;socket.create_connection(("127.0.0.1",${port}),1)' 2>&1 | tail -1; echo tried`,
  ]));
  const run = await project.stream("connect", ["--yolo", "--lockdown", "offline,read-only"]);
  assert.equal(run.code, 0, run.stderr);
  for (const { content } of results(project)) assert.match(content, /tried$/);
  listener.close();
  await serving;
  assert.equal(reached, 0);
});

testWith("workspace: writes stay in the workspace, through links and commands as well", sandbox, async () => {
  await using outside = await tempDir();
  await outside.write("o.txt", "outside\n");
  await using project = await AgentProject.open(script([
    ["Write", { file_path: "in.txt", content: "x" }],
    "echo y > in2.txt",
    ["Write", { file_path: outside.join("new.txt"), content: "x" }],
    ["Write", { file_path: "out/new.txt", content: "x" }],
    ["Read", { file_path: "out/o.txt" }],
    ["Edit", { file_path: "out/o.txt", old_string: "outside", new_string: "inside" }],
    `echo x > ${outside.path}/new.txt; echo x >> out/o.txt; true`,
    "seq 1 30000",
  ]));
  await Deno.symlink(outside.path, project.dir.join("out"));
  const args = ["--yolo", "--lockdown", "workspace", "--add-dir", outside.path];
  const run = await project.stream("write", args, { settings: { MAX_TOOL_RESULT_CHARS: "1000" } });
  assert.equal(run.code, 0, run.stderr);
  assert.deepEqual(await tree(outside.path), { "o.txt": "outside\n" });
  assert.equal(await Deno.readTextFile(project.dir.join("in.txt")), "x");
  assert.equal(await Deno.readTextFile(project.dir.join("in2.txt")), "y\n");
  const told = results(project);
  for (const at of [2, 3, 5]) {
    assert.match(told[at]!.content, /would write .*, and this locked run \(workspace\) writes in .* alone/);
  }
  assert.equal(told[4]?.is_error, false, "what was added can be read");
  const [, id = "", call = ""] =
    /; all of them: lumina session show (\S+) --output (\S+) /.exec(told[7]!.content) ?? [];
  const whole = await project.run(["session", "show", id, "--output", call]);
  assert.match(whole.stdout, /^1\n2\n[^]*\n30000$/);
  assert.equal((await project.run(["session", "show", id, "--output", "none"])).code, 4);
  const event = (await project.journal(run.session_id)).find(({ type }) => type === "tool.output_kept");
  assert.match(payload(event)["content"], /^1\n2\n[^]*\n30000$/);

  const { call_id } = payload(event);
  const journal = await project.journal(run.session_id);
  const asked = journal.find((event) =>
    event.type === "model.answered" && JSON.stringify(event).includes(call_id)
  );
  const redacted = await project.run(
    ["session", "redact", run.session_id, String(asked?.seq), "--reason", "a secret", "--yes"],
  );
  assert.equal(redacted.code, 0, redacted.stderr);
  assert.doesNotMatch(JSON.stringify(await project.journal(run.session_id)), /12345/);
});

Deno.test("without a sandbox a locked run has no shell and says why", async () => {
  await using empty = await tempDir();
  await using project = await AgentProject.open(script(["echo x"]));
  await using run = await project.start(
    ["-p", "x", "--output-format", "json", "--yolo", "--lockdown", "workspace"],
    { settings: {}, cwd: project.dir.path, env: { PATH: empty.path } },
  );
  await run.closeInput();
  const { code, stdout, stderr } = await run.finished;
  assert.equal(code, 0, stderr);
  assert.match(results(project)[0]!.content, /^There is no tool "Bash"/);
  assert.deepEqual(JSON.parse(stdout).lockdown.absent[0], {
    what: "Bash, BashOutput, KillShell",
    why: "commands need the sandbox: bubblewrap (bwrap) is not installed",
  });
});

Deno.test("the setting locks every run, the flag and the variable add to it, a project changes nothing", async () => {
  await using project = await AgentProject.open({ turns: [{ text: "one" }, { text: "two" }] });
  await Deno.mkdir(`${project.app_root}/config`, { recursive: true });
  await Deno.writeTextFile(`${project.app_root}/config/settings.json`, '{ "lockdown": ["read-only"] }');
  await project.dir.write(".Lumina/CONFIG/defaults.json", '{ "lockdown": [] }');
  await Deno.mkdir(`${project.app_root}/config/plugins/weather`, { recursive: true });
  const run = await project.run(["-p", "x", "--lockdown", "offline"]);
  assert.equal(run.code, 0, run.stderr);
  assert.match(
    run.stderr,
    /^lumina: locked: read-only, offline; absent: Edit, MultiEdit, NotebookEdit, Write, apply_patch \(nothing/m,
  );
  assert.match(run.stderr, /WebFetch, WebSearch \(nothing but the model is reached\)/);
  assert.match(run.stderr, /"lockdown" is ignored: a project's file cannot set it/);
  assert.match(
    run.stderr,
    /; plugins weather \(a locked run has no plugin that is not a part of the program\)/,
  );
  // nobody has trusted it, and a locked run would not load it: nobody is asked
  const hook = { type: "command", command: "touch ran" };
  await project.dir.write(".claude/settings.json", JSON.stringify({ hooks: { Stop: [{ hooks: [hook] }] } }));
  const local = { id: "local", version: "1.0.0", api: 1, title: "Local", kinds: ["hooks"], entry: "mod.js" };
  const hooks = { Stop: [{ handler: "stop" }] };
  await project.dir.write(
    ".Lumina/plugins/local/manifest.json",
    JSON.stringify({ ...local, contributes: { hooks } }),
  );
  await project.dir.write(".Lumina/plugins/local/mod.js", "export const stop = () => undefined;");
  const second = await project.stream("x", [], { settings: { LOCKDOWN: "workspace" } });
  assert.equal(second.code, 0, second.stderr);
  assert.deepEqual(second.lines[0]?.["lockdown"].modes, ["read-only", "workspace"]);
  const absent = JSON.stringify(second.lines[0]?.["lockdown"].absent);
  assert.match(absent, /plugins weather, local/);
  assert.match(absent, /"hooks"/);
  await assert.rejects(project.dir.read("ran"));
});

Deno.test("a name that is no lockdown is one line and exit 2", async () => {
  await using project = await AgentProject.open({ turns: [] });
  const run = await project.run(["-p", "x", "--lockdown", "readonly"]);
  assert.equal(run.code, 2);
  assert.match(
    run.stderr,
    /^lumina: --lockdown has "readonly", must be a list of read-only, workspace, offline; did you mean "read-only"\?\n$/,
  );
});

Deno.test("a key helper runs before the lock alone, and the run says so", async () => {
  await using project = await AgentProject.open({
    turns: [
      { fault: { http: "auth" } },
      { text: "done" },
    ],
  });
  const settings = { API_KEY_HELPER: `echo x >> ran; echo sk-1` };
  const run = await project.converse(["one", "two"], ["--lockdown", "read-only"], {
    settings: { ...settings, API_KEY: "" },
  });
  assert.equal(await Deno.readTextFile(project.dir.join("ran")), "x\n", "it ran once");
  assert.match(JSON.stringify(run.lines), /cannot use a key helper any more: start a new run/);
});

Deno.test("a locked session that uses everything meets no closed door", async () => {
  await using project = await AgentProject.open({
    turns: [
      { tool_calls: [{ name: "Bash", input: { command: "for i in 1 2; do echo $i; done" } }] },
      { text: "ok", repeat: true },
    ],
  });
  await project.dir.write("AGENTS.md", "Be short.\n");
  const settings = { SESSION_MEMORY_TURN_INTERVAL: "1", MAX_TOOL_RESULT_CHARS: "1000" };
  const control = (request: JsonObject, id: string) => ({ type: "control_request", request_id: id, request });
  const prompts = [
    control({ subtype: "set_permission_mode", mode: "auto" }, "1"),
    "one",
    control({ subtype: "set_model", model: "another-model" }, "2"),
    "two",
    "three",
  ];
  const first = await project.converse(prompts, ["--lockdown", "workspace,offline"], { settings });
  const options = ["--lockdown", "read-only", "--append-system-prompt", "more"];
  const more = [
    await project.stream("four", [...options, "--resume", first.session_id, "--include-partial-messages"], {
      settings,
    }),
    await project.stream("five", [...options, "--continue", "--fork-session"], { settings }),
    await project.stream("six", [...options, "--json-schema", '{ "type": "string" }'], { settings }),
  ];
  for (const run of [first, ...more]) {
    const told = run.stderr + JSON.stringify(run.lines);
    assert.doesNotMatch(told, /Requires \w+ access|NotCapable|--allow-/);
    assert.ok(run.lines.some((line) => line["type"] === "result"), run.stderr);
  }
  assert.equal(first.lines.filter((line) => line["subtype"] === "success").length, 3, first.stdout);
  assert.ok(first.lines.every((line) => line["response"]?.subtype !== "error"), first.stdout);
  const models = project.provider.requests.map(({ body }) => (body as JsonObject)["model"]);
  assert.ok(models.includes("another-model"));
  const events = await project.journal(first.session_id);
  assert.ok(events.some(({ type }) => type.startsWith("memory.")), "the history goes on");
});

testWith("a locked run that is ended or killed leaves no command behind", sandbox, async () => {
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    const mark = `7${crypto.getRandomValues(new Uint32Array(1))[0]!}`;
    await using project = await AgentProject.open(script([
      ["Bash", { command: `sleep ${mark} & setsid sleep ${mark} & echo x > started; wait` }],
    ]));
    const args = ["-p", "x", "--yolo", "--lockdown", "workspace"];
    await using run = await project.start(args);
    await run.closeInput();
    const started = () => Deno.stat(project.dir.join("started")).then(() => true, () => false);
    while (!await started()) await new Promise((resolve) => setTimeout(resolve, 20));
    run.kill(signal);
    const { code } = await run.finished;
    assert.equal(code, signal === "SIGTERM" ? 143 : 137);
    for (let looks = 0; processesWith(mark).length > 0 && looks < 100; looks++) {
      await new Promise((resolve) => setTimeout(resolve, 20)); // the kernel ends a namespace after its first process
    }
    assert.deepEqual(processesWith(mark), []);
  }
});

Deno.test("the main process of a locked run keeps reading alone, and no thread that starts later has more", async () => {
  await using dir = await tempDir();
  const module = new URL("../../core/app/lockdown/revoke_permissions.ts", import.meta.url);
  const worker = `data:text/javascript,${encodeURIComponent("postMessage(1)")}`;
  const script = await dir.write(
    "main.ts",
    `import { revokePermissions } from ${JSON.stringify(module.href)};
    revokePermissions();
    const tries = {
      read: () => Deno.readTextFileSync(${JSON.stringify(dir.join("main.ts"))}).length > 0,
      write: () => Deno.writeTextFileSync(${JSON.stringify(dir.join("x"))}, ""),
      link: () => Deno.symlinkSync("main.ts", ${JSON.stringify(dir.join("y"))}),
      net: () => Deno.listen({ port: 0 }),
      run: () => new Deno.Command("true").outputSync(),
      env: () => Deno.env.get("PATH"),
      sys: () => Deno.hostname(),
      kill: () => Deno.kill(1, "SIGTERM"),
      worker: () => new Worker(${
      JSON.stringify(worker)
    }, { type: "module", deno: { permissions: { write: ["/tmp"] } } }),
    };
    for (const [name, attempt] of Object.entries(tries)) {
      try { attempt(); console.log(name, "open"); } catch (error) { console.log(name, error.name); }
    }
    for (const name of ["write", "net", "run", "env", "sys", "ffi"]) {
      const { state } = await Deno.permissions.request({ name });
      if (state === "granted") console.log(name, "granted again");
    }
    Deno.exit(0);`,
  );
  const { program, flags } = sourceCommand(script);
  const output = await new Deno.Command(program, { args: flags, stdin: "null" }).output();
  assert.deepEqual(new TextDecoder().decode(output.stdout).trim().split("\n"), [
    "read open",
    ...["write", "link", "net", "run", "env", "sys", "kill", "worker"].map((name) => `${name} NotCapable`),
  ]);
});
