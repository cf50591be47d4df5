import assert from "node:assert/strict";
import { AgentProject, payload, resultOf, sentResults } from "../support/agent_project.ts";
import { compiledProgram } from "../support/compiled_program.ts";
import { findDenort } from "../support/denort.ts";
import { NpmRegistry } from "../support/npm_registry.ts";
import { startLumina } from "../support/run_lumina.ts";
import { counterPack, editSamplePack, notesPack } from "../support/sample_packs.ts";
import type { SampleEdit } from "../support/sample_packs.ts";
import { testWith } from "../support/skip.ts";
import { tempDir } from "../support/temp_dir.ts";

const PACKAGE = "lumina-plugin-notes";

Deno.test("two packs are made, installed from everywhere, used, renewed and removed", () => lifeOfPacks());
testWith(
  "the compiled program does the same",
  await findDenort(),
  async ({ env }) => await lifeOfPacks(await compiledProgram(env)),
);

async function lifeOfPacks(artifact?: string): Promise<void> {
  await using author = await tempDir("lumina-author-");
  await using page = new Page();
  await using registry = new NpmRegistry();
  const url = `http://${page.host}/about`;
  await using project = await AgentProject.open({
    turns: [
      {
        text: "both",
        tool_calls: [{ name: "Notes", input: { file: "note.txt", url } }, {
          name: "Counter",
          input: { to: 500 },
        }],
      },
      { text: "used both" },
      { text: "long", match: "count for ever", tool_calls: [{ name: "Counter", input: { to: 1e9 } }] },
      {
        text: "renewed",
        match: "which editor",
        tool_calls: [{ name: "Notes", input: { file: "note.txt", url } }],
      },
      { text: "not needed", repeat: true },
    ],
  });
  await project.dir.write("note.txt", "buy milk\n");
  const program = artifact === undefined ? {} : { artifact };
  const options = {
    app_root: project.app_root,
    cwd: author.path,
    ...program,
    env: { NPM_CONFIG_REGISTRY: registry.url },
  };
  const plugin = async (args: string[], code = 0) => {
    await using run = await startLumina(["plugin", ...args], options);
    await run.writeAll("");
    const { stdout, stderr, code: got } = await run.finished;
    assert.equal(got, code, `plugin ${args.join(" ")}: ${stderr}${stdout}`);
    return stdout + stderr;
  };
  const make = async (name: string, edit: SampleEdit) => {
    await plugin(["new", "tools", name]);
    await editSamplePack(author.join(name), edit);
    await plugin(["build", name]);
    assert.match(await plugin(["check", name]), /^9 of 9 checks hold$/m);
  };
  await make("notes", notesPack(page.host));
  await make("counter", counterPack());
  page.requests = 0;

  // a folder: nothing is granted without a word; an archive; a package of a registry
  assert.match(await plugin(["install", "notes/dist"], 3), new RegExp(`read the workspace\n.*${page.host}`));
  await plugin(["install", "notes/dist", "--yes"]);
  await plugin(["remove", "notes", "--yes"]);
  await pack(author.join("counter/dist"), author.join("counter.tgz"));
  await plugin(["install", "counter.tgz", "--yes"]);
  await registry.publish(PACKAGE, author.join("notes/dist"));
  await plugin(["install", `npm:${PACKAGE}`, "--yes"]);
  assert.match(await plugin(["list"]), /^notes +0\.1\.0 +user +on +Notes$/m);
  assert.equal(page.requests, 0, "installing runs nothing");

  const used = await project.stream("use both", ["--allowed-tools", "Notes,Counter"], program);
  assert.equal(resultOf(used.lines)["result"], "used both", used.stderr);
  const numbers = Array.from({ length: 500 }, (_, n) => `${n + 1}\n`).join("");
  assert.deepEqual(sentResults(project.provider.requests[1]), [
    { content: "buy milk\na page about it", is_error: false },
    { content: `${numbers}done`, is_error: false },
  ]);
  assert.equal(page.requests, 1);

  await interruptedCall(project, program);

  // a version that asks for more asks again, and changes nothing until somebody says yes
  const more = notesPack(page.host);
  const env = { kind: "env", names: ["EDITOR"] } as const;
  await editSamplePack(author.join("notes"), {
    ...more,
    source: more.source.replace("${note.trim()}", '${note.trim()} in ${Deno.env.get("EDITOR")}'),
    tool: { ...more.tool, capabilities: ["fs.read", "net", "env"] },
    version: "0.2.0",
    capabilities: [...more.capabilities, { ...env, names: [...env.names] }],
  });
  await plugin(["build", "notes"]);
  await registry.publish(PACKAGE, author.join("notes/dist"));
  const question = await plugin(["update", "notes"], 3);
  assert.match(question, /asks for more than it had:\n {2}read the environment variable EDITOR\n/);
  assert.match(await plugin(["list"]), /^notes +0\.1\.0 /m);
  await plugin(["update", "notes", "--yes"]);
  assert.match(await plugin(["list"]), /^notes +0\.2\.0 /m);
  await project.stream("which editor", ["--allowed-tools", "Notes"], { ...program, env: { EDITOR: "ed" } });
  assert.deepEqual(sentResults(project.provider.requests.at(-1)), [
    { content: "buy milk in ed\na page about it", is_error: false },
  ]);

  await plugin(["remove", "notes", "counter", "--yes"]);
  assert.doesNotMatch(await plugin(["list"]), /notes|counter/);
  const left = await paths(project.app_root);
  assert.deepEqual(left.filter((path) => /notes|counter/.test(path)), []);
  for (const path of left.filter((path) => /^config\/.*\.\w+$/.test(path))) {
    const text = await Deno.readTextFile(`${project.app_root}/${path}`);
    assert.doesNotMatch(text, /notes|counter|127\.0\.0\.1/, path);
  }
}

/** A call that streams for ever is interrupted: the run ends at once, and so does the pack's process. */
async function interruptedCall(project: AgentProject, program: { artifact?: string }): Promise<void> {
  const formats = ["--input-format", "stream-json", "--output-format", "stream-json"];
  // what is not interrupted would run for ever
  await using run = await project.start(["-p", ...formats, "--allowed-tools", "Counter"], program);
  await run.write(
    `${JSON.stringify({ type: "user", message: { role: "user", content: "count for ever" } })}\n`,
  );
  let session_id = "";
  for await (const text of run.lines()) {
    const line = JSON.parse(text);
    session_id ||= line.session_id ?? "";
    if (/counted to 1000/.test(text)) {
      assert.equal((await processesBelow(project.app_root)).length, 1, "the pack has a process of its own");
      await run.write(`${
        JSON.stringify({
          type: "control_request",
          request_id: "stop",
          request: { subtype: "interrupt" },
        })
      }\n`);
      break;
    }
  }
  await run.closeInput();
  const { stdout } = await run.finished;
  assert.match(stdout, /"terminal_reason":"interrupted"/);
  assert.deepEqual(await processesBelow(project.app_root), [], "the pack's process went with the run");
  const events = await project.journal(session_id);
  const ended = events.find(({ type }) => type === "tool.finished" || type === "tool.interrupted");
  assert.ok(ended !== undefined && payload(ended) !== undefined, "the call has an end");
}

/** Commands of the processes that work in a folder, as packs do in their own. */
async function processesBelow(folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name } of Deno.readDir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const cwd = await Deno.readLink(`/proc/${name}/cwd`);
      if (cwd.startsWith(folder)) found.push(await Deno.readTextFile(`/proc/${name}/cmdline`));
    } catch {
      // it has ended, or is somebody else's
    }
  }
  return found;
}

/** All paths below a folder. */
async function paths(folder: string, below = ""): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(`${folder}/${below}`)) {
    const path = below === "" ? name : `${below}/${name}`;
    found.push(path);
    if (isDirectory) found.push(...await paths(folder, path));
  }
  return found;
}

/** An archive as the guide says to make one. */
async function pack(folder: string, file: string): Promise<void> {
  const { success } = await new Deno.Command("tar", { args: ["-czf", file, "-C", folder, "."] }).output();
  assert.ok(success);
}

/** The page that `notes` may reach. */
class Page implements AsyncDisposable {
  requests = 0;
  readonly host: string;
  readonly #server: Deno.HttpServer<Deno.NetAddr>;

  constructor() {
    this.#server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, () => {
      this.requests++;
      return new Response("a page about it\n");
    });
    this.host = `127.0.0.1:${this.#server.addr.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }
}
