import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { startScriptedProvider } from "../../core/model/scripted/mod.ts";
import type { ProviderScriptInput } from "../../core/model/scripted/mod.ts";
import { REPO_ROOT } from "../support/repo_root.ts";
import { runLumina } from "../support/run_lumina.ts";
import { tempDir } from "../support/temp_dir.ts";
import type { TempDir } from "../support/temp_dir.ts";

/** Folders and files of this repository that the copy holds. */
const PARTS = ["core", "plugins", "resources", "scripts", "main.ts", "deno.json", "README.md", ".gitignore"];
const OLD = 'export const VERSION = "0.1.0";';
const NEW = 'export const VERSION = "0.1.1";';

const SCRIPT: ProviderScriptInput = {
  turns: [
    {
      match: "version",
      text: "I look for it.",
      tool_calls: [
        { name: "Glob", input: { pattern: "core/**/version.ts" } },
        { name: "Grep", input: { pattern: "export const VERSION", output_mode: "content" } },
      ],
    },
    { match: "version.ts", tool_calls: [{ name: "Read", input: { file_path: "core/app/version.ts" } }] },
    {
      match: "VERSION",
      tool_calls: [{
        name: "Edit",
        input: { file_path: "core/app/version.ts", old_string: OLD, new_string: NEW },
      }],
    },
    { tool_calls: [{ name: "Bash", input: { command: "grep -c 0.1.1 core/app/version.ts" } }] },
    { match: "1", text: "The version is now 0.1.1." },
  ],
};

async function copyRepository(dir: TempDir): Promise<void> {
  for (const part of PARTS) await copy(join(REPO_ROOT, part), dir.join(part));
}

async function copy(from: string, to: string): Promise<void> {
  const info = await Deno.stat(from);
  if (info.isFile) {
    await Deno.mkdir(dirname(to), { recursive: true });
    await Deno.copyFile(from, to);
    return;
  }
  for await (const entry of Deno.readDir(from)) await copy(join(from, entry.name), join(to, entry.name));
}

for (const wire of ["anthropic", "openai_compatible"] as const) {
  Deno.test(`on its own repository, over the ${wire} wire, the agent finds, reads, edits and runs in all three formats`, async () => {
    for (const format of ["text", "json", "stream-json"]) {
      await using dir = await tempDir();
      await copyRepository(dir);
      await using provider = await startScriptedProvider(SCRIPT);
      const base = wire === "anthropic" ? provider.url : `${provider.url}/v1`;
      const run = await runLumina([
        "-p",
        "Raise the version to 0.1.1",
        "--output-format",
        format,
        "--permission-mode",
        "accept-edits",
        "--model",
        "m",
        "--base-url",
        base,
        "--api-type",
        wire,
        "--api-key",
        "k",
      ], { cwd: dir.path });
      assert.equal(run.code, 0, run.stderr);
      assert.match(await dir.read("core/app/version.ts"), /VERSION = "0\.1\.1"/);
      if (format === "text") assert.equal(run.stdout, "The version is now 0.1.1.\n");
      if (format === "json") {
        const result = JSON.parse(run.stdout);
        assert.deepEqual([result.subtype, result.result, result.num_turns], [
          "success",
          "The version is now 0.1.1.",
          5,
        ]);
      }
      if (format === "stream-json") {
        const lines = run.stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
        assert.deepEqual([lines[0].subtype, lines.at(-1).type], ["init", "result"]);
        const errors = lines.filter((line) => line.type === "user" && line.message.content[0]?.is_error);
        assert.deepEqual(errors, [], "no tool failed");
      }
      assert.equal(provider.requests.length, 5);
    }
  });
}
