import assert from "node:assert/strict";
import { startScriptedProvider } from "../../core/model/scripted/mod.ts";
import type { JsonObject } from "../../core/types/mod.ts";
import { sentResults } from "../support/agent_project.ts";
import type { Skip } from "../support/shared_tool.ts";
import { testWith } from "../support/skip.ts";
import { tempDir } from "../support/temp_dir.ts";
import type { TempDir } from "../support/temp_dir.ts";
import { reach, SettingsRun } from "./setting_effects_support.ts";

/** Searches whose answers must not depend on ripgrep. */
const SEARCHES: JsonObject[] = [
  { pattern: "needle" },
  { pattern: "needle", output_mode: "content", context: 1 },
  { pattern: "NEEDLE", output_mode: "count", case_insensitive: true },
  { pattern: "needle|thread", output_mode: "content" },
  { pattern: "needle", path: "src", glob: "*.ts" },
  { pattern: "absent anywhere" },
];

async function prepare(workspace: TempDir): Promise<void> {
  await workspace.write(".gitignore", "ignored/\n");
  await workspace.write("ignored/needle.txt", "needle\n");
  await workspace.write(".rgignore", "src\n"); // ripgrep's own: no reason to leave anything out
  await workspace.write("src/a.ts", "one\nneedle a\nthree\n");
  await workspace.write("src/b.txt", "Needle b\r\nthread\r\n");
  await workspace.write("latin1.txt", new Uint8Array([0xe9, 0x20, ...new TextEncoder().encode("needle\n")]));
  await workspace.write("binary.bin", new Uint8Array([0, 1, ...new TextEncoder().encode("needle\n")]));
  await workspace.write(".hidden/needle.md", "a needle\n");
}

async function findPrograms(): Promise<{ rg: string; bash: string } | Skip> {
  const found = await new Deno.Command("sh", { args: ["-c", "command -v rg && command -v bash"] }).output();
  const [rg, bash] = new TextDecoder().decode(found.stdout).split("\n");
  return found.success && rg && bash ? { rg, bash } : { skip: "ripgrep or bash is not installed" };
}

testWith(
  "Grep answers the same with ripgrep on the PATH and without; it is started where commands are not denied, and never from the workspace",
  await findPrograms(),
  async ({ rg, bash }) => {
    await using bin = await tempDir();
    await using log = await tempDir();
    const wrapper = (name: string) => `#!${bash}\necho "$#" >> '${log.join(name)}'\nexec '${rg}' "$@"\n`;
    await bin.write("with/rg", wrapper("log"));
    await Deno.chmod(bin.join("with/rg"), 0o755);
    for (const folder of ["with", "without"]) {
      await Deno.mkdir(bin.join(folder), { recursive: true });
      await Deno.symlink(bash, bin.join(folder, "bash"));
    }
    await using provider = await startScriptedProvider({
      turns: [{
        match: "go",
        repeat: true,
        tool_calls: SEARCHES.map((input) => ({ name: "Grep", input })),
      }, { text: "done", repeat: true }],
    });
    /** The answers with each of the settings, one turn after the other in one process. */
    const search = async (PATH: string, ...each: JsonObject[]) => {
      await using run = await SettingsRun.start({
        env: { PATH },
        settings: reach(provider),
        async prepare(workspace) {
          await prepare(workspace);
          await workspace.write("rg", wrapper("own"));
          await Deno.chmod(workspace.join("rg"), 0o755);
        },
      });
      const answers = [];
      for (const settings of each) {
        await run.answer(reach(provider, settings));
        answers.push(sentResults(provider.requests.at(-1)));
      }
      return answers;
    };
    const starts = async (name = "log") => {
      const text = await Deno.readTextFile(log.join(name)).catch(() => "");
      return text.split("\n").length - 1;
    };

    const [own] = await search(bin.join("without"), {});
    assert.equal(await starts(), 0);
    assert.match(own![0]!.content, /src\/a\.ts/);
    assert.doesNotMatch(own![0]!.content, /ignored/);
    const denied = { permissions: { deny: ["Bash"] } };
    const disabled = { disabled_tools: ["Bash"] };
    assert.deepEqual(await search(bin.join("with"), denied, disabled), [own, own]);
    assert.equal(await starts(), 0, "no program is started where commands are denied");
    assert.deepEqual(await search(bin.join("with"), {}), [own]);
    assert.ok(await starts() > 0, "ripgrep was started");
    assert.deepEqual(await search(`.:${bin.join("without")}`, {}), [own]);
    assert.equal(await starts("own"), 0, "a repository cannot bring its own");
  },
);
