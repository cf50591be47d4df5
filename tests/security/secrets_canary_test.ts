import assert from "node:assert/strict";
import { startScriptedProvider } from "../../core/model/scripted/mod.ts";
import type { ProviderScriptInput } from "../../core/model/scripted/mod.ts";
import { runLumina } from "../support/run_lumina.ts";
import type { LuminaResult } from "../support/run_lumina.ts";
import { canaryFiles, foundCanaries, makeCanaries } from "../support/secret_canaries.ts";
import type { Canaries } from "../support/secret_canaries.ts";
import { writeServicePack } from "../support/service_pack.ts";
import { tempDir } from "../support/temp_dir.ts";

/** A machine on which secrets lie wherever they lie in practice. */
class Machine implements AsyncDisposable {
  readonly secrets = makeCanaries(
    "variable",
    "flag",
    "settings",
    "file",
    "helper",
    "fallback",
    "url",
    "proxy",
    "cloud",
    "database",
    "dotenv",
    "section",
  );
  readonly #workspace: Awaited<ReturnType<typeof tempDir>>;
  readonly #root: Awaited<ReturnType<typeof tempDir>>;
  readonly #provider: Awaited<ReturnType<typeof startScriptedProvider>>;

  private constructor(
    workspace: Awaited<ReturnType<typeof tempDir>>,
    root: Awaited<ReturnType<typeof tempDir>>,
    provider: Awaited<ReturnType<typeof startScriptedProvider>>,
  ) {
    this.#workspace = workspace;
    this.#root = root;
    this.#provider = provider;
  }

  static async open(script: ProviderScriptInput): Promise<Machine> {
    const machine = new Machine(
      await tempDir("lumina-ws-"),
      await tempDir("lumina-root-"),
      await startScriptedProvider(script),
    );
    const { secrets } = machine;
    await machine.#workspace.write(".env", `LUMINA_API_KEY=${secrets.dotenv}\nTOKEN=${secrets.dotenv}\n`);
    await machine.#workspace.write("notes.txt", "notes\n");
    await machine.#root.write("config/key.txt", `${secrets.file}\n`);
    await machine.#root.write("helper.sh", `echo "${secrets.helper}"; echo "${secrets.helper}" >&2`);
    await machine.#root.write(
      "config/settings.json",
      JSON.stringify({
        fallback_api_key: secrets.fallback,
        fallback_api_model: "m2",
        plugins: { probe: { token: secrets.section, level: 3 } },
      }),
    );
    return machine;
  }

  get root(): string {
    return this.#root.path;
  }

  get provider() {
    return this.#provider;
  }

  /** The model's address with a user and a password in it. */
  address(wire: "anthropic" | "openai_compatible"): string {
    const url = new URL(this.#provider.url);
    url.username = "user";
    url.password = this.secrets.url;
    return `${url.href.replace(/\/$/, "")}${wire === "anthropic" ? "" : "/v1"}`;
  }

  /** Runs the program with every variable set; `key` is where its own key comes from. */
  async run(
    args: readonly string[],
    key: Record<string, string> = { LUMINA_API_KEY: this.secrets.variable },
    wire: "anthropic" | "openai_compatible" = "anthropic",
  ): Promise<LuminaResult> {
    const { secrets } = this;
    return await runLumina(args, {
      app_root: this.root,
      cwd: this.#workspace.path,
      env: {
        LUMINA_API_MODEL: "m",
        LUMINA_API_TYPE: wire,
        LUMINA_API_BASE_URL: this.address(wire),
        LUMINA_API_MAX_ATTEMPTS: "1",
        AWS_SECRET_ACCESS_KEY: secrets.cloud,
        GITHUB_TOKEN: secrets.cloud,
        DATABASE_URL: `postgres://app:${secrets.database}@db.example/app`,
        HTTPS_PROXY: `http://user:${secrets.proxy}@127.0.0.1:1`,
        ...key,
      },
    });
  }

  /** Nothing that a person, a program or a later session could see holds a secret. */
  async assertKept(what: string, ...results: LuminaResult[]): Promise<void> {
    for (const { stdout, stderr } of results) {
      assert.deepEqual(foundCanaries(this.secrets, stdout), [], `${what}, standard output: ${stdout}`);
      assert.deepEqual(foundCanaries(this.secrets, stderr), [], `${what}, standard error: ${stderr}`);
    }
    const own = ["config/settings.json", "config/key.txt", "helper.sh"].map((name) => `${this.root}/${name}`);
    const found = await canaryFiles(this.secrets, this.root, own);
    // a rewind restores every file of the workspace, so its store holds them: for the user's eyes alone
    const snapshots = found.filter((file) => /\/rewind\.sqlite(-wal)?: dotenv$/.test(file));
    for (const file of snapshots) {
      assert.equal((await Deno.stat(file.replace(/: dotenv$/, ""))).mode! & 0o077, 0, file);
    }
    assert.deepEqual(found.filter((file) => !snapshots.includes(file)), [], what);
  }

  /** Nor does what was sent to the model, apart from the key in its header. */
  assertSent(what: string): void {
    for (const { body } of this.provider.requests) {
      assert.deepEqual(foundCanaries(this.secrets, JSON.stringify(body)), [], what);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#provider.close();
    await this.#workspace[Symbol.asyncDispose]();
    await this.#root[Symbol.asyncDispose]();
  }
}

/** What a pack may try through the host to come to secrets. */
const SECRET_STEPS = [
  ["session.messages"],
  ["fs.read", "/proc/self/environ"],
  ["fs.read", "/proc/thread-self/environ"],
  ["config.get"],
];

const HOW_KEYS_COME: readonly ((secrets: Canaries, root: string) => [string[], Record<string, string>])[] = [
  ({ variable = "" }) => [[], { LUMINA_API_KEY: variable }],
  ({ variable = "" }) => [[], { ANTHROPIC_API_KEY: variable }],
  ({ flag = "" }) => [["--api-key", flag], {}],
  (_, root) => [[], { LUMINA_API_KEY_FILE: `${root}/config/key.txt` }],
  (_, root) => [[], { LUMINA_API_KEY_HELPER: `sh '${root}/helper.sh'` }],
];

Deno.test("a session whose commands print their environment and every argument list shows and keeps no secret", async () => {
  const look =
    "env; cat /proc/self/environ | tr '\\0' '\\n'; cat /proc/[0-9]*/cmdline | tr '\\0' ' '; echo over";
  await using machine = await Machine.open({
    turns: [
      { tool_calls: [{ name: "Bash", input: { command: look } }, { name: "List", input: { path: "." } }] },
      { text: "done" },
      { text: "done", repeat: true },
    ],
  });
  const first = await machine.run([
    "-p",
    "look around",
    "--yolo",
    "--output-format",
    "stream-json",
    "--verbose",
  ]);
  assert.equal(first.code, 0, first.stderr);
  assert.match(first.stdout, /HOME=/, "the command ran");
  await machine.assertKept("a run", first);
  for (const format of ["text", "json"]) {
    const run = await machine.run(["-p", "again", "--continue", "--output-format", format]);
    assert.equal(run.code, 0, run.stderr);
    await machine.assertKept(`a run as ${format}`, run);
  }
  machine.assertSent("requests");
  const id = /"session_id":"([^"]+)"/.exec(first.stdout)?.[1] ?? "";
  const commands = [
    ["config", "list"],
    ["session", "list", "--json"],
    ["session", "show", id],
    ["session", "search", "look"],
    ["session", "report", id, "--with-text"],
    ["session", "export", id, "--share", "--tools"],
    ["session", "export", id, "--format", "json", "--tools"],
    ["session", "record", id],
    ["session", "verify", id],
  ];
  for (const command of commands) {
    const result = await machine.run(command);
    assert.equal(result.code, 0, `${command.join(" ")}: ${result.stderr}`);
    await machine.assertKept(command.join(" "), result);
  }
});

Deno.test("a pack sees nothing of the environment, the arguments or the settings of its host, and its process holds none", async () => {
  const outside = "tr '\\0' '\\n' < /proc/{{pid}}/environ; tr '\\0' ' ' < /proc/{{pid}}/cmdline; echo over";
  await using machine = await Machine.open({
    turns: [
      { tool_calls: [{ name: "Ask", input: { steps: SECRET_STEPS } }, { name: "Leak", input: {} }] },
      // while its process lives, what the system tells of it
      {
        capture: { pid: "process_id\\D+(\\d+)" },
        tool_calls: [{ name: "Bash", input: { command: outside } }],
      },
      { text: "done" },
    ],
  });
  const source = `${machine.root}-pack`;
  await writeServicePack(source, [{ kind: "fs.read", paths: [] }, "session.read"]);
  const installed = await machine.run(["plugin", "install", source, "--yes"]).finally(() =>
    Deno.remove(source, { recursive: true })
  );
  assert.equal(installed.code, 0, installed.stderr);
  const run = await machine.run(
    ["-p", `my key is ${machine.secrets.variable}`, "--yolo", "--output-format", "stream-json"],
  );
  assert.equal(run.code, 0, run.stderr);
  const [asked = "", leak = "", process = ""] = run.stdout.split("\n").filter((line) =>
    line.includes('"tool_result"')
  );
  assert.deepEqual(foundCanaries(machine.secrets, asked + leak + process), [], asked + leak + process);
  assert.match(asked, /my key is \[masked\]/);
  for (const name of ["environment", "environ", "parent", "settings"]) {
    assert.match(leak, new RegExp(`\\W${name}\\W+(NotCapable|PermissionDenied)`), leak);
  }
  assert.match(process, /__plugin over/);
  assert.doesNotMatch(process, /HOME=|PATH=/);
  for (const command of [["list", "--json"], ["show", "asker"], ["permissions", "asker"]]) {
    const result = await machine.run(["plugin", ...command]);
    assert.equal(result.code, 0, result.stderr);
    assert.deepEqual(foundCanaries(machine.secrets, result.stdout + result.stderr), [], command.join(" "));
  }
});

Deno.test("a provider that repeats the key it was sent gives it to nobody, wherever the key came from", async () => {
  await using machine = await Machine.open({ turns: [] });
  await using echo = echoingProvider(machine);
  const cases = [
    ...HOW_KEYS_COME.map((keys) => ({ keys, wire: "anthropic", format: "stream-json", body: "" })),
    ...["anthropic", "openai_compatible"].flatMap((wire) => [
      { keys: HOW_KEYS_COME[0], wire, format: "text", body: "" },
      { keys: HOW_KEYS_COME[0], wire, format: "json", body: "/stream" },
    ]),
  ] as const;
  for (const { keys, wire, format, body } of cases) {
    const [args, env] = keys?.(machine.secrets, machine.root) ?? [[], {}];
    const run = await machine.run(["-p", "hi", "--output-format", format, ...args], {
      ...env,
      LUMINA_API_BASE_URL: echo.address(body),
    }, wire as "anthropic");
    assert.equal(run.code, 1, run.stdout + run.stderr);
    const said = run.stdout + run.stderr;
    assert.match(said, /Incorrect key/, "the provider's words are shown");
    await machine.assertKept(`${wire} ${format} ${body} ${args.join(" ")}`, run);
  }
  const { variable, flag, file, helper } = machine.secrets;
  for (const key of [variable, flag, file, helper]) assert.ok(echo.seen.includes(key), "each key was sent");
});

Deno.test("settings that are wrong are told without the secret in them", async () => {
  await using machine = await Machine.open({ turns: [{ text: "ok", repeat: true }] });
  const { secrets } = machine;
  const wrong: [string[], Record<string, string>][] = [
    [["-p", "hi"], { LUMINA_API_KEY: `${secrets.variable}\nmore` }],
    [["-p", "hi"], { LUMINA_API_KEY: `${secrets.variable}ü` }],
    [["-p", "hi", "--api-key", `${secrets.flag}\nmore`], {}],
    [["-p", "hi"], { LUMINA_API_BASE_URL: `ftp://user:${secrets.url}@a.example`, LUMINA_API_KEY: "k" }],
    [["-p", "hi"], { LUMINA_API_BASE_URL: `http://user:${secrets.url}@`, LUMINA_API_KEY: "k" }],
    [["-p", "hi"], { LUMINA_PLUGINS: `{"probe":"${secrets.section}"}`, LUMINA_API_KEY: "k" }],
    [["-p", "hi"], { LUMINA_PLUGINS: secrets.section, LUMINA_API_KEY: "k" }],
    [["-p", "hi"], { LUMINA_API_KEY_HELPER: `echo ${secrets.helper} >&2; exit 3` }],
    [["config", "set", "plugins.probe", secrets.section], {}],
    [["config", "set", "api_key", `${secrets.settings}ü`], {}],
  ];
  for (const [args, env] of wrong) {
    const result = await machine.run(args, env);
    assert.equal(result.code, 2, `${JSON.stringify([args, env])}: ${result.stdout}${result.stderr}`);
    await machine.assertKept(JSON.stringify([args, env]), result);
  }
});

/** A provider that answers every request with all it was sent, as careless ones do: at once, or inside a stream. */
function echoingProvider(machine: Machine) {
  const echo = { seen: "" };
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    await request.body?.cancel();
    const headers = [...request.headers].map((header) => header.join(": ")).join("; ");
    echo.seen += headers;
    const error = { type: "authentication_error", message: `Incorrect key: ${headers}` };
    if (!request.url.includes("/stream")) return Response.json({ type: "error", error }, { status: 401 });
    const data = JSON.stringify({ type: "error", error });
    const headers_of_stream = { "content-type": "text/event-stream" };
    return new Response(`event: error\ndata: ${data}\n\n`, { headers: headers_of_stream });
  });
  return {
    get seen() {
      return echo.seen;
    },
    address(path: string): string {
      const url = new URL(machine.address("anthropic"));
      url.port = String(server.addr.port);
      return url.href.replace(/\/$/, "") + path;
    },
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
