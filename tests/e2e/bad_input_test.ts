import assert from "node:assert/strict";
import { startScriptedProvider } from "../../core/model/scripted/mod.ts";
import { runLumina, startLumina } from "../support/run_lumina.ts";
import type { LuminaOptions, LuminaResult } from "../support/run_lumina.ts";
import { testWith } from "../support/skip.ts";
import { canMount, mountDisk, unmountDisk } from "../support/small_disk.ts";
import { tempDir } from "../support/temp_dir.ts";

const MODEL = ["--model", "m", "--api-key", "k"];

/** Asserts one line on standard error, nothing on standard output, and no stack trace. */
function oneLine(run: LuminaResult, code: number, pattern: RegExp): void {
  assert.equal(run.code, code, run.stderr);
  assert.equal(run.stdout, "");
  const lines = run.stderr.trimEnd().split("\n");
  assert.equal(lines.length, 1, run.stderr);
  assert.match(run.stderr, pattern);
  assert.doesNotMatch(run.stderr, /\bat .*\.(ts|js):\d+/);
}

async function fails(
  args: string[],
  code: number,
  pattern: RegExp,
  options: LuminaOptions & { stdin?: string | Uint8Array } = {},
): Promise<void> {
  oneLine(await runLumina(args, options), code, pattern);
}

Deno.test("without a model or a key one line names the setting and the variable, exit 2", async () => {
  await fails(["-p", "hi"], 2, /LUMINA_API_MODEL.*api_model.*--model/);
  await fails(["-p", "hi", "--model", "m"], 2, /LUMINA_API_KEY.*api_key/);
});

Deno.test("an unknown flag, mode, format or command names the nearest one, exit 2", async () => {
  await fails(["-p", "hi", "--modle", "m"], 2, /--modle.*--model/);
  await fails(["-p", "hi", "--permission-mode", "acept-edits"], 2, /accept-edits/);
  await fails(["permission", "explain", "Bash(ls)", "--permission-mode", "yollo"], 2, /yolo/);
  await fails(["config", "list", "--model", "m"], 2, /--model.*does not go with this command/);
  await fails(["-p", "hi", "--output-format", "xml"], 2, /text, json, stream-json/);
  await fails(["confg"], 2, /config/);
  await fails(["-p", "hi", "--max-turns", "none"], 2, /max-turns.*whole number/);
  await fails(["-p", "hi", ...MODEL, "--json-schema", "{"], 2, /json-schema/);
  await fails(["-p", "hi", ...MODEL, "--json-schema", '{"type":"nonsense"}'], 2, /JSON Schema is not valid/);
});

Deno.test("a start directory that is none is named, exit 2", async () => {
  await using dir = await tempDir();
  const file = await dir.write("file", "x");
  await fails(["-p", "hi", ...MODEL, "--cwd", file], 2, /file/);
  await fails(["-p", "hi", ...MODEL, "--cwd", dir.join("absent")], 2, /absent.*--cwd/);
});

Deno.test("a workspace that is deleted while the run goes on gives clear tool errors, and the run goes on", async () => {
  await using outer = await tempDir();
  await outer.write("ws/a.txt", "text\n");
  await using provider = await startScriptedProvider({
    turns: [
      {
        hold: { name: "deleted" },
        tool_calls: [
          { name: "Read", input: { file_path: "a.txt" } },
          { name: "Bash", input: { command: "pwd" } },
          { name: "Grep", input: { pattern: "text" } },
        ],
      },
      { text: "It is gone." },
    ],
  });
  const args = ["-p", "look", "--output-format", "stream-json", ...MODEL, "--base-url", provider.url];
  await using run = await startLumina([...args, "--cwd", outer.join("ws")], { cwd: outer.path });
  await run.closeInput();
  await provider.waitForRequest(1);
  await Deno.remove(outer.join("ws"), { recursive: true });
  provider.release("deleted");
  const { code, stdout, stderr } = await run.finished;
  assert.equal(code, 0, stderr);
  const results = stdout.trimEnd().split("\n").map((line) => JSON.parse(line))
    .filter((line) => line.type === "user").map((line) => line.message.content[0]);
  assert.equal(results.length, 3);
  for (const result of results) {
    assert.equal(result.is_error, true, result.content);
    assert.match(result.content, /ws/);
  }
});

Deno.test("broken settings name file, line, key and what is allowed, and nothing is sent", async () => {
  await using app = await tempDir();
  await using provider = await startScriptedProvider({ turns: [{ text: "never" }] });
  const flags = ["-p", "hi", ...MODEL, "--base-url", provider.url];
  await app.write("config/settings.json", '{\n  // mine\n  "effort": "hihg"\n}\n');
  await fails(flags, 2, /settings\.json:3: "effort" is "hihg".*low, medium, high, max.*did you mean "high"/, {
    app_root: app.path,
  });
  await app.write("config/settings.json", '{\n  "effort": "high",,\n}\n');
  await fails(flags, 2, /settings\.json:2:/, { app_root: app.path });
  await app.write("config/settings.json", "{}");
  await fails([...flags, "--settings", app.join("none.json")], 2, /none\.json/, { app_root: app.path });
  assert.equal(provider.requests.length, 0);
});

Deno.test("an app root that cannot be one is named, exit 2", async () => {
  await using dir = await tempDir();
  const file = await dir.write("file", "");
  await fails(["--list"], 2, /relative.*absolute|absolute/, { env: { LUMINA_APP_ROOT: "relative" } });
  await fails(["--list"], 2, /LUMINA_APP_ROOT/, { env: { LUMINA_APP_ROOT: file } });
});

Deno.test("files that cannot be read as text give a clear tool error and the run goes on", async () => {
  await using dir = await tempDir();
  await dir.write("bin.dat", new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2, 3]));
  await dir.write("bad.txt", new Uint8Array([0x61, 0xff, 0xfe, 0x62, 0x0a]));
  await dir.write("long.txt", new Uint8Array(100 * 1024 * 1024).fill(0x61));
  const read = (file_path: string) => ({ name: "Read", input: { file_path } });
  await using provider = await startScriptedProvider({
    turns: [
      { tool_calls: [read("absent.txt"), read("."), read("bin.dat"), read("bad.txt"), read("long.txt")] },
      { text: "All told." },
    ],
  });
  const run = await runLumina(
    ["-p", "read them", "--output-format", "stream-json", ...MODEL, "--base-url", provider.url],
    { cwd: dir.path },
  );
  assert.equal(run.code, 0, run.stderr);
  const lines = run.stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
  const results = new Map(
    lines.filter((line) => line.type === "user").map((line) => line.message.content[0])
      .map((result) => [result.tool_use_id, result]),
  );
  // calls that run side by side are told in the order in which they end
  const [absent, folder, binary, invalid, long] = lines.find((line) => line.type === "assistant").message
    .content
    .map((call: { id: string }) => results.get(call.id));
  assert.deepEqual([absent.is_error, folder.is_error, binary.is_error], [true, true, true]);
  assert.match(folder.content, /List/);
  assert.match(binary.content, /binary|ELF/i);
  assert.match(invalid.content, /\\xff/i);
  assert.ok(long.content.length < 120_000, String(long.content.length));
  assert.match(long.content, /104857600|104,857,600|characters|bytes/);
});

testWith(
  "a full disk stops the run with journal.full, and the list still works",
  await canMount(),
  async () => {
    await using dir = await tempDir();
    await using app = await tempDir();
    assert.ok(await mountDisk(app.path, "640k"));
    try {
      const text = "a long answer ".repeat(40_000);
      await using provider = await startScriptedProvider({ turns: [{ text }, { text: "after" }] });
      const run = await runLumina(
        ["-p", "hi", "--output-format", "json", ...MODEL, "--base-url", provider.url],
        { cwd: dir.path, app_root: app.path },
      );
      assert.equal(run.code, 1, run.stdout);
      assert.match(run.stdout, /journal\.full/);
      const list = await runLumina(["--list"], { cwd: dir.path, app_root: app.path });
      assert.equal(list.code, 0, list.stderr);
    } finally {
      await unmountDisk(app.path);
    }
  },
);
